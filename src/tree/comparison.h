/* Two programs, or two builds of one, side by side: what each function took in either, and whether the difference is more than
 * chance explains.
 *
 *     noise of a sum = its samples came at random (uncertainty.h) + no two runs of a program are alike
 *
 * How unlike two runs are cannot be seen in one recording of each: `noise` says it, or several recordings of a side do. */
#ifndef SONDE_TREE_COMPARISON_H
#define SONDE_TREE_COMPARISON_H

#include "tree/change.h"
#include "tree/func_keys.h"
#include "tree/query.h"

enum comparison_side { SIDE_BASE, SIDE_NEW, SIDES };

/* The answer to a query with variances, of one recording. */
struct compared_run {
    const struct answer *answer;
    enum comparison_side side;
    double scale;     /* its sums are multiplied by this before they are compared; */
    double variation; /* and this is the relative variance of that factor */
};

struct comparison_terms {
    bool shares;         /* sums are parts of a whole that is always the same */
    bool sums_are_exact; /* all samples of a recording come from a clock, and none was left out */
    double noise; /* standard deviation between runs of the same program, as a share; NaN = as recordings of a side differ */
    double level; /* what is no more likely by chance counts as a change */
};

struct compared_sum {
    struct measure of[SIDES];
    double chance; /* of such a difference; not corrected */
};

struct compared_func {
    uint32_t key;
    struct compared_sum self, total;
    double chance; /* of either of them, corrected for the number of functions */
    bool significant;
};

enum verdict { VERDICT_SAME, VERDICT_SLOWER, VERDICT_FASTER };

struct comparison {
    struct comparison_terms terms; /* with the noise that was measured, where it was */
    struct func_keys keys;
    size_t run_count, side_runs[SIDES];
    uint32_t **keys_of; /* for each run: for each func the key that stands for it, INDEX_NONE where it has no samples */
    VEC(struct compared_func) funcs; /* each key that stands for itself, once */
    struct compared_sum whole;
    double grain[SIDES];        /* what samples weigh (change.h) */
    double variation[SIDES];    /* of the factors that sums were multiplied by */
    size_t tested, significant; /* funcs with enough samples to tell; and those that changed */
    enum verdict verdict;       /* of the whole; of shares, of the function with the largest change in self */
    double change;              /* which says so; 0 where all is the same */
};

/* `comparison` needs no initialisation and is to be freed in any case. Each side has a run, at least. */
int comparison_build(const struct compared_run *runs, size_t count, const struct comparison_terms *terms,
                     struct comparison *comparison, struct error *error);
void comparison_free(struct comparison *comparison);

static inline double compared_delta(const struct compared_sum *sum)
{
    return sum->of[SIDE_NEW].value - sum->of[SIDE_BASE].value;
}

/* Means of the runs of either side as change_chance() wants them; `variances` because samples came at random. */
void comparison_measure(const struct comparison *comparison, const double values[SIDES], const double variances[SIDES],
                        struct measure of[SIDES]);

#endif
