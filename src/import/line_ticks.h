/* On which lines the samples of V8's nodes were. A CPU profile does not say it of each sample: a node says how many of its own
 * were on which line.
 *
 *     {"id": 5, …, "hitCount": 46, "positionTicks": [{"line": 12, "ticks": 3}, {"line": 13, "ticks": 41}, …]}
 *
 * So each line gets its share of the node's samples, spread evenly over them: sums over the whole profile are those of the
 * file, and those over a part of it are about right. */
#ifndef SONDE_IMPORT_LINE_TICKS_H
#define SONDE_IMPORT_LINE_TICKS_H

#include "common/vec.h"
#include "import/v8_samples.h"
#include "profile/profile.h"

struct line_tick {
    uint32_t line; /* from 1 on */
    uint32_t ticks;
};

/* The lines of a node. */
struct node_ticks {
    uint32_t node;         /* row */
    uint32_t first, count; /* of line_ticks.ticks */
    uint32_t hit_count;    /* what is more than the ticks was on no known line */
};

struct line_ticks {
    VEC(struct line_tick) ticks;
    VEC(struct node_ticks) nodes;
};

/* Gives each sample, in the order of time, its stack: `stack` is the row of its node, and `stack_of` the stacks of all
 * `node_count` nodes. Those on a known line get a stack of their own. False when the heap is empty. */
bool line_ticks_place(const struct line_ticks *ticks, struct profile *profile, const uint32_t *stack_of, size_t node_count,
                      struct v8_samples *samples);

void line_ticks_free(struct line_ticks *ticks);

#endif
