#include "tree/weigh.h"

#include <errno.h>

static int weights_begin(const struct view *whole, const struct row_selection *selection, enum strategy strategy, size_t count,
                         struct stack_weights *weights, struct error *error)
{
    *weights = (struct stack_weights){0};
    if (!strategy_is_available(whole->profile, selection->threads, selection->thread_count, strategy))
        return error_set(error, -ENODATA, "strategy %s: the profile holds no such data for this thread%s",
                         strategy_names[strategy],
                         strategy_is_of_samples(strategy) || strategy == STRATEGY_JS_ALLOCATIONS
                             ? ""
                             : " ('sonde record --allocations' records it)");
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

/* Of one thread after the other: what of its samples ends up in the view. */
static int weigh_samples_by_thread(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                                   const uint8_t *counted, struct stack_weights *weights, struct error *error)
{
    int status = 0;
    for (size_t i = 0; i < selection->thread_count && status == 0; i++) {
        struct row_selection single = *selection;
        struct stack_weights of;
        single.threads = &selection->threads[i];
        single.thread_count = 1;
        if (!strategy_is_available(whole->profile, single.threads, 1, strategy))
            continue;
        status = strategy_weigh(whole, &single, strategy, &of, error);
        uint32_t thread = single.threads->i;
        for (size_t stack = 0; stack < of.count && status == 0; stack++) {
            if (!counted[stack])
                continue;
            weights->weight[thread] += of.weight[stack];
            weights->rows[thread] += of.rows[stack];
            if (of.uncertainty && weights->uncertainty)
                uncertainty_add(&weights->uncertainty[thread], of.uncertainty[stack]);
        }
        weights->type = of.type;
        stack_weights_free(&of);
    }
    return status;
}

int strategy_weigh_classes(const struct view *whole, const struct view *view, const struct row_selection *selection,
                           enum strategy strategy, enum grouping by, struct stack_weights *weights, struct error *error)
{
    *weights = (struct stack_weights){0};
    bool of_samples = strategy_is_of_samples(strategy);
    if ((of_samples || strategy == STRATEGY_PAGE_FAULTS) && by == GROUP_SIZE)
        return error_set(error, -EINVAL, "strategy %s: only allocations have sizes", strategy_names[strategy]);
    uint8_t *counted = memory_array((size_t)whole->count + 1, 1);
    size_t count = row_class_count(whole->profile, by);
    int status = counted ? weights_begin(whole, selection, strategy, count, weights, error) : error_out_of_memory(error);
    for (uint32_t stack = 0; stack < whole->count && status == 0; stack++)
        counted[stack] = view_sample_stack(view, stack) != INDEX_NONE;
    if (status == 0 && of_samples && selection->with_variance) {
        weights->uncertainty = memory_zeroed(count, sizeof *weights->uncertainty);
        status = weights->uncertainty ? 0 : error_out_of_memory(error);
    }
    if (status == 0 && of_samples)
        status = weigh_samples_by_thread(whole, selection, strategy, counted, weights, error);
    else if (status == 0)
        status = weigh_allocations(whole, selection, strategy, &(struct row_classes){by, counted}, weights, error);
    memory_release(counted);
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
