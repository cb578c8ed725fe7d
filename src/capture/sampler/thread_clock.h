/* The clock that interrupts a thread after each period of its own CPU time.
 *
 * A timer of the thread's CPU clock. The kernel looks at it in its own ticks, while the thread runs, and delivers the signal
 * when the thread is about to return to its own code: no wait is interrupted by it (since Linux 5.11, see docs/recording.md),
 * no descriptor is needed, and kernel time counts, too. It is 4 ms apart on most machines, and a program in step with the ticks
 * is shown wrongly: so where that is allowed, the recorder adds an event (looker/cpu_event.h), which is exact for user code;
 * then the timer's signals say where the kernel's time goes.
 *
 * fork and exec end timers. */
#ifndef SONDE_CAPTURE_SAMPLER_THREAD_CLOCK_H
#define SONDE_CAPTURE_SAMPLER_THREAD_CLOCK_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* The signal that samples threads: see handler.h. */
enum { SAMPLE_SIGNAL = SIGPROF };
/* Comes with the signals of our timers. */
extern const char sample_signal_mark;

struct thread_clock {
    bool is_set;
    int timer;               /* the kernel's number for it */
    _Atomic uint32_t period; /* in parts of a tick, which its handler asks for; 0 = ticks are not known */
};

/* For a thread of this process, about once in `interval_ns` of its CPU time; the kernel's ticks are `tick_ns` apart (0 = not
 * known). `mark` comes with each signal. Not in a handler: makes system calls. 0 or a negative errno: -EAGAIN where the user
 * has no signal left to queue (RLIMIT_SIGPENDING). */
int thread_clock_start(struct thread_clock *clock, pid_t tid, clockid_t cpu_clock, const void *mark, uint64_t interval_ns,
                       uint64_t tick_ns);
void thread_clock_stop(struct thread_clock *clock);

/* How many ticks a signal stands for, which says that its timer has expired `overrun` times more than once (si_overrun): one,
 * but for a signal that comes at the end of a long system call. Also in a handler. */
uint32_t thread_clock_ticks(const struct thread_clock *clock, int overrun);

/* It comes no more, until it is started anew. Also in the thread's own handler. */
void thread_clock_rest(const struct thread_clock *clock);

/* In a forked child, where it is not. */
static inline void thread_clock_forked(struct thread_clock *clock)
{
    clock->is_set = false;
}

#endif
