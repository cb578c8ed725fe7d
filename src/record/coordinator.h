/* The recorder's end of the socket in the session folder (ipc/link.h): takes in the processes of the session, shares the
 * memory out among them, tells them to pause, go on and stop, and answers `sonde ctl`.
 *
 * One descriptor is readable when there is something to do; a turn does it, and never waits: not for a process that is stopped,
 * nor for one that floods the socket. */
#ifndef SONDE_RECORD_COORDINATOR_H
#define SONDE_RECORD_COORDINATOR_H

#include "common/error.h"
#include "ipc/link.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coordinator;

struct coordinator_figures {
    size_t live, ended; /* processes that have joined or have a file; files of ended processes */
    uint64_t joined;    /* processes since the start, in all */
    uint64_t expired;   /* files of ended processes that were evicted as a whole */
    uint64_t no_room;   /* processes that were not recorded because the limit was used up */
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

/* A descriptor that is readable when processes are to be looked at (observer.h): coordinator_look() is then called at once. */
int coordinator_look_fd(const struct coordinator *coordinator);
void coordinator_look(struct coordinator *coordinator);

/* A descriptor that is readable when a turn is due. */
int coordinator_fd(const struct coordinator *coordinator);

/* Does all that is due. False: `sonde ctl stop` was called. */
bool coordinator_turn(struct coordinator *coordinator);

/* How long to wait after the last turn before the next, although the descriptor may be readable: batches are cheaper. */
unsigned coordinator_pause_ms(const struct coordinator *coordinator);

/* Tells all processes to stop recording, and takes the messages that they have sent by then. */
void coordinator_stop(struct coordinator *coordinator);

/* Looks at all that ended processes left, which is done otherwise only when the quota gets short: what is unused there goes
 * back to the system. */
void coordinator_take_in(struct coordinator *coordinator);

/* Calls coordinator_take_in(), and counts. */
void coordinator_figures(struct coordinator *coordinator, struct coordinator_figures *figures);

/* What there is to say about the session as a whole, in a few lines: programs that left no recording, files that had to go. */
void coordinator_notes(struct coordinator *coordinator, void (*say)(void *data, const char *line), void *data);

/* Closes and frees everything, and removes the socket. */
void coordinator_close(struct coordinator *coordinator);

#endif
