/* A look at a session while its process still writes it. */
#ifndef SONDE_RECORD_LIVE_H
#define SONDE_RECORD_LIVE_H

#include <stdbool.h>
#include <stdint.h>

struct session_file;

struct live_session {
    const char *folder; /* the caller's; must outlive this */
    int pid;
    int number;                /* of the file that is open: a process that becomes another program starts a new one */
    struct session_file *file; /* NULL until it is there */
};

struct live_figures {
    unsigned threads; /* of the program */
    uint64_t samples;
    uint64_t buffer_bytes; /* in use */
    uint64_t lost;         /* samples and other entries */
};

void live_session_begin(struct live_session *live, const char *folder, int pid);

/* False where there is nothing to see yet. */
bool live_session_read(struct live_session *live, struct live_figures *figures);

void live_session_end(struct live_session *live);

#endif
