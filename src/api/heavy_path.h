/* The heaviest path: from a row to its largest child, again and again. */
#ifndef SONDE_API_HEAVY_PATH_H
#define SONDE_API_HEAVY_PATH_H

#include "tree/ordered_tree.h"

enum { HEAVY_MOST_LEVELS = 1000 };

/* A child that has less than this of its parent's total ends the path. */
#define HEAVY_SPLIT 0.6

/* Extends `path` from its end (the roots, where it is empty) while the largest child has at least the share `split` of the
 * total, but by no more than HEAVY_MOST_LEVELS. A path that is not there stays as it is. 0 or -ENOMEM. */
int heavy_path_extend(const struct ordered_tree *tree, double split, struct path *path, struct error *error);

/* The path that is open at first: up to `levels` long, never into a node that waits: of the category Idle, or "Waiting for
 * CPU". */
int heavy_path_first(const struct ordered_tree *tree, size_t levels, struct path *path, struct error *error);

/* The node of a path, or INDEX_NONE; the inverted tree is expanded on the way. 0 or -ENOMEM. */
int path_find_node(const struct ordered_tree *tree, const struct path *path, uint32_t *node, struct error *error);

#endif
