/* Threads that have timers of their own (own_timer.h): what the sampler does with their samples.
 *
 * They come between the ticks of the sampler, and several of them may wait for it. Each belongs to the tick before it:
 *
 *     ticks of the sampler      |         |         |         |
 *     it is awake               █                             █      it writes three ticks, and the samples after each
 *     samples of the thread          ▲         ▲         ▲
 *
 * By the clock: a thread gets a timer when it was running at 64 looks, and hardly blocked in between. If its timer soon finds
 * it waiting it takes 128 the next time, and so on: only threads that compute for long have timers for long, and waits of
 * others are not interrupted. The CPU clock of the thread is read when the sampler is awake; in between it is taken to have run
 * evenly, as such threads do.
 *
 * By its CPU time, where threads are looked at no more often than the kernel ticks (thrift.h): a thread gets a timer at its
 * first look, if it runs or waits for a child, and keeps it until it may have waited for something else: its handler reads how
 * often it has waited (getrusage), and one that has, or that took no sample since the sampler was last awake, is looked at
 * as all others are, and gets its timer again. Each sample has the CPU time with it; from one to the next it ran evenly.
 *
 * No thread gets one that has ever waited for signals of the program (sigsuspend, ppoll with a mask …). A timer's signal that
 * comes at the very moment when such a wait has ended and the program's handler has returned cannot be told from one that ended
 * the wait, which would then be made again, for ever. (The sampler asks nobody whom it has not just seen waiting.)
 *
 * All functions: under the core lock. */
#ifndef SONDE_CAPTURE_TIMED_H
#define SONDE_CAPTURE_TIMED_H

#include "capture/sample.h"

/* A thread that was running at this tick: whether it is time for a timer, and there is one. The second: one that was waiting.
 * Afterwards the thread is `timed`, or not. */
void timed_consider(struct sampling *sampling, struct registration *thread, const struct cpu_time *now);
void timed_consider_waiting(struct sampling *sampling, struct registration *thread, const struct cpu_time *now);

/* The thread has a timer by its CPU time, and maybe samples, from before this session: it goes on with them. */
void timed_adopt(struct sampling *sampling, struct registration *thread);

/* There is a stack of the thread that is not from its timer. It may show that it waits. */
void timed_note_stack(struct registration *thread);

/* The calling thread is about to wait for signals: it has no timer when this returns, and gets none any more. Without the lock,
 * also in a signal handler. */
void timed_refuse(void);

/* In every loop, and whenever ticks are written. First: */
void timed_read_clocks(struct sampling *sampling);

/* … then before each tick, whose time is `until`: writes the sample of the tick before. */
void timed_put(struct sampling *sampling, uint64_t until);

/* … and at last: threads whose handlers stopped their timers, because they wait, are asked again; those that may have waited;
 * and those that block the signal. One that only has to share its CPU keeps its timer: the signal waits as it does. */
void timed_judge(struct sampling *sampling);

/* From now on all of them are asked at every so manieth tick. */
void timed_set_stride(struct sampling *sampling, uint64_t stride);

/* No thread has a timer from here on; what is not yet written is thrown away. */
void timed_stop(struct sampling *sampling);

#endif
