/* What people see stays what they see when symbols arrive: paths, expanded rows and transforms go on with the funcs that theirs
 * have become.
 *
 *     changes               0x1210 ─▶ draw      0x1300 ─▶ draw, blend (blend is inlined)
 *     selected              main, 0x1300    ─▶  main, draw, blend
 *     expanded              main, 0x1300    ─▶  main, draw, blend   and   main, draw
 *     focus-function        0x1300          ─▶  draw
 *     focus-self            0x1300          ─▶  blend
 *
 * A transform that names one func whose place is now taken by several keeps the meaning it had for the samples at that address:
 *
 *     focus-self, filter-samples:stack-suffix        the innermost one, where those samples now end
 *     all others that name a func                    the outermost one, which is the function the address is in
 *     filter-samples:function-include                the outermost one for each of its funcs
 *     focus-subtree, merge-call-node, stack-prefix   a path, as any path
 *     collapse-resource                              the number reserved for the resource moves with the funcs
 *
 * keep-, drop-, merge- and collapse-matching stay as they are: their text finds what has the names now.
 *
 * All functions say false when the heap is empty; what was given to them is then as it was, or partly carried over. */
#ifndef SONDE_TREE_CARRY_H
#define SONDE_TREE_CARRY_H

#include "profile/func_changes.h"
#include "tree/transform.h"

/* With `inverted` the path starts at the leaf. */
bool path_carry(struct path *path, const struct func_changes *changes, bool inverted);

/* A set of paths: the rows of a tree that are expanded. */
struct path_set {
    VEC(struct path) paths;
};
void path_set_free(struct path_set *set);

/* Each path once. Where the last func of one became several, the rows between are expanded, too. */
bool path_set_carry(struct path_set *set, const struct func_changes *changes, bool inverted);

bool transform_carry(struct transform *transform, const struct func_changes *changes);

#endif
