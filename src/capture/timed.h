/* Threads that have timers of their own (own_timer.h): what the sampler does with their samples.
 *
 * They come between the ticks of the sampler, and several of them may wait for it. Each belongs to the tick before it:
 *
 *     ticks of the sampler      |         |         |         |
 *     it is awake               █                             █      it writes three ticks, and the samples after each
 *     samples of the thread          ▲         ▲         ▲
 *
 * A thread gets a timer when it was running at 64 looks, and hardly blocked in between. If its timer soon finds it waiting it
 * takes 128 the next time, and so on: only threads that compute for long have timers for long, and waits of others are not
 * interrupted.
 *
 * Nor does one that has ever waited for signals of the program (sigsuspend, ppoll with a mask …). A timer's signal that comes
 * at the very moment when such a wait has ended and the program's handler has returned cannot be told from one that ended the
 * wait, which would then be made again, for ever. (The sampler asks nobody whom it has not just seen waiting.)
 *
 * The CPU clock of the thread is read when the sampler is awake; in between it is taken to have run evenly, as such threads
 * do. All functions: under the core lock. */
#ifndef SONDE_CAPTURE_TIMED_H
#define SONDE_CAPTURE_TIMED_H

#include "capture/sample.h"

/* A thread that was running at this tick: whether it is time for a timer, and there is one. */
void timed_consider(struct sampling *sampling, struct registration *thread, const struct cpu_time *now);

/* The calling thread is about to wait for signals: it has no timer when this returns, and gets none any more. Without the lock,
 * also in a signal handler. */
void timed_refuse(void);

/* In every loop, and whenever ticks are written. First: */
void timed_read_clocks(struct sampling *sampling);

/* … then before each tick, whose time is `until`: writes the sample of the tick before. */
void timed_put(struct sampling *sampling, uint64_t until);

/* … and at last: threads whose handlers stopped their timers, because they wait, are asked again; and those that block the
 * signal. One that only has to share its CPU keeps its timer: the signal waits as it does. */
void timed_judge(struct sampling *sampling);

/* From now on all of them are asked at every so manieth tick. */
void timed_set_stride(struct sampling *sampling, uint64_t stride);

/* No thread has a timer from here on; what is not yet written is thrown away. */
void timed_stop(struct sampling *sampling);

#endif
