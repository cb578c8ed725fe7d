/* What the sums of recordings are compared in, and how certain they are before anything is compared. */
#ifndef SONDE_TREE_COMPARISON_UNIT_H
#define SONDE_TREE_COMPARISON_UNIT_H

#include "tree/query.h"

/* Where nothing else is known: CPU time of runs of one program on a machine that others use as well differed by 0.5 %. */
#define COMPARISON_USUAL_NOISE 0.01
#define COMPARISON_USUAL_LEVEL 0.01

/* A recording that was asked. */
struct measured_run {
    const struct answer *answer;
    enum strategy strategy;
    double interval; /* ms, of its profile */
    double unit;     /* out: what its weights are multiplied by so that all runs count the same thing */
};

/* Samples of different intervals are not the same: they count for the time that they stand for. *type is that of all sums.
 * -EINVAL with `error` filled where two count different things; *wrong is the run that the error is about. */
int comparison_find_unit(struct measured_run *runs, size_t count, enum weight_type *type, size_t *wrong, struct error *error);

/* A recording that has ended counts as it is; where samples are left out, how many is chance. */
bool comparison_is_of_all(const struct query *query);

#endif
