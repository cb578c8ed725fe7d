/* Trees over the entries of a thread, calls and events alike: top-down, bottom-up, or every entry for itself.
 *
 *     top-down   RunTask 20 | 130        bottom-up   f 90 | 90            log   RunTask 20 | 120
 *                  a 20 | 100                          a 50 | 30                  a 20 | 100
 *                    f 80 | 80                         RunTask 10 | 10          RunTask 0 | 10
 *                  f 10 | 10                         a 20 | 100                   f 10 | 10
 *
 * (self | total.) Entries with the same name and place count as one. Times are milliseconds here, within a window. The callers
 * of a node of a bottom-up tree are found when they are asked for: all of them together may be many times the entries. What is
 * computed equals Chrome DevTools, with the peculiarities that docs/trace-engine.md tells. */
#ifndef SONDE_TRACE_ENTRY_TREE_H
#define SONDE_TRACE_ENTRY_TREE_H

#include "trace/calls.h"
#include "trace/entry_names.h"

enum entry_tree_kind { ENTRY_TREE_TOP_DOWN, ENTRY_TREE_BOTTOM_UP, ENTRY_TREE_LOG };

struct entry_tree_options {
    enum entry_tree_kind kind;
    enum entry_grouping grouping; /* of the first level; not of a log */
    double start, end;            /* ms: the window */
    bool instants;                /* take part top-down, with no time; in a log they always do, bottom-up never */
    const bool *hidden;           /* by place in calls->entries; NULL = all are shown. The children of those move up */
};

struct entry_tree_node {
    uint32_t parent;                              /* row; INDEX_NONE = top level */
    uint32_t first_child, last_child, next_child; /* rows; INDEX_NONE = none. In the order in which they were first met */
    uint32_t identity;                            /* see entry_names.h; INDEX_NONE = it is a group */
    struct string_index group;                    /* of entry_names.texts; STRING_NONE = of none */
    struct call_entry example;                    /* the first entry that it stands for; of a group: any of its members */
    double self, total;                           /* ms */
    uint64_t count;                               /* entries */
    bool has_callers;                             /* bottom-up: entry_tree_expand() gives it children */
    uint32_t first_leaf, leaf_count;              /* bottom-up: in entry_tree.leaves */
};

static inline bool entry_tree_is_group(const struct entry_tree_node *node)
{
    return node->identity == INDEX_NONE;
}

/* Bottom-up: an entry that took part, … */
struct tree_instance {
    uint32_t place;  /* in calls->entries */
    uint32_t caller; /* row of the instance that it ran in; INDEX_NONE = none */
    double self;     /* ms */
};

/* … and one that a node stands for: whose self time it gets, and how far up the callers the node is. */
struct tree_leaf {
    uint32_t instance, ancestor;
};

struct entry_tree {
    const struct thread_calls *calls;
    double start, end; /* ms */
    VEC(struct entry_tree_node) nodes;
    uint32_t first; /* of the top level, which next_child goes on with; INDEX_NONE = the tree is empty */
    uint32_t last;
    double self, total; /* of the window as a whole */
    struct entry_names names;
    struct map by_key;  /* top-down: by parent, identity and group */
    uint32_t *child_of; /* bottom-up, by identity: the child of the node that is being expanded */
    VEC(struct tree_instance) instances;
    VEC(struct tree_leaf) leaves; /* of nodes that are not expanded: each instance once */
    VEC(struct tree_leaf) spare;
};

/* Fills a zeroed tree, which is to be freed in any case; calls and trace must outlive it. */
int entry_tree_build(struct entry_tree *tree, const struct thread_calls *calls, const struct trace *trace,
                     const struct entry_tree_options *options, struct error *error);

/* Gives a node of a bottom-up tree its callers as children; does nothing where it has them, or none. Nodes may move. */
int entry_tree_expand(struct entry_tree *tree, uint32_t node, struct error *error);

/* Forgets the callers of the node that was expanded last of all that are, for good: whoever goes through a whole tree and
 * forgets what has been seen needs room for one path. */
void entry_tree_collapse(struct entry_tree *tree, uint32_t node);

void entry_tree_free(struct entry_tree *tree);

#endif
