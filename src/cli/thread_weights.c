#include "cli/thread_weights.h"

#include <math.h>

int thread_weigh(const struct view *whole, struct thread_index thread, enum strategy strategy, bool blocks,
                 struct stack_weights *weights, struct error *error)
{
    struct row_selection selection = {
        .threads = &thread,
        .thread_count = 1,
        .range = {-INFINITY, INFINITY},
        .preview = {-INFINITY, INFINITY},
        .blocks = blocks,
    };
    *weights = (struct stack_weights){0};
    if (!strategy_is_of_thread(whole->profile, &whole->profile->threads.items[thread.i], strategy))
        return 0;
    return strategy_weigh(whole, &selection, strategy, weights, error);
}
