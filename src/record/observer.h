/* Observes the processes of a session from the recorder: no thread of Sonde runs in them.
 *
 *     for each process            chunks for its samples (session/supply.h), within a share of the memory (budget.h)
 *     for each of its threads     looks at where it waits (looker/look.h), one per wait, within 1 % of a CPU for all together
 *                                 an event of its CPU clock, once it has used some (looker/cpu_event.h), where that is allowed
 *     now and then                libraries that were loaded, the CPU time of the process, threads that came and went
 *
 * What is seen goes to SESSION/looks. Turns are short, and never wait. */
#ifndef SONDE_RECORD_OBSERVER_H
#define SONDE_RECORD_OBSERVER_H

#include "common/error.h"
#include "record/budget.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct observer;

struct observer_options {
    const char *folder;    /* of the session */
    int folder_fd;         /* the same */
    struct budget *budget; /* of the session; the caller's */
    uint64_t looks_bytes;  /* that SESSION/looks may have */
    uint64_t interval_ns;  /* of CPU time, from sample to sample */
    bool counts_cpu;       /* the CPU time of processes is wanted */
};

struct observer *observer_create(const struct observer_options *options, struct error *error);
void observer_free(struct observer *observer);

/* Adds a process that has joined, whose id is `peer` for the kernel and whose file is PID-IMAGE.sonde. Does nothing for one
 * that was added before. */
void observer_add(struct observer *observer, int pid, uint32_t image, pid_t peer, uint64_t now_ns);

/* The process has disconnected. If its file says that its recording is over, the observer closes the file, so that it can be
 * trimmed; otherwise nothing changes. */
void observer_left(struct observer *observer, int pid, uint32_t image, pid_t peer);

/* Does all that is due, and returns when the next turn is. Times are of CLOCK_MONOTONIC. */
uint64_t observer_turn(struct observer *observer, uint64_t now_ns);

/* The session is paused, or goes on. */
void observer_pause(struct observer *observer, bool paused, uint64_t now_ns);

/* The session is over: takes a last look at all threads, and notes the end in the files of processes that still run. No process
 * is observed any more. */
void observer_stop(struct observer *observer, uint64_t now_ns);

/* Whether many processes are started, as in a build: most of them are too short to be worth a turn of their own. */
bool observer_is_crowded(const struct observer *observer);

/* How many processes are observed. */
size_t observer_count(const struct observer *observer);

/* Disk space of the chunks that were supplied to them, and of SESSION/looks. */
uint64_t observer_held(const struct observer *observer);

#endif
