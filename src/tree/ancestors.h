/* Callers of call nodes, however deep they are, in a few steps.
 *
 * Each node has, besides its parent, one node further up that it can jump to. The jumps of the nodes on a path are as long as
 * the digits of a skew-binary number are worth, so any ancestor is O(log depth) steps away (E. W. Myers, "An applicative
 * random-access stack", 1983). */
#ifndef SONDE_TREE_ANCESTORS_H
#define SONDE_TREE_ANCESTORS_H

#include "tree/call_node_table.h"

struct ancestors {
    const struct call_node_table *nodes;
    uint32_t *jump; /* for each node; roots lead to themselves */
};

/* `nodes` must outlive it. `ancestors` needs no initialisation; on failure it is empty. */
int ancestors_build(const struct call_node_table *nodes, struct ancestors *ancestors, struct error *error);
void ancestors_free(struct ancestors *ancestors);

/* The caller of `node`, or itself, that is `depth` deep, which is no deeper than the node. */
uint32_t ancestor_at(const struct ancestors *ancestors, uint32_t node, uint32_t depth);

/* How many levels from the root down two nodes have in common. */
uint32_t ancestors_shared(const struct ancestors *ancestors, uint32_t a, uint32_t b);

#endif
