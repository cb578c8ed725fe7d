#include "tree/weigh.h"

#include <errno.h>

int strategy_weigh(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                   struct stack_weights *weights, struct error *error)
{
    *weights = (struct stack_weights){0};
    if (!strategy_is_available(whole->profile, selection->threads, selection->thread_count, strategy))
        return error_set(error, -ENODATA, "strategy %s: the profile holds no such data for this thread",
                         strategy_names[strategy]);
    *weights = (struct stack_weights){
        .count = whole->count,
        .weight = memory_zeroed(whole->count, sizeof(double)),
        .rows = memory_zeroed(whole->count, sizeof(uint32_t)),
    };
    int status = 0;
    if (!weights->weight || !weights->rows)
        status = error_out_of_memory(error);
    else if (strategy_is_of_samples(strategy))
        status = weigh_samples(whole, selection, strategy, weights, error);
    else
        status = weigh_allocations(whole, selection, strategy, weights, error);
    if (status != 0)
        stack_weights_free(weights);
    return status;
}

void stack_weights_free(struct stack_weights *weights)
{
    memory_release(weights->weight);
    memory_release(weights->rows);
    *weights = (struct stack_weights){0};
}
