/* Which file lies where in the memory of which process, as the records of `perf script --show-mmap-events` say it, and what
 * that makes of the addresses of frames.
 *
 *     app 7/7 1.5: PERF_RECORD_MMAP2 7/7: [0x55d0000(0x2000) @ 0x1000 fe:00 12 0]: r-xp /bin/app
 *
 * Addresses of frames in a file are of one of two kinds, by the version of perf: where the code was in memory, or where it is
 * in the file. The record of the file tells them apart. */
#ifndef SONDE_IMPORT_PERF_MAPS_H
#define SONDE_IMPORT_PERF_MAPS_H

#include "import/options.h"
#include "profile/profile.h"

struct perf_module {
    struct string_index path, code_id; /* STRING_NONE = unknown */
    struct lib_index lib;              /* lib_none() until a frame needs it */
};

struct perf_map {
    uint64_t pid, start, size, offset;
    uint64_t address; /* of `offset`, relative to the file's image base */
    uint32_t module;
};

struct perf_maps {
    VEC(struct perf_map) rows;
    VEC(struct perf_module) modules;
    struct map by_path; /* rows, by path and by process and path */
    struct map module_of_path;
    struct import_files files;
};

/* Takes what a line of records says, where it maps code of a file. False when the heap is empty. */
bool perf_maps_add(struct perf_maps *maps, struct string_table *strings, struct slice line);

/* Where an address of a frame in the file `path` of a process is: the row of the module in *module, INDEX_NONE where no record
 * says it, and the address relative to its image base. False when the heap is empty. */
bool perf_maps_find(struct perf_maps *maps, const struct string_table *strings, uint64_t pid, struct slice path,
                    uint64_t address, uint32_t *module, uint64_t *relative);

/* The library of a module; lib_none() when the heap is empty. */
struct lib_index perf_maps_lib(struct perf_maps *maps, struct profile *profile, uint32_t module);

void perf_maps_free(struct perf_maps *maps);

#endif
