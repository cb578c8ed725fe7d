/* What leads to a function, and what it leads to: two trees that begin at it.
 *
 *     main    A A . B            callers of f    f            callees of f    f
 *     calls   f f . C                            ├ A                          ├ g
 *             g f . f                            └ C                          └ f
 *                                                  └ B
 *
 * A sample counts once, by the outermost f in it: that is where both begin, so both add up to the total of f. */
#ifndef SONDE_TREE_BUTTERFLY_H
#define SONDE_TREE_BUTTERFLY_H

#include "tree/query.h"

struct butterfly {
    const struct answer *answer;
    uint32_t func;
    double total, self; /* of the function */
    struct uncertainty total_uncertainty, self_uncertainty;
    double *outermost; /* for each call node of the answer: its total where it is in no other one of the function, else 0 */
    struct uncertainty *outermost_uncertainty; /* the same; NULL where the answer has none */
};

/* Adds up. `of` needs no initialisation; on failure it is empty. `answer` must outlive it. */
int butterfly_open(const struct answer *answer, uint32_t func, struct butterfly *of, struct error *error);
void butterfly_free(struct butterfly *of);

/* The inverted tree of samples that end where the function begins: its one root is the function. `first` has the first time of
 * each call node (first_times.h), or is NULL. `callers` needs no initialisation, must not move, and is to be given to
 * butterfly_free_callers(): its tables are those of the answer. On failure it is empty. */
int butterfly_callers(const struct butterfly *of, const double *first, struct answer *callers, struct error *error);
void butterfly_free_callers(struct answer *callers);

/* The tree of the view that is focused on the function. `query` is the one that was answered. `callees` needs no initialisation
 * and is to be given to answer_free(). */
int butterfly_callees(const struct butterfly *of, const struct query *query, struct answer *callees, struct error *error);

#endif
