/* A timer of its own for a thread that runs.
 *
 * To ask a thread on another CPU, that CPU has to be interrupted by the sampler's, which costs the two of them more than all
 * the rest of a sample. So a thread that runs is asked by a timer of the kernel, which raises our signal on the CPU that the
 * thread is on. The handler puts the stack into a ring; the sampler takes several out at once, and sleeps meanwhile if there is
 * nobody else to look at.
 *
 *     sampler, under the core lock                 the thread, in its handler
 *     own_timer_start()
 *     own_timer_oldest(), own_timer_taken()  ◀──   own_timer_room(), own_timer_filled(): once every interval
 *     own_timer_stop()                             own_timer_stop(): the signal found it waiting
 *
 * There are two kinds, for short and for long intervals:
 *
 *     by the clock       as often as one likes. It does not know whether the thread waits. But the first signal that finds it
 *                        waiting is the last one: a wait is interrupted once at most, and only after the thread has run
 *                        without a break for as long as it takes to get a timer.
 *     by the CPU time    the kernel looks at these only in its own ticks, while the thread runs: nothing is interrupted for
 *     of the thread      them, neither a CPU nor a wait (but one that begins in the very moment of the tick) */
#ifndef SONDE_CAPTURE_OWN_TIMER_H
#define SONDE_CAPTURE_OWN_TIMER_H

#include "capture/raw_stack.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

enum { OWN_TIMER_ROOM = 32, OWN_TIMER_ROOM_MOST = 256 };

enum timed_kind {
    TIMED_RUNS,    /* it was found running */
    TIMED_WAITS,   /* it is about to wait, and says so (announced_wait.h) … */
    TIMED_GOES_ON, /* … and that is over: no stack, only the time and the CPU time */
};

struct timed_sample {
    enum timed_kind kind;
    uint64_t held_ns;
    uint64_t cpu_ns; /* the thread's CPU clock; 0 = not read, because the timer goes by the clock … */
    long waits;      /* … else: how often it had given up its CPU by itself; -1 = not known */
    struct raw_stack raw;
};

struct own_timer_pace {
    bool by_cpu;
    uint64_t first; /* clock_now(); by the CPU time: how much of it from now on */
    uint64_t interval_ns;
};

/* Zero: there is none. */
struct own_timer {
    _Atomic int signal;             /* that it raises; 0 = it is off. Only under the core lock it is switched on */
    _Atomic bool is_being_set;      /* the sampler is about to start it: the thread settles (masks.h) before or after that */
    _Atomic uint32_t filled, taken; /* samples so far; they stand in ring[n % room] */
    _Atomic uint32_t lost;          /* there was no room, since the sampler asked last … */
    _Atomic uint32_t interrupted;   /* … and calls that ended with EINTR */
    struct timed_sample *ring;      /* mapped when first needed, and kept */
    uint32_t room;                  /* in it, a power of two */
    long waits;                     /* the handler's: how often the thread had waited when it last looked; -1: it did not */
    _Atomic bool by_cpu;            /* which kind it is. Relaxed: a signal of the other kind may be still to come anyway */
    int kernel_timers[2];           /* the kernel's numbers for it: see own_timer.c … */
    int made_for;                   /* … and their signal; 0 = they are not made */
    _Atomic uint64_t interval_ns;   /* as it was last set. Relaxed */

    /* The thread's alone. */
    _Atomic bool is_filling; /* it puts something into the ring: its handler must not get between */
    uint64_t last_wait;      /* the time of the last TIMED_WAITS */
    /* It has said that it waits, or was seen so: it is to say when that is over. Relaxed: once too often does no harm. */
    _Atomic bool is_to_go_on;
};

/* How many samples there is room for: of 25 ms, in which the sampler has got a CPU even on a busy machine, and 32 at least. */
uint32_t own_timer_samples(uint64_t interval_ns);

/* Raises `signal` with `value` on thread `tid`, as `pace` says, as soon as own_timer_arm() is called; `cpu_clock` is the
 * thread's. False where the kernel or a sandbox has none to give. */
bool own_timer_start(struct own_timer *timer, pid_t tid, clockid_t cpu_clock, int signal, const void *value,
                     const struct own_timer_pace *pace);
void own_timer_arm(struct own_timer *timer, const struct own_timer_pace *pace);

static inline bool own_timer_is_by_cpu(const struct own_timer *timer)
{
    return atomic_load_explicit(&timer->by_cpu, memory_order_relaxed);
}

/* One signal that was raised before may be still to come. */
void own_timer_stop(struct own_timer *timer);

static inline int own_timer_signal(const struct own_timer *timer)
{
    /* Acquire: whoever sees that it is on sees what was made for it. */
    return atomic_load_explicit(&timer->signal, memory_order_acquire);
}

/* The thread has ended, or nothing is recorded any more; or this is another process, whose kernel knows nothing of it. */
void own_timer_remove(struct own_timer *timer);
void own_timer_forked(struct own_timer *timer);

/* Whether the signal is from it; not from one that was removed. While nobody else starts it. */
bool own_timer_is(const struct own_timer *timer, const siginfo_t *info);

/* One that goes off once, by the clock, whatever the thread does. Zero: there is none. */
struct own_clock {
    int kernel_timer, made_for; /* and its signal; 0 = it is not made */
};

/* As own_timer_start(), so many nanoseconds from now; instead of what was set before. */
bool own_clock_set(struct own_clock *clock, pid_t tid, int signal, const void *value, uint64_t ns);
void own_clock_remove(struct own_clock *clock);

/* Whether the signal is from it. */
bool own_clock_is(const struct own_clock *clock, const siginfo_t *info);

/* In the handler, when a sample is taken; true if it came in a system call in which the thread may wait. Many calls do not: it
 * has not given up its CPU by itself since the sample before. */
bool own_timer_finds_waiting(struct own_timer *timer, bool in_call);

/* --- the ring: the handler fills, the sampler takes --- */

/* Where the next sample goes; NULL = there is no room, which is counted. */
struct timed_sample *own_timer_room(struct own_timer *timer);
void own_timer_filled(struct own_timer *timer);

/* How many there are, and the oldest, if there is one. */
uint32_t own_timer_count(const struct own_timer *timer);
const struct timed_sample *own_timer_oldest(const struct own_timer *timer);
void own_timer_take(struct own_timer *timer);

#endif
