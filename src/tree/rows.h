/* Which rows of a table of samples or allocations count. */
#ifndef SONDE_TREE_ROWS_H
#define SONDE_TREE_ROWS_H

#include "tree/view.h"

struct row_selection {
    const struct thread_index *threads;
    size_t thread_count;
    struct time_range range, preview; /* -INFINITY and INFINITY for all; both hold */
    bool blocks;                      /* of allocations these are counted, not bytes */
    double younger_than;              /* ms: STRATEGY_NATIVE_TEMPORARY */
    bool with_variance;               /* of all sums, as if samples had come at random (uncertainty.h) */
    bool exclude_idle;                /* not the samples whose stack ends in the category "Idle" */
    const struct time_filter *times;  /* those of the view; NULL = none */
    const uint8_t *hidden_threads;    /* those of the view; NULL = none */
};

/* Whether rows of this thread count at all. */
static inline bool row_selection_has(const struct row_selection *selection, struct thread_index thread)
{
    return !selection->hidden_threads || !selection->hidden_threads[thread.i];
}

/* The rows of one table that are left. */
struct rows {
    size_t first, end;
    uint8_t *dropped; /* for each row of the table, by time filters; NULL = none is */
};

/* False where all times are taken, and nobody needs to read them. */
bool rows_need_times(const struct row_selection *selection);

/* `times` may be NULL where they are not needed. `rows->dropped` is to be given to memory_release() in any case. */
int rows_select(const struct row_selection *selection, const double *times, size_t count, struct rows *rows,
                struct error *error);

#endif
