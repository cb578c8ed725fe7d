/* How paths change with a transform, so that a selected node stays selected. */
#ifndef SONDE_TREE_PATH_REWRITE_H
#define SONDE_TREE_PATH_REWRITE_H

#include "tree/call_node_table.h"
#include "tree/transform.h"

/* Rewrites `path` for what the transform does, without looking at the tree. An empty path names no node.
 *
 * Only FOCUS_CATEGORY needs to know more: `nodes` is the call node table before the transform, as it is shown; other types
 * take NULL. With `inverted` the path is that of an inverted tree. -ENOENT where the path is not there; it is empty then. */
int path_rewrite(struct path *path, const struct transform *transform, const struct func_list *funcs,
                 const struct call_node_table *nodes, bool inverted, struct error *error);

#endif
