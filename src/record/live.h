/* A look at a session while its processes still write it: cheap enough to be taken some times a second, of hundreds. */
#ifndef SONDE_RECORD_LIVE_H
#define SONDE_RECORD_LIVE_H

#include "common/map.h"
#include "common/vec.h"

#include <stdint.h>
#include <time.h>

struct live_file {
    int pid;
    uint32_t image;
    bool ended; /* its figures do not change any more */
    uint64_t samples, lost, bytes;
};

struct live_session {
    const char *folder;       /* the caller's; must outlive this */
    int fd;                   /* of the folder; -1 = it cannot be read */
    struct timespec searched; /* what the folder said about its last change when it was read */
    VEC(struct live_file) files;
    struct map known; /* rows of `files` */
};

struct live_figures {
    unsigned processes, threads; /* that are recorded now */
    uint64_t samples;            /* of all, also of those that ended */
    uint64_t buffer_bytes;       /* in use */
    uint64_t lost;               /* samples and other entries */
};

void live_session_begin(struct live_session *live, const char *folder);

/* False where there is nothing to see yet. */
bool live_session_read(struct live_session *live, struct live_figures *figures);

void live_session_end(struct live_session *live);

#endif
