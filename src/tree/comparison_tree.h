/* The call trees of both sides of a comparison as one: a node for each path of functions that either side has. */
#ifndef SONDE_TREE_COMPARISON_TREE_H
#define SONDE_TREE_COMPARISON_TREE_H

#include "tree/comparison.h"

#include <math.h>

struct compared_node {
    uint32_t key;    /* of the comparison's functions */
    uint32_t parent; /* INDEX_NONE for roots; parents stand before their children */
    uint32_t depth;
    double self[SIDES], total[SIDES]; /* means of the runs of a side */
    double variance[SIDES];           /* of the total: because samples came at random */
    double chance;                    /* of such a difference of totals, corrected for the number of nodes */
    bool significant;
    bool leads_to_change; /* it, or a node below it, is significant */
};

struct comparison_tree {
    VEC(struct compared_node) nodes;
    VEC(uint32_t) order; /* depth first, as shown: of siblings first those with the larger total on either side */
};

struct comparison_tree_cut {
    bool inverted;
    size_t depth; /* so many levels */
    double min;   /* only nodes whose total is at least this on one side */
};

/* `tree` needs no initialisation and is to be freed in any case. */
int comparison_tree_build(const struct comparison *comparison, const struct compared_run *runs,
                          const struct comparison_tree_cut *cut, struct comparison_tree *tree, struct error *error);
void comparison_tree_free(struct comparison_tree *tree);

static inline double compared_node_size(const struct compared_node *node)
{
    return fmax(fabs(node->total[SIDE_BASE]), fabs(node->total[SIDE_NEW]));
}

#endif
