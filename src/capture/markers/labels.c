#include "stack/labels.h"

#include "capture/markers/api_parts.h"
#include "capture/markers/categories.h"
#include "capture/sampler/registry.h"

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

void label_pop(uint32_t depth)
{
    struct registration *mine = registration_mine();
    /* The thread may have been registered anew since, with fewer labels. */
    if (mine && depth < atomic_load_explicit(&mine->labels.depth, memory_order_relaxed))
        atomic_store_explicit(&mine->labels.depth, depth, memory_order_relaxed);
}
