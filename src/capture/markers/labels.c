#include "capture/markers/labels.h"

#include "capture/markers/categories.h"
#include "capture/sampler/registry.h"
#include "stack/labels.h"

/* --- labels ------------------------------------------------------------------------------------------------------------ */

/* Without a registration nothing is pushed. */
uint32_t label_push(const char *label, const char *dynamic, const void *stack_address, sonde_category category, unsigned flags)
{
    struct registration *mine = registration_mine();
    if (!mine)
        return SONDE_LABEL_NONE;
    if (flags & SONDE_LABEL_FROM_CATEGORY)
        label = category_label(category);
    struct label_stack *stack = &mine->labels;
    uint32_t depth = atomic_load_explicit(&stack->depth, memory_order_relaxed);
    if (depth < LABEL_STACK_ROOM)
        label_frame_store(&stack->frames[depth], (struct label_frame){label, dynamic, stack_address, category, flags});
    /* For this thread's own signal handler: filled in first, then counted. */
    atomic_signal_fence(memory_order_release);
    atomic_store_explicit(&stack->depth, depth + 1, memory_order_relaxed);
    return depth;
}

uint32_t label_push_own(const void *stack_address)
{
    return label_push("(profiler start)", NULL, stack_address, SONDE_CATEGORY_PROFILER, 0);
}

void label_pop(uint32_t depth)
{
    struct registration *mine = registration_mine();
    /* The thread may have been registered anew since, with fewer labels. */
    if (mine && depth < atomic_load_explicit(&mine->labels.depth, memory_order_relaxed))
        atomic_store_explicit(&mine->labels.depth, depth, memory_order_relaxed);
}

/* --- what the handler asks --------------------------------------------------------------------------------------------- */

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
