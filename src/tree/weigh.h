/* The parts that strategy_weigh() is made of. Used inside src/tree/ only. */
#ifndef SONDE_TREE_WEIGH_H
#define SONDE_TREE_WEIGH_H

#include "tree/strategy.h"

/* The rows of a table that count. */
struct rows {
    size_t first, end;
    uint8_t *dropped; /* for each row of the table, by time filters; NULL = none is */
};

/* False where all times are taken, and nobody needs to read them. */
bool rows_need_times(const struct row_selection *selection);

/* `times` may be NULL where they are not needed. `rows->dropped` is to be given to memory_release() in any case. */
int rows_select(const struct row_selection *selection, const double *times, size_t count, struct rows *rows,
                struct error *error);

/* What a thread has for a strategy. */
bool thread_has(const struct profile *profile, const struct thread *thread, enum strategy strategy);

/* Add up in `weights`, which is zeroed and as long as `whole`. */
int weigh_samples(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                  struct stack_weights *weights, struct error *error);
int weigh_allocations(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                      struct stack_weights *weights, struct error *error);

#endif
