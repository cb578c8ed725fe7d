/* Which stacks are a node of the tree, or a function, and which are below. */
#ifndef SONDE_TREE_NODE_STACKS_H
#define SONDE_TREE_NODE_STACKS_H

#include "tree/call_node_table.h"
#include "tree/path.h"

/* `found` has room for all stacks of the view: for each at or below the node of `path`, the stack that is the node, INDEX_NONE
 * for all others. With `inverted` the path starts at the leaf: where the functions from a stack upwards are those of the path,
 * the stack at its end. */
void node_stacks_find(const struct view *view, const struct call_node_table *nodes, const struct path *path, bool inverted,
                      uint32_t *found);

/* The same of a function: of several calls in a stack the outermost one. */
void func_stacks_find(const struct view *view, uint32_t func, uint32_t *found);

#endif
