/* Transforms of all functions that a search finds (search_terms.h). They go by the text alone: whoever carries one over to
 * other symbols has it find the functions that match then. Used inside src/tree/ only.
 *
 *     keep-matching      the samples that --search keeps
 *     drop-matching      the others
 *     merge-matching     takes each function out that the search chooses; its callers get its samples
 *     collapse-matching  what the chosen functions call becomes their own time */
#ifndef SONDE_TREE_SEARCH_TRANSFORM_H
#define SONDE_TREE_SEARCH_TRANSFORM_H

#include "tree/transform.h"

static inline bool transform_is_search(const struct transform *transform)
{
    return transform->type == KEEP_MATCHING || transform->type == DROP_MATCHING || transform->type == MERGE_MATCHING ||
           transform->type == COLLAPSE_MATCHING;
}

/* Whether the text is a search that such a transform can do something with. 0, or -EINVAL with a message. */
int search_transform_check(enum transform_type type, struct slice text, struct error *error);

int search_transform_apply(const struct transform *transform, const struct view *from, struct view *to, struct error *error);

/* What becomes of paths. */
int search_transform_paths(const struct transform *transform, const struct func_list *funcs, struct path *paths, size_t count,
                           struct error *error);

#endif
