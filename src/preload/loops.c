/* Event loops: a thread that waits in one is at a place where a runtime can be asked for what it knows of its code. Threads
 * that a runtime makes for itself come there before they run anything (workers of Node). The real functions are called as the
 * last thing, so that there is no frame of ours while they wait. */
#include "preload/preload.h"

#include "capture/runtime/providers.h"

INTERPOSED int epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
    if (is_wanted())
        providers_ask();
    return REAL(epoll_wait)(fd, events, most, timeout);
}

INTERPOSED int epoll_pwait(int fd, struct epoll_event *events, int most, int timeout, const sigset_t *mask)
{
    if (is_wanted())
        providers_ask();
    return REAL(epoll_pwait)(fd, events, most, timeout, mask);
}
