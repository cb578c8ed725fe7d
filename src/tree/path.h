/* Call node paths: the functions from the root to a node (from the leaf upwards in an inverted tree). A path names a node
 * whatever filters and transforms do to the numbering of nodes; each transform says how paths change with it. */
#ifndef SONDE_TREE_PATH_H
#define SONDE_TREE_PATH_H

#include "common/vec.h"
#include "tree/view.h"

/* A func of a path that no func of the profile equals is INDEX_NONE. */
struct path {
    VEC(uint32_t) funcs;
};

bool path_push(struct path *path, uint32_t func); /* false when the heap is empty */
bool path_copy(struct path *to, const struct path *from);
void path_free(struct path *path);

/* Shows the selected path under another implementation. Towards `combined` the hidden functions come back from the first
 * stack of the view (before implementation filtering) that the path matches; `path` becomes empty where there is none. */
int path_switch_implementation(struct path *path, const struct view *view, enum implementation from, enum implementation to,
                               struct error *error);

#endif
