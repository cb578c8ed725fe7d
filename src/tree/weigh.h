/* What a strategy counts, added up for each stack of the profile.
 *
 * This, and sample_stacks.h, is where samples and allocations are looked at one by one; everything after it works on stacks. */
#ifndef SONDE_TREE_WEIGH_H
#define SONDE_TREE_WEIGH_H

#include "tree/row_class.h"
#include "tree/rows.h"
#include "tree/strategy.h"
#include "tree/uncertainty.h"
#include "tree/view.h"

struct stack_weights {
    size_t count;                    /* stacks of the profile */
    double *weight;                  /* for each stack of the profile */
    uint32_t *rows;                  /* how many samples or allocations made it up */
    struct uncertainty *uncertainty; /* NULL: the weights are exact, or nobody asked how exact */
    enum weight_type type;
};

/* `whole` is the view of the profile as it is. -ENODATA where the strategy is not available. `weights` needs no initialisation;
 * on failure it is empty. */
int strategy_weigh(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                   struct stack_weights *weights, struct error *error);

/* The same for each class of rows, of what ends up in the view. -EINVAL for the sizes of samples. */
int strategy_weigh_classes(const struct view *whole, const struct view *view, const struct row_selection *selection,
                           enum strategy strategy, enum grouping by, struct stack_weights *weights, struct error *error);
void stack_weights_free(struct stack_weights *weights);

/* The two parts that strategy_weigh() is made of: they add up in `weights`, which is zeroed and as long as `whole`; or with
 * `classes` as long as there are classes. */
int weigh_samples(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                  struct stack_weights *weights, struct error *error);
int weigh_allocations(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                      const struct row_classes *classes, struct stack_weights *weights, struct error *error);

#endif
