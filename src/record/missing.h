/* Programs that were started in a session and left no recording, and why: so that nobody takes them for idle.
 *
 * Processes tell of every program before they start it. Most of them join soon; in the end those are named that never did, each
 * program once. */
#ifndef SONDE_RECORD_MISSING_H
#define SONDE_RECORD_MISSING_H

#include "common/vec.h"
#include "ipc/link.h"

#include <stdint.h>

enum { MISSING_MOST = 4096, MISSING_TEXT = 600 };

struct missing_start {
    char *path;
    int pid;
    uint32_t image;  /* the first one that would be of this start */
    uint32_t reason; /* enum link_reason */
};

struct missing {
    VEC(struct missing_start) starts;
    uint64_t more;  /* starts beyond the capacity of the list */
    uint64_t noted; /* starts in all, ever */
    bool disk_is_full;
};

/* A process starts the program `path` (not ended by a zero) as `pid`, which is itself where it becomes the program. */
void missing_note(struct missing *missing, const char *path, size_t length, int pid, uint32_t image, uint32_t reason);

/* A process has joined: it, or the program that it is now, is not missing. */
void missing_joined(struct missing *missing, int pid, uint32_t image);

/* The report at the end, a line for each program: `say` is called at most `most` + 1 times. `left_file` tells whether a process
 * has left a file with this image or a later one. */
void missing_report(struct missing *missing, size_t most, bool (*left_file)(void *data, int pid, uint32_t image),
                    void (*say)(void *data, const char *line), void *data);

void missing_free(struct missing *missing);

#endif
