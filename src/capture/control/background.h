/* The background thread of a program that records itself. In each loop:
 *
 *     chunks for samples (supply.h) · looks at threads that wait (looker) · modules · counters · what the program asked for
 *
 * Under `sonde record` there is none: the recorder does the first two from outside. Only for what cannot be done from there it
 * is made all the same: counters that the program gives or that were asked for (features), calls and dumps that the program
 * wants.
 *
 * It also writes what belongs to no thread: counters, pauses, looks. Where there is no such thread (the recorder does it),
 * those are written by whoever calls. */
#ifndef SONDE_CAPTURE_CONTROL_BACKGROUND_H
#define SONDE_CAPTURE_CONTROL_BACKGROUND_H

#include "capture/core/core.h"

struct background;

/* For the session that has just been set up: makes the thread, which waits for the core lock. NULL with `error` filled. */
struct background *background_start(const struct core_locked *locked, struct error *error);

/* What else it does, for the life cycle: at the end of each loop, without locks; and the next moment at which there is
 * something to do, under the core lock. Set once, before any session. */
extern void (*background_after_loop)(uint64_t generation);
extern uint64_t (*background_deadline)(const struct core_locked *locked);

/* Makes it where there is none yet: for what only it can do. */
void background_need(const struct core_locked *locked);

/* Whether these features need it. */
bool background_is_for(uint64_t features);

/* Somebody has changed what it does: it looks at once. */
void background_wake(const struct core_locked *locked);

/* After the session's generation is over (core lock not held): waits for the thread to end, unless called by that thread
 * itself. */
void background_join(struct background *background);

/* The program is about to forbid all its threads system calls, and this one could not even end any more (core lock not held):
 * the session goes on without it. False: there is none. */
bool background_end(void);

/* The parts of libsonde (parts.h) begin and end with the session, but not while a background thread is at work in one of them
 * without the lock, in after_loop(): then that thread does it when it has finished. NULL = there are none. */
void background_begin_parts(const struct core_locked *locked, const struct capture_parts *parts, uint64_t features,
                            uint64_t now_ns);
void background_end_parts(const struct core_locked *locked, const struct capture_parts *parts);

/* In a forked child: the thread is not there. */
void background_forget(struct background *background);

#endif
