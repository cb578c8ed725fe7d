/* DWARF 2 to 5: which functions an address is in, inlined ones included, and on which lines.
 *
 * Addresses are asked for in one sorted batch, so that each unit with an address in it is read once, front to back, and no
 * other unit is read at all. Units are independent of each other: several threads share the work. Nothing is indexed ahead.
 *
 * The sections stay in their files (mapped) and are never trusted: every offset is checked against its section, every chain of
 * references has a length limit, and what cannot be read costs the names of that unit, nothing else. */
#ifndef SONDE_SYMBOLS_DWARF_LOOKUP_H
#define SONDE_SYMBOLS_DWARF_LOOKUP_H

#include "common/error.h"
#include "common/slice.h"

#include <stdbool.h>
#include <stdint.h>

/* Uncompressed, little-endian bytes; an empty slice = not there. They outlive the lookup and everything it says. What types are
 * is not asked for, so .debug_types is not among them. */
struct dwarf_sections {
    struct slice info, abbrev, line, str, line_str, str_offsets, addr, ranges, rnglists, aranges;
    struct slice cu_index; /* of a .dwp */
};

/* Whoever opens other files for us. All may be NULL. */
struct dwarf_files {
    /* Split DWARF: the sections of the .dwo file (or of the .dwp, which has all of them) for a skeleton unit; false where it
     * cannot be found. Called at most once per unit, from any of the threads, one at a time. */
    bool (*split)(void *data, struct slice comp_dir, struct slice dwo_name, uint64_t dwo_id, struct dwarf_sections *out);
    /* The alternate file that dwz moved shared entries into. NULL where there is none. */
    const struct dwarf_sections *alternate;
    void *data;
};

/* One function at an address. Texts live as long as the sections do, or as the lookup's arena. */
struct dwarf_call {
    struct slice name; /* the linkage name where there is one, else the plain one; empty = unknown */
    struct slice file; /* the whole path as the debug information has it; empty = unknown */
    uint32_t line;     /* innermost: from the line table; others: where they call the next inner one. 0 = unknown */
    uint64_t start;    /* where its code begins; only of the one that is not inlined. 0 = unknown */
};

/* Called once for each address for which something is known, in ascending order, on the caller's thread. `calls` are innermost
 * first; the last one is the function that is not inlined. False ends the lookup. */
typedef bool dwarf_found(void *data, size_t address_index, const struct dwarf_call *calls, size_t count);

/* `addresses` are ascending, as in the file (not relative). 0, -ENOMEM, or -ECANCELED where `found` said so. Damaged units are
 * left out and counted in *damaged. */
int dwarf_lookup(const struct dwarf_sections *sections, const struct dwarf_files *files, const uint64_t *addresses,
                 size_t count, dwarf_found *found, void *data, size_t *damaged, struct error *error);

#endif
