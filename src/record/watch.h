/* Waiting for the program, and what may come meanwhile.
 *
 *     SIGINT, SIGQUIT    the terminal sends them to the program, too, which decides; a second one within a second ends the
 *                        waiting
 *     SIGTERM, SIGHUP    are passed on to the program
 *     time is up         ends the waiting; the program goes on
 *     a descriptor       is readable: somebody else has to do something, who can end the waiting, too */
#ifndef SONDE_RECORD_WATCH_H
#define SONDE_RECORD_WATCH_H

#include "record/signals.h"

#include <stdbool.h>
#include <sys/types.h>

enum watch_end {
    WATCH_EXITED,  /* the program ended by itself … */
    WATCH_KILLED,  /* … or by a signal */
    WATCH_TIME_UP, /* it still runs … */
    WATCH_STOPPED, /* … and somebody ended the recording */
    WATCH_GIVEN_UP /* it still runs: somebody did not want to wait */
};

struct watch {
    pid_t pid;
    const struct signals *signals;
    double seconds;           /* 0 = as long as it takes */
    unsigned tick_ms;         /* 0 = no ticks */
    void (*tick)(void *data); /* called about so often */
    void *data;
    int fd;                    /* what is waited for, too; of interest where `ready` is not NULL */
    bool (*ready)(void *data); /* called when it is readable, but with pauses: false ends the waiting */
    void *ready_data;
    unsigned ready_pause_ms;  /* that follow; it may change it */
    int soon_fd;              /* one more, of interest where `soon` is not NULL … */
    void (*soon)(void *data); /* … which is called at once, with ready_data, when it is readable */

    int number; /* then: the exit status, or the signal that ended the program or the waiting */
};

enum watch_end watch_program(struct watch *watch);

#endif
