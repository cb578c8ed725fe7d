/* What a lookup reads: the sections of the module's file, and those of other files that it refers to. */
#ifndef SONDE_SYMBOLS_DWARF_INPUT_H
#define SONDE_SYMBOLS_DWARF_INPUT_H

#include "common/slice.h"

#include <stdbool.h>
#include <stdint.h>

/* Uncompressed, little-endian bytes; an empty slice = not there. They outlive the lookup and everything it says. What types are
 * is not asked for, so .debug_types is not among them. */
struct dwarf_sections {
    struct slice info, abbrev, line, str, line_str, str_offsets, addr, ranges, rnglists, aranges;
    struct slice cu_index; /* of a .dwp */
};

/* How other files are opened, which is the business of the caller. All may be NULL. */
struct dwarf_files {
    /* Split DWARF: the sections of the .dwo file (or of the .dwp, which has all of them) for a skeleton unit; false where it
     * cannot be found. Called at most once per unit, from any of the threads, one at a time. */
    bool (*split)(void *data, struct slice comp_dir, struct slice dwo_name, uint64_t dwo_id, struct dwarf_sections *out);
    /* The alternate file that dwz moved shared entries into. NULL where there is none. */
    const struct dwarf_sections *alternate;
    void *data;
};

#endif
