/* The recorder's end of the socket in the session folder (ipc/link.h): takes in the processes of the session, shares the
 * memory out among them, tells them to pause, go on and stop, and answers `sonde ctl`.
 *
 * One descriptor says when there is something to do; a turn does it, and never waits: not for a process that is stopped, nor
 * for one that talks without end. */
#ifndef SONDE_RECORD_COORDINATOR_H
#define SONDE_RECORD_COORDINATOR_H

#include "common/error.h"
#include "ipc/link.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coordinator;

struct coordinator_figures {
    size_t live, ended; /* processes that are joined, or have a file without; and files of those that ended */
    uint64_t joined;    /* all, since the start */
    uint64_t expired;   /* files that went because all in them was older than the rest */
    uint64_t no_room;   /* processes that were not recorded because the limit had no room for them */
    uint64_t held_bytes, limit_bytes;
    enum link_recording recording;
};

struct coordinator_options {
    const char *folder; /* of the session */
    uint64_t limit_bytes;
    uint64_t interval_ns; /* of CPU time, from sample to sample */
    bool counts_cpu;      /* of processes */
};

/* Makes the socket in the folder. NULL with `error` filled. */
struct coordinator *coordinator_open(const struct coordinator_options *options, struct error *error);

/* Readable when processes are to be looked at (observer.h), which is then done at once. */
int coordinator_look_fd(const struct coordinator *coordinator);
void coordinator_look(struct coordinator *coordinator);

/* Readable when a turn is due. */
int coordinator_fd(const struct coordinator *coordinator);

/* False: somebody asked to stop the session. */
bool coordinator_turn(struct coordinator *coordinator);

/* How long to wait after the last turn before the next: what comes meanwhile is done at once. */
unsigned coordinator_pause_ms(const struct coordinator *coordinator);

/* From now on nothing more is recorded. */
void coordinator_stop(struct coordinator *coordinator);

/* Looks at all that ended processes left, as is done otherwise only when the room for it is needed: what is unused there goes
 * back to the system. */
void coordinator_take_in(struct coordinator *coordinator);

/* After having done that. */
void coordinator_figures(struct coordinator *coordinator, struct coordinator_figures *figures);

/* What there is to say about the session as a whole, in a few lines: programs that left no recording, files that had to go. */
void coordinator_notes(struct coordinator *coordinator, void (*say)(void *data, const char *line), void *data);

/* Also removes the socket. */
void coordinator_close(struct coordinator *coordinator);

#endif
