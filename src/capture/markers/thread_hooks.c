/* What a thread says of itself, and lets its handler ask. */
#include "capture/markers/api_parts.h"
#include "capture/sampler/registry.h"

/* That a thread sleeps is seen from outside, and costs nothing: nobody has to be told. */

void thread_sleep(void)
{
}

void thread_wake(void)
{
}

/* The handler of this very thread may come between any two stores: the function is there only while its argument is. */

void thread_set_runtime(sonde_runtime_walk *walk, void *runtime)
{
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
    struct registration *mine = registration_mine();
    if (!mine)
        return;
    mine->hooks.event_delay = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    mine->hooks.loop = loop;
    atomic_signal_fence(memory_order_seq_cst);
    mine->hooks.event_delay = delay_ns;
}
