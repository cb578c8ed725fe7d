/* SESSION/looks: what was seen from outside, of all processes; each chunk is about one. */
#ifndef SONDE_RECORD_LOOKS_FILE_H
#define SONDE_RECORD_LOOKS_FILE_H

#include "common/error.h"
#include "session/entry_append.h"

struct looks_file {
    struct chunk_manager *chunks;
};

/* The chunks of one process. Begins as zeros, but for the owner. */
struct looks_of_process {
    uint64_t owner; /* pid << 32 | image */
    struct entry_place samples, kept;
};

int looks_file_make(struct looks_file *file, const char *folder, uint64_t limit_bytes, struct error *error);
void looks_file_close(struct looks_file *file);

/* Appends an entry of up to `max` bytes that `fill` writes; `kept`: others refer to it, so it is never recycled. False: there
 * is no chunk to be had. */
bool looks_file_put(struct looks_file *file, struct looks_of_process *process, bool kept, size_t max, entry_fill *fill,
                    const void *entry);

/* Gives the chunks of the process back: nothing more is written about it. */
void looks_file_end(struct looks_file *file, struct looks_of_process *process);

#endif
