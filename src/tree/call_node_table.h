/* Call nodes: stacks with the same functions are one node, whatever their frames.
 *
 * Nodes are numbered depth first, siblings in ascending order of their funcs, so the descendants of a node are the numbers
 * after it:
 *
 *     node                subtree_end        children of 0: 1, then subtree_end[1] = 3, until subtree_end[0]
 *     0  A                4
 *     1  └ B              3
 *     2    └ C            3
 *     3  └ D              4
 *
 * Every stack of the view has a node, used by samples or not. */
#ifndef SONDE_TREE_CALL_NODE_TABLE_H
#define SONDE_TREE_CALL_NODE_TABLE_H

#include "tree/view.h"

/* Of frames and nodes that were not inlined, and of nodes whose stacks say different things. Any other value is a native
 * symbol. */
#define INLINED_NOT (UINT32_MAX - 1)
#define INLINED_DIVERGENT UINT32_MAX

struct call_node_table {
    uint32_t count;
    uint32_t *parent; /* INDEX_NONE for roots */
    uint32_t *func;
    uint32_t *subtree_end;
    uint32_t *depth;    /* 0 for roots */
    uint32_t *pair;     /* category and subcategory; the default where the stacks differ */
    uint32_t *inlined;  /* NULL where the profile has no inlined frames: all are INLINED_NOT */
    uint32_t *of_stack; /* for each stack of the view */
    uint32_t default_pair;
};

/* `nodes` needs no initialisation; on failure it is empty. */
int call_node_table_build(const struct view *view, struct call_node_table *nodes, struct error *error);
void call_node_table_free(struct call_node_table *nodes);

/* The node of a path from the root, or INDEX_NONE; also for the empty path. */
uint32_t call_node_find(const struct call_node_table *nodes, const uint32_t *funcs, size_t count);

/* What two categories, or two inlinings, of one node come to. */
uint32_t pair_merge(uint32_t a, uint32_t b, uint32_t default_pair);
static inline uint32_t inlined_merge(uint32_t a, uint32_t b)
{
    return a == b ? a : INLINED_DIVERGENT;
}

#endif
