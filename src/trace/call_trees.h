/* Trees over the entries of a thread, calls and events alike: top-down, bottom-up, or every entry for itself.
 *
 * Times are milliseconds here, within a window. */
#ifndef SONDE_TRACE_CALL_TREES_H
#define SONDE_TRACE_CALL_TREES_H

#include "trace/calls.h"

enum call_tree_kind { CALL_TREE_TOP_DOWN, CALL_TREE_BOTTOM_UP, CALL_TREE_LOG };
enum call_grouping { CALL_GROUP_NONE, CALL_GROUP_URL, CALL_GROUP_CATEGORY, CALL_GROUP_FRAME };

struct call_tree_options {
    enum call_tree_kind kind;
    enum call_grouping grouping;
    double start, end;  /* ms: the window */
    bool instants;      /* take part, with no time; in a log they always do */
    const bool *hidden; /* by string_index of event names; NULL = all are shown. Their children move up */
};

struct call_tree_node {
    uint32_t parent;                  /* row; INDEX_NONE = top level */
    uint32_t first_child, next_child; /* rows; INDEX_NONE = none */
    struct call_entry example;        /* the first entry that it stands for; of a group: any of its members … */
    struct string_index group;        /* … and what they have in common; STRING_NONE = it is no group */
    double self, total;               /* ms */
    uint64_t count;
};

struct call_tree {
    VEC(struct call_tree_node) nodes;
    double self, total; /* of the window as a whole */
};

/* Fills a zeroed tree, which is to be freed in any case. */
int call_tree_build(struct call_tree *tree, const struct thread_calls *calls, const struct trace *trace,
                    const struct call_tree_options *options, struct error *error);
void call_tree_free(struct call_tree *tree);

#endif
