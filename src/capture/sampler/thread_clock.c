#include "capture/sampler/thread_clock.h"

#include "capture/core/sandbox.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where ticks are further apart than samples should be, the timer is to expire at every tick: a period near the interval would
 * leave out a tick that comes soon after a wait, and with it the code that runs first. It is a fraction of a tick, so that
 * overruns tell how many ticks there were. */
enum { PARTS_OF_TICK = 16 };

static uint64_t period_of(uint64_t interval_ns, uint64_t tick_ns)
{
    return interval_ns <= tick_ns ? tick_ns / PARTS_OF_TICK : interval_ns;
}

/* Rounded up: longer than 0, if ticks are known. */
static uint32_t in_parts_of_tick(uint64_t period_ns, uint64_t tick_ns)
{
    return tick_ns > 0 ? (uint32_t)((period_ns * PARTS_OF_TICK + tick_ns - 1) / tick_ns) : 0;
}

uint32_t thread_clock_ticks(const struct thread_clock *clock, int overrun)
{
    uint64_t period = atomic_load_explicit(&clock->period, memory_order_relaxed);
    if (period == 0 || overrun <= 0)
        return 1;
    uint64_t ticks = (((uint64_t)overrun + 1) * period + PARTS_OF_TICK / 2) / PARTS_OF_TICK;
    return ticks < 1 ? 1 : ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
}

/* By the system calls themselves: older C libraries have these functions in another library. */
int thread_clock_start(struct thread_clock *clock, pid_t tid, clockid_t cpu_clock, const void *mark, uint64_t interval_ns,
                       uint64_t tick_ns)
{
    if (clock->is_set || sandbox_is_closed())
        return 0;
    uint64_t period_ns = period_of(interval_ns, tick_ns);
    /* Relaxed: a signal that is still on its way may be counted by the new period. */
    atomic_store_explicit(&clock->period, in_parts_of_tick(period_ns, tick_ns), memory_order_relaxed);
    int saved_errno = errno, failed = 0;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                             .sigev_signo = SAMPLE_SIGNAL,
                             .sigev_value.sival_ptr = (void *)(uintptr_t)mark,
                             ._sigev_un._tid = tid};
    struct timespec period = {.tv_sec = (time_t)(period_ns / 1000000000u), .tv_nsec = (long)(period_ns % 1000000000u)};
    struct itimerspec setting = {.it_interval = period, .it_value = period};
    if (syscall(SYS_timer_create, cpu_clock, &event, &clock->timer) == 0) {
        clock->is_set = true;
        if (syscall(SYS_timer_settime, clock->timer, 0, &setting, NULL) != 0)
            thread_clock_stop(clock);
    }
    failed = clock->is_set ? 0 : -errno;
    errno = saved_errno;
    return failed;
}

void thread_clock_stop(struct thread_clock *clock)
{
    if (!clock->is_set || sandbox_is_closed())
        return;
    int saved_errno = errno;
    syscall(SYS_timer_delete, clock->timer);
    clock->is_set = false;
    errno = saved_errno;
}

void thread_clock_rest(const struct thread_clock *clock)
{
    static const struct itimerspec never;
    if (!clock->is_set || sandbox_is_closed())
        return;
    int saved_errno = errno;
    syscall(SYS_timer_settime, clock->timer, 0, &never, NULL);
    errno = saved_errno;
}
