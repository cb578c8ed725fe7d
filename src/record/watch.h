/* Waiting for the program, and what may come meanwhile.
 *
 *     a signal that somebody sent      is forwarded to the program, with the value that it was queued with; not where the
 *                                      program or one of its descendants sent it
 *     a signal of the terminal         is for the whole foreground process group: the program has got it, too
 *       SIGINT, SIGQUIT                a second one within a second ends the waiting
 *       SIGTSTP, SIGTTIN, SIGTTOU      once the program has stopped the recorder stops, so that the shell sees a stopped job;
 *                                      a program that does not stop is not left alone
 *     a timer's SIGALRM, SIGVTALRM     was set before the recorder was executed, and is forwarded
 *     time is up                       ends the waiting; the program goes on
 *     a descriptor                     is readable: somebody else has to do something, who can end the waiting, too */
#ifndef SONDE_RECORD_WATCH_H
#define SONDE_RECORD_WATCH_H

#include "record/signals.h"

#include <stdbool.h>
#include <sys/types.h>

enum watch_end {
    WATCH_EXITED,  /* the program ended by itself … */
    WATCH_KILLED,  /* … or by a signal */
    WATCH_TIME_UP, /* it still runs … */
    WATCH_STOPPED, /* … and `ready` returned false */
    WATCH_GIVEN_UP /* it still runs, and a second SIGINT or SIGQUIT came */
};

struct watch {
    pid_t pid;
    const struct signals *signals;
    double seconds;            /* 0 = as long as it takes */
    int fd;                    /* a descriptor to wait for, too, unless `ready` is NULL */
    bool (*ready)(void *data); /* called when it is readable, but with pauses: false ends the waiting */
    void *ready_data;
    unsigned ready_pause_ms;  /* after each call of `ready`, which may change it */
    int soon_fd;              /* one more descriptor, unless `soon` is NULL … */
    void (*soon)(void *data); /* … which is called at once, with ready_data, when it is readable */

    bool stopped;   /* the program is stopped … */
    int stop_asked; /* … and the signal that was to stop the recorder, too, until it has stopped or was continued; or 0 */

    int number; /* a result: the exit status, or the signal that ended the program or the waiting */
};

enum watch_end watch_program(struct watch *watch);

#endif
