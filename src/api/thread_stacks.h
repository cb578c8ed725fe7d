/* The call nodes that a thread was on, sample by sample: what a stack chart is drawn from.
 *
 *     row       0  1  2  3  4        row 2 shares one level with row 1: A goes on, B ends there, and D begins
 *     depth 0   A  A  A     A
 *           1   B  B  D     D
 *     shared    0  2  1  0  0 */
#ifndef SONDE_API_THREAD_STACKS_H
#define SONDE_API_THREAD_STACKS_H

#include "tree/ancestors.h"
#include "tree/query.h"

struct thread_stacks {
    struct thread_index thread;
    size_t first, end; /* the rows of the committed range */
    uint32_t levels;   /* how deep these are */
    bool precede;      /* rows stand for the time before them (profile/sample_table.h) */
    double interval;   /* ms that the last row stands for, else */
    uint32_t *node;    /* of each row; INDEX_NONE = it has no stack, or is left out */
    uint32_t *shared;  /* of each row: levels that it has in common with the row before */
    double *time, *start;
};

/* `answer` is that of the selection, `ancestors` those of its call nodes. 0 or a negative errno. */
int thread_stacks_read(const struct view *whole, const struct answer *answer, const struct row_selection *selection,
                       const struct ancestors *ancestors, struct thread_index thread, struct thread_stacks *stacks,
                       struct error *error);
void thread_stacks_free(struct thread_stacks *stacks);
size_t thread_stacks_bytes(const struct thread_stacks *stacks, const struct profile *profile);

/* When what a row stands for begins … */
static inline double thread_stacks_begin(const struct thread_stacks *stacks, size_t row)
{
    return stacks->start[row];
}

/* … and ends. */
static inline double thread_stacks_finish(const struct thread_stacks *stacks, size_t row)
{
    if (stacks->precede)
        return stacks->time[row];
    return row + 1 < stacks->end ? stacks->time[row + 1] : stacks->time[row] + stacks->interval;
}

static inline uint32_t thread_stacks_levels(const struct thread_stacks *stacks, const struct call_node_table *nodes, size_t row)
{
    return stacks->node[row] == INDEX_NONE ? 0 : nodes->depth[stacks->node[row]] + 1;
}

#endif
