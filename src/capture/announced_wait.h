/* Waits whose end is announced.
 *
 * While nobody works the sampler wants to sleep through many ticks, and what it fears is that somebody begins to work meanwhile
 * (idle.h). A thread that waits for a child process comes through libsonde-preload, which can say when the wait is over: then
 * the sampler may sleep at once, and need not wake before.
 *
 *     the thread                                   the sampler
 *     announced_wait_begin()                       ends = announced_wait_ends()
 *     waits                                        looks at all threads: each waits in a call of this kind
 *     announced_wait_end(): there is one more,     announced_waits_rely(ends): there is none more since,
 *     and if anybody relies on it, calls him       and sleeps
 *
 * One of the two sees the other. A thread that takes samples by its CPU time says both moments itself (timed_say.h): then
 * nobody has to be called. */
#ifndef SONDE_CAPTURE_ANNOUNCED_WAIT_H
#define SONDE_CAPTURE_ANNOUNCED_WAIT_H

#include "capture/registration.h"

/* The calling thread is about to wait in a call that its frame at `frame` makes. A thread may leave the call by longjmp() and
 * never say so: who looks sees that it is elsewhere. */
void announced_wait_begin(const void *frame);
/* Keeps errno. */
void announced_wait_end(void);

/* The sampler: how many have ended so far. */
uint32_t announced_wait_ends(void);

/* From now on it is called (long_sleep_call_anybody()) when one ends. False if one has since there were `ends`. */
bool announced_waits_rely(uint32_t ends);
void announced_waits_rely_no_more(void);

/* The thread, which has not run since its last stack was taken, waits so. */
static inline bool announced_wait_is(const struct registration *thread)
{
    enum { NEAR_BYTES = 1024 };
    uint64_t frame = atomic_load_explicit(&thread->announced_at, memory_order_relaxed);
    const struct raw_stack *last = thread->sampled.last;
    return frame && last && last->native_count > 0 && frame - last->native[0].sp < NEAR_BYTES;
}

#endif
