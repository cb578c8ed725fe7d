/* From which lines of which functions a node of the tree, or a function, was called. */
#ifndef SONDE_TREE_CALL_SITES_H
#define SONDE_TREE_CALL_SITES_H

#include "tree/call_node_table.h"
#include "tree/path.h"
#include "tree/weigh.h"

struct call_site {
    uint32_t func;         /* the caller */
    uint32_t source, line; /* INDEX_NONE = unknown */
    uint32_t first;        /* the first stack of the profile that has the call */
    double total;          /* what ran in the call, and below it */
};

struct call_sites {
    VEC(struct call_site) rows; /* the largest |total| first, of equal ones the one seen first */
};

/* Of the node of `path`, which with `inverted` starts at the leaf. No rows where there is no such node, or nobody called it. */
int call_sites_of_path(const struct view *view, const struct call_node_table *nodes, const struct stack_weights *weights,
                       const struct path *path, bool inverted, struct call_sites *sites, struct error *error);

/* Of a function wherever it is; of several calls in a stack the outermost one counts. */
int call_sites_of_func(const struct view *view, const struct stack_weights *weights, uint32_t func, struct call_sites *sites,
                       struct error *error);

void call_sites_free(struct call_sites *sites);

#endif
