#include "capture/sampler/thread_clock.h"

#include "capture/core/sandbox.h"
#include "capture/sampler/sample_signal.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* By the system calls themselves: older C libraries have these functions in another library. */
int thread_clock_start(struct thread_clock *clock, pid_t tid, clockid_t cpu_clock, const void *mark, uint64_t period_ns)
{
    if (clock->is_set || sandbox_is_closed())
        return 0;
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
