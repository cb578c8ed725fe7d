#include "cli/folded_weights.h"

#include "cli/thread_weights.h"

/* Of times microseconds, since readers of the format want whole numbers; what is freed is below zero elsewhere. */
static double factor_of(enum strategy strategy, enum weight_type type)
{
    bool is_freed = strategy == STRATEGY_NATIVE_DEALLOCATIONS_MEMORY || strategy == STRATEGY_NATIVE_DEALLOCATIONS_SITES;
    return is_freed ? -1 : type == WEIGHT_TRACING_MS ? 1000 : 1;
}

static int weigh(void *data, struct thread_index thread, double *values, struct error *error)
{
    const struct folded_counted *counted = data;
    struct stack_weights weights;
    int status = thread_weigh(&counted->whole, thread, counted->strategy, false, &weights, error);
    double factor = factor_of(counted->strategy, weights.type);
    for (size_t i = 0; i < weights.count; i++)
        values[i] += weights.weight[i] * factor;
    stack_weights_free(&weights);
    return status;
}

int folded_counted_init(struct folded_counted *counted, const struct profile *profile, enum strategy strategy,
                        struct error *error)
{
    *counted = (struct folded_counted){.weights = {weigh, counted}, .strategy = strategy};
    return view_open(profile, &counted->whole, error);
}

void folded_counted_free(struct folded_counted *counted)
{
    view_free(&counted->whole);
}
