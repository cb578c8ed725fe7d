#include "capture/sandbox.h"

#include "capture/core.h"
#include "capture/follow.h"
#include "capture/registry.h"

#include <errno.h>

_Atomic bool sandbox_closed;

void sandbox_close(void)
{
    int saved_errno = errno;
    follow_now();
    const struct core_locked *locked = core_lock();
    for (struct registration *thread = registry_first(locked); thread; thread = thread->next)
        own_timer_remove(&thread->timer);
    const struct capture_parts *parts = core_state(locked)->parts;
    if (parts)
        parts->shut_in();
    atomic_store_explicit(&sandbox_closed, true, memory_order_relaxed);
    core_unlock(locked);
    errno = saved_errno;
}
