/* A process whose one thread looks at itself: no thread of ours is there.
 *
 * A second thread costs a program that had one more than its own making: the C library takes locks from then on, in every
 * malloc(). Compilers live for a tenth of a second, and pay for it in full. So a brief process (brief.h) has no thread of ours
 * at first, but a timer of its CPU time (own_timer.h), whose handler puts stacks into the timer's ring:
 *
 *     alone ──┬── there are 4 stacks, or it ends, or ───▶ a session begins, if there is none, and they are written, as if a
 *             │   becomes another program                 sampler were there, and had slept
 *             ├── a marker, a call, a thread ───────────▶ a session begins, with a sampler
 *             └── there were 12 stacks (0.2 s), or it ──▶ the same, by a thread that the handler makes
 *                 has not run for 96 ms, or not yet had its
 *                 first stack after a quarter of a second
 *
 * For the last one there is a second timer, by the clock. It interrupts a wait once, and if no thread can be made there not
 * again before the process has run. Calls that wait for a time would be made again from their beginning (call_again.h): before
 * those the thread is made by who calls them (preload_sleeps.c).
 *
 * In a signal handler a thread can be made only if the program is not just in what that needs, above all the allocator: the
 * stack says so (parts.h, may_make_thread). If not, the next signal tries again. To begin a session takes no such thing, but
 * much stack: this handler has its own. */
#ifndef SONDE_CAPTURE_ALONE_H
#define SONDE_CAPTURE_ALONE_H

#include "capture/core.h"
#include "capture/settings.h"

#include <signal.h>
#include <stdatomic.h>

enum alone { ALONE_NOT, ALONE_UNSEEN /* no signal has come yet */, ALONE_SEEN };
extern _Atomic int alone_state; /* enum alone; written under the core lock. Relaxed: who acts on it looks again with the lock */

static inline bool alone_is(void)
{
    return atomic_load_explicit(&alone_state, memory_order_relaxed) != ALONE_NOT;
}

/* Whether it has seen itself, and can take a stack at little cost. True where nobody is alone. */
static inline bool alone_has_seen(void)
{
    return atomic_load_explicit(&alone_state, memory_order_relaxed) != ALONE_UNSEEN;
}

/* The calling thread, the only one, looks at itself from now on, first when it has used `first_ns` of CPU time. False where it
 * cannot. */
bool alone_begin(const struct core_locked *locked, const struct settings *settings, uint64_t first_ns);

/* There is a sampler, which looks at it from now on. Its timer goes on if it has stacks; they are the session's. */
void alone_hand_over(const struct core_locked *locked);

/* There is none, and will be none. */
void alone_drop(const struct core_locked *locked);

/* This thread ends, and its timer with it. True if it was alone. */
bool alone_thread_ends(const struct core_locked *locked, const struct registration *thread);

/* Whether there are stacks that are not written; also where it was handed over, to a sampler that has not begun. */
bool alone_has_stacks(const struct core_locked *locked);

/* Whether there have been so many that a thread should be made. Without the lock, by the thread itself. */
bool alone_has_enough(const struct registration *thread);

/* It should be made as soon as that can be done. */
void alone_hurry(const struct core_locked *locked);

/* It is about to wait for a time, and no thread can be made here: that is not interrupted. */
void alone_bear_wait(const struct core_locked *locked);

/* Whether a thread can be made where the calling thread stands. */
bool alone_may_make_thread(const struct core_locked *locked);

/* The program is about to be replaced, or that has failed: meanwhile no signal comes. */
void alone_hold(const struct core_locked *locked, bool hold);

/* In a forked child, which has no timers. */
void alone_forked(void);

/* In the handler of `thread`, the main one: a signal of one of the timers. */
void alone_hear(struct registration *thread, const siginfo_t *info, void *context);

/* The number of our signal changes, or has changed; in the handler, too. A thread has to be made soon, to leave the old one. */
void alone_change_number(const struct core_locked *locked);

#endif
