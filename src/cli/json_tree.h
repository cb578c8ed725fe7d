/* A call tree as JSON: an array of nodes, each with its children. */
#ifndef SONDE_CLI_JSON_TREE_H
#define SONDE_CLI_JSON_TREE_H

#include "cli/selection.h"
#include "print/tree_walk.h"

/* Whether the cut leaves anything out; JSON says so before the nodes. 0, or a negative errno with `selection->error` filled. */
int json_tree_truncated(struct selection *selection, struct answer *answer, bool inverted, const struct tree_cut *cut,
                        bool *truncated);

/* The key with the roots, or `from_level` 1 with their children in one list. As above; what was written then is incomplete. */
int json_put_tree(struct json_output *output, const char *key, struct selection *selection, struct answer *answer,
                  bool inverted, const struct tree_cut *cut, size_t from_level);

#endif
