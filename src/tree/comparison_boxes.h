/* The boxes of a differential flame graph: where each node of a comparison tree is.
 *
 *     │ main                         │    a box is as wide as both sides need: as its own self on the larger side, and
 *     │ draw       │ gone  │ new │        the boxes of all that it called. So what is gone and what is new both have
 *     │ blend │    │                      their place.
 *
 * Siblings stand side by side by name, so that pictures of different ranges can be compared. */
#ifndef SONDE_TREE_COMPARISON_BOXES_H
#define SONDE_TREE_COMPARISON_BOXES_H

#include "tree/comparison_tree.h"

struct comparison_boxes {
    double *left, *width; /* by node, as parts of the whole width */
    uint32_t *by_parent;  /* nodes, those of one parent side by side in their order; parents before their children */
    double whole;         /* what the whole width stands for */
};

/* `boxes` needs no initialisation and is to be freed in any case. 0 or -ENOMEM. */
int comparison_boxes_lay_out(const struct comparison *comparison, const struct comparison_tree *tree, bool inverted,
                             struct comparison_boxes *boxes, struct error *error);
void comparison_boxes_free(struct comparison_boxes *boxes);

/* How many levels have a box that is at least so wide. */
uint32_t comparison_boxes_levels(const struct comparison_boxes *boxes, const struct comparison_tree *tree, double least);

#endif
