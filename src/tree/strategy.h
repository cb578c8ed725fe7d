/* What is counted: samples, CPU time or bytes, added up for each stack of the profile.
 *
 * This, and sample_stacks.h, is where samples and allocations are looked at one by one; everything after it works on stacks. */
#ifndef SONDE_TREE_STRATEGY_H
#define SONDE_TREE_STRATEGY_H

#include "tree/view.h"

enum strategy {
    STRATEGY_TIMING,
    STRATEGY_CPU,
    STRATEGY_JS_ALLOCATIONS,
    STRATEGY_NATIVE_ALLOCATIONS,
    STRATEGY_NATIVE_RETAINED,
    STRATEGY_NATIVE_DEALLOCATIONS_MEMORY,
    STRATEGY_NATIVE_DEALLOCATIONS_SITES,
    STRATEGIES
};

/* "timing", "cpu", "js-allocations", …; NULL after the last. */
extern const char *const strategy_names[STRATEGIES + 1];
bool strategy_parse(struct slice name, enum strategy *strategy);

/* Which rows count. */
struct row_selection {
    const struct thread_index *threads;
    size_t thread_count;
    struct time_range range, preview; /* -INFINITY and INFINITY for all; both hold */
    bool exclude_idle;                /* not the samples whose stack ends in the category "Idle" */
    const struct time_filter *times;  /* those of the view; NULL = none */
};

struct stack_weights {
    size_t count;   /* stacks of the profile */
    double *weight; /* for each stack of the profile */
    uint32_t *rows; /* how many samples or allocations made it up */
    enum weight_type type;
};

/* False where none of the threads has what the strategy counts. */
bool strategy_is_available(const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                           enum strategy strategy);

/* `whole` is the view of the profile as it is. -ENODATA where the strategy is not available. `weights` needs no initialisation;
 * on failure it is empty. */
int strategy_weigh(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                   struct stack_weights *weights, struct error *error);
void stack_weights_free(struct stack_weights *weights);

#endif
