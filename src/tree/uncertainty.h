/* How certain a sum of sampled allocations is.
 *
 * A sampled block of s bytes stands for w bytes: it was taken with p = s / w. The variance of a sum of such w is estimated
 * without bias by the sum of w (w - s); of a sum of the blocks that they stand for, n = w / s each, by that of n (n - 1).
 * Blocks that stand for themselves add nothing.
 *
 * A sample of a clock is taken with a small p: the variance of a sum of their weights w is the sum of w * w, as long as not all
 * of the samples belong to the sum. */
#ifndef SONDE_TREE_UNCERTAINTY_H
#define SONDE_TREE_UNCERTAINTY_H

#include <math.h>
#include <stdbool.h>

struct uncertainty {
    double variance;
    double sampled; /* blocks that stand for others, too */
};

static inline void uncertainty_add(struct uncertainty *sum, struct uncertainty more)
{
    sum->variance += more.variance;
    sum->sampled += more.sampled;
}

static inline void uncertainty_take(struct uncertainty *sum, struct uncertainty less)
{
    sum->variance -= less.variance;
    sum->sampled -= less.sampled;
}

/* Two standard errors: the truth is so far off, or less, about 95 times in 100. */
static inline double uncertainty_error(struct uncertainty of)
{
    return of.variance > 0 ? 2 * sqrt(of.variance) : 0;
}

/* Too few to say how far off the sum may be. */
static inline bool uncertainty_is_few(struct uncertainty of)
{
    return of.sampled > 0 && of.sampled < 3;
}

#endif
