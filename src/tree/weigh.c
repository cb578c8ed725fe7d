#include "tree/weigh.h"

#include "tree/size_class.h"

#include <errno.h>

static int weights_begin(const struct view *whole, const struct row_selection *selection, enum strategy strategy, size_t count,
                         struct stack_weights *weights, struct error *error)
{
    *weights = (struct stack_weights){0};
    if (!strategy_is_available(whole->profile, selection->threads, selection->thread_count, strategy))
        return error_set(error, -ENODATA, "strategy %s: the profile holds no such data for this thread",
                         strategy_names[strategy]);
    *weights = (struct stack_weights){
        .count = count,
        .weight = memory_zeroed(count, sizeof(double)),
        .rows = memory_zeroed(count, sizeof(uint32_t)),
    };
    return weights->weight && weights->rows ? 0 : error_out_of_memory(error);
}

int strategy_weigh(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                   struct stack_weights *weights, struct error *error)
{
    int status = weights_begin(whole, selection, strategy, whole->count, weights, error);
    if (status == 0 && strategy_is_of_samples(strategy))
        status = weigh_samples(whole, selection, strategy, weights, error);
    else if (status == 0)
        status = weigh_allocations(whole, selection, strategy, NULL, weights, error);
    if (status != 0)
        stack_weights_free(weights);
    return status;
}

int strategy_weigh_sizes(const struct view *whole, const struct view *view, const struct row_selection *selection,
                         enum strategy strategy, struct stack_weights *weights, struct error *error)
{
    *weights = (struct stack_weights){0};
    if (strategy_is_of_samples(strategy))
        return error_set(error, -EINVAL, "strategy %s: only allocations have sizes", strategy_names[strategy]);
    uint8_t *sized = memory_array((size_t)whole->count + 1, 1);
    int status = sized ? weights_begin(whole, selection, strategy, SIZE_CLASSES, weights, error) : error_out_of_memory(error);
    for (uint32_t stack = 0; stack < whole->count && status == 0; stack++)
        sized[stack] = view_sample_stack(view, stack) != INDEX_NONE;
    if (status == 0)
        status = weigh_allocations(whole, selection, strategy, sized, weights, error);
    memory_release(sized);
    if (status != 0)
        stack_weights_free(weights);
    return status;
}

void stack_weights_free(struct stack_weights *weights)
{
    memory_release(weights->weight);
    memory_release(weights->rows);
    memory_release(weights->uncertainty);
    *weights = (struct stack_weights){0};
}
