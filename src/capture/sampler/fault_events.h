/* Events of a thread's page faults (perf_event_open), for `sonde record --page-faults`: after each period the thread is
 * interrupted behind a fault of its own code, and its handler takes a sample.
 *
 * They are opened by the process itself, when a thread registers, so that none of its faults is missed. No descriptor stays: a
 * mapped page of the event keeps it alive, which the kernel does not give to children and takes away with the program (exec).
 * It counts as memory that is locked: kernel.perf_event_mlock_kb, and RLIMIT_MEMLOCK above that. */
#ifndef SONDE_CAPTURE_SAMPLER_FAULT_EVENTS_H
#define SONDE_CAPTURE_SAMPLER_FAULT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { FAULT_EVENTS = 2 }; /* faults that need no disk, and those that do */

struct fault_events {
    void *kept[FAULT_EVENTS]; /* a page of each; NULL = none */
};

/* When libsonde-preload begins: SONDE_PAGE_FAULTS, the faults from sample to sample; NULL = they are not wanted. */
void fault_events_want(const char *period);
/* 0 = they are not wanted. */
uint32_t fault_events_period(void);

/* For a thread of this process that has none. Not in a handler. 0 or a negative errno; then it has none, either. */
int fault_events_open(struct fault_events *events, pid_t tid);
void fault_events_close(struct fault_events *events);

/* In a forked child, where they are not. */
static inline void fault_events_forked(struct fault_events *events)
{
    events->kept[0] = events->kept[1] = (void *)0;
}

#endif
