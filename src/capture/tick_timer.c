#include "capture/tick_timer.h"

#include "capture/clock.h"
#include "session/descriptor.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
    LEAST_DESCRIPTOR = 256, /* lower ones are the program's */
    REGULAR = 4,            /* ticks until the timers begin */
};

static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

/* Not set yet, but with its period, by which it is known later. */
static int open_timer(uint64_t interval_ns)
{
    struct itimerspec later = {.it_interval = timespec_of(2 * interval_ns)};
    int fd = descriptor_move_up(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
    if (fd < 0 || (fd >= LEAST_DESCRIPTOR && timerfd_settime(fd, 0, &later, NULL) == 0))
        return fd;
    close(fd);
    return -1;
}

void tick_timer_begin(struct tick_timer *timer, uint64_t interval_ns)
{
    int saved_errno = errno;
    *timer = (struct tick_timer){.fd = {open_timer(interval_ns), open_timer(interval_ns)}, .interval_ns = interval_ns};
    errno = saved_errno;
}

/* The program may have closed it, and have another file of that number by now. Another timer of just this period, at this
 * number: that will not be. */
static bool is_ours(const struct tick_timer *timer, unsigned which)
{
    struct itimerspec found;
    struct timespec period = timespec_of(2 * timer->interval_ns);
    return timer->fd[which] >= 0 && timerfd_gettime(timer->fd[which], &found) == 0 &&
           found.it_interval.tv_sec == period.tv_sec && found.it_interval.tv_nsec == period.tv_nsec;
}

void tick_timer_end(struct tick_timer *timer)
{
    int saved_errno = errno;
    for (unsigned i = 0; i < 2; i++) {
        if (is_ours(timer, i))
            close(timer->fd[i]);
        timer->fd[i] = -1;
    }
    errno = saved_errno;
}

static bool set(struct tick_timer *timer, unsigned which, uint64_t time)
{
    struct itimerspec wanted = {timespec_of(2 * timer->interval_ns), timespec_of(clock_origin + time)};
    if (timer->due[which] == time)
        return true;
    if (!is_ours(timer, which) || timerfd_settime(timer->fd[which], TFD_TIMER_ABSTIME, &wanted, NULL) != 0)
        return false;
    timer->due[which] = time;
    return true;
}

static bool sleep_by_timers(struct tick_timer *timer, uint64_t time)
{
    unsigned which = timer->due[1] == time;
    uint64_t periods = 0;
    if (!set(timer, which, time) || !set(timer, !which, time + timer->interval_ns) || !is_ours(timer, which))
        return false;
    ssize_t got;
    do
        got = read(timer->fd[which], &periods, sizeof periods);
    while (got < 0 && errno == EINTR);
    /* Reading sets it anew. */
    timer->due[which] += periods * 2 * timer->interval_ns;
    return got == sizeof periods;
}

/* In programs that may make few system calls: whoever has threads may do this. Else the sampler would never sleep. */
static void sleep_by_futex(uint64_t time)
{
    uint32_t word = 0;
    for (uint64_t now = clock_now(); now < time; now = clock_now()) {
        struct timespec left = timespec_of(time - now);
        if (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &left, NULL, 0) < 0 && errno != ETIMEDOUT && errno != EINTR)
            return;
    }
}

void tick_timer_sleep(struct tick_timer *timer, uint64_t time)
{
    timer->regular = time - timer->last == timer->interval_ns ? timer->regular + 1 : 0;
    timer->last = time;
    if (timer->regular >= REGULAR && timer->fd[0] >= 0 && timer->fd[1] >= 0) {
        if (sleep_by_timers(timer, time))
            return;
        tick_timer_end(timer);
    }
    struct timespec until = timespec_of(clock_origin + time);
    int failed;
    do
        failed = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    while (failed == EINTR);
    if (failed)
        sleep_by_futex(time);
}
