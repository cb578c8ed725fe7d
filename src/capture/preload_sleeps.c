/* Waits for a time, or for something but only for a time: one that was interrupted and made again would take longer. A thread
 * that is alone (alone.h) might be; so it is not any more. */
#include "capture/preload.h"

#include "capture/preload_late.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

static void sleeps(bool for_some_time)
{
    if (base && for_some_time)
        base->sleeping();
}

INTERPOSED int nanosleep(const struct timespec *time, struct timespec *left)
{
    sleeps(true);
    return LATE(nanosleep)(time, left);
}

INTERPOSED int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    sleeps(true);
    return LATE(clock_nanosleep)(clock, flags, time, left);
}

INTERPOSED unsigned sleep(unsigned seconds)
{
    sleeps(true);
    return LATE(sleep)(seconds);
}

INTERPOSED int usleep(useconds_t microseconds)
{
    sleeps(true);
    return LATE(usleep)(microseconds);
}

INTERPOSED int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    sleeps(true);
    return LATE(thrd_sleep)(time, left);
}

INTERPOSED int poll(struct pollfd *files, nfds_t count, int timeout)
{
    sleeps(timeout > 0);
    return LATE(poll)(files, count, timeout);
}

/* What poll() is in programs that are compiled with _FORTIFY_SOURCE. */
int __poll_chk(struct pollfd *files, nfds_t count, int timeout, size_t room);
INTERPOSED int __poll_chk(struct pollfd *files, nfds_t count, int timeout, size_t room)
{
    sleeps(timeout > 0);
    return LATE(__poll_chk)(files, count, timeout, room);
}

INTERPOSED int select(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *timeout)
{
    sleeps(timeout && (timeout->tv_sec > 0 || timeout->tv_usec > 0));
    return LATE(select)(count, in, out, except, timeout);
}

INTERPOSED int epoll_wait(int fd, struct epoll_event *events, int count, int timeout)
{
    sleeps(timeout > 0);
    return LATE(epoll_wait)(fd, events, count, timeout);
}
