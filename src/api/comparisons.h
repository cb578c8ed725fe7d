/* The last comparison of an api's profile with another one, so that sorting it, and its tree in either direction, need no new
 * one. */
#ifndef SONDE_API_COMPARISONS_H
#define SONDE_API_COMPARISONS_H

#include "api/base_profile.h"
#include "tree/comparison_boxes.h"

struct kept_comparison {
    struct text_buffer key; /* empty = nothing is kept */
    struct answer answers[SIDES];
    VEC(struct thread_index) threads[SIDES];
    struct compared_run runs[SIDES];
    enum weight_type type;
    struct comparison comparison;
    bool tree_made[2]; /* top-down, inverted */
    struct comparison_tree trees[2];
    struct comparison_boxes boxes[2];
};

void kept_comparison_free(struct kept_comparison *kept);

/* What is compared: `state` without its ranges. With `shares` sums are parts of the whole, in percent. 0, or a negative errno
 * with `error` filled, and nothing is kept. */
int kept_comparison_make(struct kept_comparison *kept, struct base_profile *base, const struct view *whole,
                         const struct first_view *first, const struct state *state, bool shares, struct error *error);

/* Then. 0 or -ENOMEM. */
int kept_comparison_tree(struct kept_comparison *kept, bool inverted, const struct comparison_tree **tree,
                         const struct comparison_boxes **boxes, struct error *error);

#endif
