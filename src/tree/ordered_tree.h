/* The tree of an answer as it is shown, top-down or inverted: what is said of a node, and its children in order. */
#ifndef SONDE_TREE_ORDERED_TREE_H
#define SONDE_TREE_ORDERED_TREE_H

#include "tree/query.h"

struct ordered_tree {
    struct answer *answer;
    bool inverted; /* then answer->inverted has been built */
};

struct ordered_node {
    uint32_t func;
    uint32_t pair; /* category and subcategory */
    uint32_t inlined;
    double total, self;
    struct uncertainty total_uncertainty, self_uncertainty; /* zero where the tree has none */
};

struct ordered_node ordered_tree_node(const struct ordered_tree *tree, uint32_t node);

static inline double ordered_tree_total(const struct ordered_tree *tree, uint32_t node)
{
    return tree->inverted ? tree->answer->inverted.nodes.items[node].total : tree->answer->tree.total[node];
}

/* Whether weights are estimates whose errors are known. */
static inline bool ordered_tree_has_uncertainty(const struct ordered_tree *tree)
{
    return tree->answer->tree.self_uncertainty != NULL;
}

bool ordered_tree_has_children(const struct ordered_tree *tree, uint32_t node);

/* The children of `node` (INDEX_NONE: the roots) replace the contents of `children`: larger |total| first, then smaller funcs.
 * The inverted tree is expanded for it. 0 or -ENOMEM. */
int ordered_tree_children(const struct ordered_tree *tree, uint32_t node, struct node_list *children, struct error *error);

#endif
