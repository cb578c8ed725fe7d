#include "capture/sandbox.h"

#include "capture/alone.h"
#include "capture/follow.h"
#include "capture/registry.h"
#include "capture/sampler.h"

#include <errno.h>

_Atomic bool sandbox_closed;

void sandbox_close(void)
{
    int saved_errno = errno;
    follow_now();
    follow_not_alone();
    const struct core_locked *locked = core_lock();
    if (alone_is()) /* no thread can be made, and no timer be set any more */
        sampler_make_no_ticks(locked);
    alone_hand_over(locked);
    follow_without_sampler(locked);
    for (struct registration *thread = registry_first(locked); thread; thread = thread->next)
        own_timer_remove(&thread->timer);
    const struct capture_parts *parts = core_state(locked)->parts;
    if (parts)
        parts->shut_in();
    atomic_store_explicit(&sandbox_closed, true, memory_order_relaxed);
    core_unlock(locked);
    errno = saved_errno;
}
