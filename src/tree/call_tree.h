/* The call tree, top-down: self and total of each call node, and the order in which they are shown. */
#ifndef SONDE_TREE_CALL_TREE_H
#define SONDE_TREE_CALL_TREE_H

#include "tree/call_node_table.h"
#include "tree/weigh.h"

struct call_tree {
    const struct call_node_table *nodes;
    double *self, *total;                                     /* for each node */
    struct uncertainty *self_uncertainty, *total_uncertainty; /* the same; NULL where weights are exact, or nobody knows */
    uint8_t *shown;                                           /* has a total, or descendants that have one */
    double root_total;                                        /* sum of |self|: what percentages refer to */
    struct uncertainty root_uncertainty;
    uint64_t row_count; /* samples, or allocations, that have a node */
};

/* `nodes` must outlive the tree, which needs no initialisation; on failure it is empty. -ERANGE where the
 * weights add up to infinity. */
int call_tree_build(const struct view *view, const struct call_node_table *nodes, const struct stack_weights *weights,
                    struct call_tree *tree, struct error *error);
void call_tree_free(struct call_tree *tree);

struct node_list {
    VEC(uint32_t) nodes;
};

/* The children of `node` (INDEX_NONE: the roots) as shown, larger |total| first, replace the contents of `children`.
 * False when the heap is empty. */
bool call_tree_children(const struct call_tree *tree, uint32_t node, struct node_list *children);

/* In the subtree of `node`: the first node with the largest |self|. */
uint32_t call_tree_heaviest(const struct call_tree *tree, uint32_t node);

#endif
