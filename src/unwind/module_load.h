/* Makes one module: reads its headers and copies its unwind tables, or leaves them where they are. For modules.c alone. */
#ifndef SONDE_UNWIND_MODULE_LOAD_H
#define SONDE_UNWIND_MODULE_LOAD_H

#include "unwind/module_list.h"

#include <link.h>

/* Every piece of memory that readers may still see starts with this. */
struct mapping {
    struct mapping *next_retired;
    size_t bytes; /* of the whole mapping; 0: it is a piece of the library's own memory */
};

/* NULL when there is no memory. */
void *mapping_create(size_t bytes);
/* The same, for what never changes its size: the first ones of a process lie side by side, without mappings of their own. */
void *mapping_create_small(size_t bytes);
void mapping_free(struct mapping *mapping);

struct loaded_module {
    struct mapping mapping;
    struct unwind_module module;
};

enum { MODULE_SEGMENTS_MAX = 32, MODULE_HEADER_BYTES = 32 };

struct module_segment {
    uint64_t start, end; /* only what comes from the file … */
    uint64_t offset;     /* … where it is from here on */
    bool writable, readable;
};

/* What the dynamic linker says of a module, noted while it holds its lock: everything else is done without. The path
 * follows the last segment. */
struct seen_module {
    uint64_t bias;
    uint64_t start, end;
    uint64_t code_start, code_end;  /* the last segment with code: mostly the only one */
    uint64_t header, header_length; /* .eh_frame_hdr; 0: none */
    uint8_t header_start[MODULE_HEADER_BYTES];
    bool stays; /* until the process ends: see module_stays */
    uint16_t segment_count;
    uint16_t path_length;
    uint8_t build_id[MODULE_BUILD_ID_MAX];
    uint8_t build_id_length;
    struct module_segment segments[];
};

/* Without the path. */
enum { SEEN_MODULE_MOST = sizeof(struct seen_module) + MODULE_SEGMENTS_MAX * sizeof(struct module_segment) };

/* With a 0 at its end. */
static inline char *seen_module_path(const struct seen_module *seen)
{
    return (char *)(uintptr_t)(seen->segments + seen->segment_count);
}

/* The program, the dynamic linker, the C library, the vdso, and the library that this is a part of: modules that cannot be
 * unloaded, nor can their files be cut off while anything goes on (nobody can write to the file of a program that runs; without
 * the others nothing runs, or nobody reads). Their tables are read in place. */
bool module_stays(const struct dl_phdr_info *module);

/* Fills in all but the path and whether it stays: SEEN_MODULE_MOST bytes at most. False where nothing is mapped. */
bool seen_module_read(struct seen_module *seen, uint64_t bias, const ElfW(Phdr) * headers, size_t count);

/* NULL when there is no memory. A module whose tables cannot be read or make no sense comes without. */
struct loaded_module *module_load(const struct seen_module *seen, uint32_t id);

/* Whether the module is the one that was seen. */
bool module_is(const struct unwind_module *module, const struct seen_module *seen);

#endif
