#include "capture/announced_wait.h"

#include "capture/alone.h"
#include "capture/follow.h"
#include "capture/long_sleep.h"
#include "capture/registry.h"
#include "capture/timed_say.h"

/* All sequentially consistent: see the header. */
static _Atomic uint32_t ends;
static _Atomic bool relied_on;

void announced_wait_begin(const void *frame)
{
    struct registration *thread = registration_mine();
    if (!thread)
        return;
    atomic_store_explicit(&thread->announced_at, (uintptr_t)frame, memory_order_relaxed);
    if (alone_has_enough(thread))
        follow_not_alone();
    if (alone_has_seen())
        timed_say_wait(thread);
}

void announced_wait_end(void)
{
    struct registration *thread = registration_mine();
    if (!thread)
        return;
    atomic_store_explicit(&thread->announced_at, 0, memory_order_relaxed);
    timed_say_goes_on(thread);
    atomic_fetch_add(&ends, 1);
    if (atomic_load(&relied_on))
        long_sleep_call_anybody();
}

uint32_t announced_wait_ends(void)
{
    return atomic_load(&ends);
}

bool announced_waits_rely(uint32_t seen)
{
    atomic_store(&relied_on, true);
    bool may = atomic_load(&ends) == seen;
    if (!may)
        announced_waits_rely_no_more();
    return may;
}

void announced_waits_rely_no_more(void)
{
    atomic_store(&relied_on, false);
}
