/* What transforms do with all functions, or all samples, that a search finds (search_terms.h). They go by the text alone: after
 * other symbols have come, it finds what is called so then.
 *
 *     keep-matching      the samples that --search keeps
 *     drop-matching      the others
 *     merge-matching     takes each function out that the search chooses; its callers get its samples
 *     collapse-matching  what the chosen functions call becomes their own time */
#ifndef SONDE_TREE_SEARCH_CHANGE_H
#define SONDE_TREE_SEARCH_CHANGE_H

#include "tree/path.h"
#include "tree/view.h"

enum search_change { SEARCH_KEEP, SEARCH_DROP, SEARCH_MERGE, SEARCH_COLLAPSE };

/* Whether the text is a search that such a change can do something with. 0, or -EINVAL with a message. */
int search_change_check(enum search_change change, struct slice text, struct error *error);

/* Makes `to` from `from`. On failure `to` is empty. */
int search_change_apply(enum search_change change, struct slice text, const struct view *from, struct view *to,
                        struct error *error);

/* What becomes of paths. */
int search_change_paths(enum search_change change, struct slice text, const struct func_list *funcs, struct path *paths,
                        size_t count, struct error *error);

#endif
