/* What a thread says of itself to the sampler, and lets it ask. */
#include "capture/api_parts.h"
#include "capture/follow.h"
#include "capture/registry.h"

void thread_sleep(void)
{
    struct registration *mine = registration_mine();
    if (mine)
        atomic_store_explicit(&mine->sleep, THREAD_SLEEPING_NOT_OBSERVED, memory_order_relaxed);
}

void thread_wake(void)
{
    struct registration *mine = registration_mine();
    if (mine)
        atomic_store_explicit(&mine->sleep, THREAD_AWAKE, memory_order_relaxed);
}

/* The handler of this very thread may come between any two stores: the function is there only while its argument is. */

void thread_set_runtime(sonde_runtime_walk *walk, void *runtime)
{
    follow_now();
    struct registration *mine = registration_mine();
    if (!mine)
        return;
    mine->hooks.walk = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    mine->hooks.runtime = runtime;
    atomic_signal_fence(memory_order_seq_cst);
    mine->hooks.walk = walk;
}

void thread_set_event_delay(uint64_t (*delay_ns)(void *loop), void *loop)
{
    follow_now();
    struct registration *mine = registration_mine();
    if (!mine)
        return;
    mine->hooks.event_delay = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    mine->hooks.loop = loop;
    atomic_signal_fence(memory_order_seq_cst);
    mine->hooks.event_delay = delay_ns;
}
