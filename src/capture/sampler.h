/* The sampler: a thread that looks at all others on an absolute schedule.
 *
 *     each loop:  TICK · counters · for each thread: CPU clock → same, from outside, or by signal → STACK?, SAMPLE
 *
 * For each thread, in this order:
 *   1. the CPU clock stands still since the last look (or the thread says it sleeps): it is as it was. Nothing is written.
 *   2. it is blocked in a system call: its stack is walked from outside (parts.look_at_blocked), without disturbing it.
 *   3. otherwise it gets a signal and walks its own stack in the handler (handler.h). All are asked in one loop, and what they
 *      answered is written in the next, before its TICK. A thread that does not answer though it ran blocks the signal: it is
 *      counted, and asked again less and less often.
 *
 * Schedule: start += interval. Still in the future: sleep until then, but at least a quarter of the interval. Past: give up
 * catching up, count the ticks that were missed, and start anew one interval from now.
 *
 * While nobody works it sleeps through several ticks at once (idle.h) and writes their TICKs, with the times at which they were
 * due, before the next loop. Until that has begun, other threads write in its name what comes between (sampler_put). */
#ifndef SONDE_CAPTURE_SAMPLER_H
#define SONDE_CAPTURE_SAMPLER_H

#include "capture/core.h"

struct sampler;

enum { SAMPLER_STACK_BYTES = 256 << 10 };

/* For the session that has just been set up: starts the thread, which waits for the core lock. Or `thread` is one that is there
 * already, and will call sampler_run() when the lock is free. While the process is alone (alone.h) there is none. */
struct sampler *sampler_start(const struct core_locked *locked, const pthread_t *thread, struct error *error);

/* One that has none gets its thread, which will call sampler_run(). With the lock. */
void sampler_give_thread(struct sampler *sampler, pthread_t thread);

/* What the thread does, until the session is over. */
void sampler_run(struct sampler *sampler);

/* Before that, with the lock: nobody has worked for long. Who waits is not disturbed by the first look. */
void sampler_begins_idle(struct sampler *sampler);

/* Somebody changes what the sampler does in a loop: before the change, if the sampler sleeps through several ticks, those that
 * have passed are written, and it is woken. */
void sampler_wake(const struct core_locked *locked);

/* A thread with a timer of its own is about to end: if the sampler sleeps, its samples up to now are written. */
void sampler_catch_up(const struct core_locked *locked);

/* One that has no thread, while the recording is paused: what has passed of the ticks is not written. */
void sampler_leave_out(const struct core_locked *locked);

/* One that has no thread, and will never have one: nobody writes ticks in its name from now on. */
void sampler_make_no_ticks(const struct core_locked *locked);

/* Appends an entry to the sampler's chunk (PAUSE …, COUNTER_SAMPLE). As kept_put(). */
bool sampler_put(const struct core_locked *locked, size_t max, size_t (*write)(uint8_t *out, size_t room, const void *entry),
                 const void *entry);

/* The session is about to end, and maybe the process with it: writes what is still under way, and gives the chunk back. The
 * sampler writes nothing more. */
void sampler_end(const struct core_locked *locked, struct sampler *sampler, bool for_good);

/* After the session's generation is over (core lock not held): waits for the thread to end, unless called by that thread
 * itself. */
void sampler_join(struct sampler *sampler);

/* The same at the end of the process. False: it may be calling the program, and has to be waited for. */
bool sampler_leave(struct sampler *sampler);

/* Running statistics for sonde_buffer_info(). */
void sampler_statistics(const struct core_locked *locked, const struct sampler *sampler, struct sonde_buffer_info *info);

/* In a forked child: forget it; the thread is not there. */
void sampler_forget(struct sampler *sampler);

#endif
