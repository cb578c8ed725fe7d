/* The inverted tree, bottom-up: roots are the functions that samples ended in, children their callers.
 *
 * An inverted node with the path f0, f1 … fk stands for all call nodes whose path ends in fk … f1, f0. Its total is the sum of
 * their selfs; roots have that as self, too, all others have self 0.
 *
 * Nodes are made when they are asked for: inverted_tree_expand() makes the children of one node, in the order they are shown,
 * in one row of numbers first_child … first_child + child_count - 1. inverted_tree_expand_all() makes all there are; its cost
 * grows with the sum of the depths of all call nodes, as the number of inverted nodes may. */
#ifndef SONDE_TREE_INVERTED_TREE_H
#define SONDE_TREE_INVERTED_TREE_H

#include "tree/call_tree.h"
#include "tree/path.h"

struct inverted_node {
    double total;
    struct uncertainty uncertainty; /* of the total; zero where the tree has none */
    double first;                   /* when it was first seen, where the tree knows (`first_times`) */
    uint32_t func;
    uint32_t parent; /* INDEX_NONE for roots */
    uint32_t depth;  /* 0 for roots */
    uint32_t pair;   /* category and subcategory, merged over all call nodes it stands for, with or without self */
    uint32_t inlined;
    bool has_children;
    bool expanded;
    uint32_t first_child, child_count; /* once expanded */
    uint32_t first_entry, end_entry;   /* internal: the call nodes it stands for */
};

/* A call node, `leaf`, that an inverted node stands for, as seen from there: `at` is the caller that many levels above it. */
struct inverted_entry {
    double self;
    uint32_t leaf, at;
};

/* Entries that have one function at their level: an inverted node to be. */
struct inverted_group {
    double total, first;
    struct uncertainty uncertainty;
    uint32_t func;
    uint32_t order; /* which of equal totals comes first */
    uint32_t pair, inlined;
    uint32_t count; /* entries */
    uint32_t next;  /* where its next entry goes */
    bool has_self, has_children;
};

struct inverted_tree {
    const struct call_tree *tree;
    const double *first_times;       /* of each call node (first_times.h); NULL = nobody wants to know */
    VEC(struct inverted_node) nodes; /* the roots come first */
    uint32_t root_count;
    /* The entries of a node are one piece of `entries`; expanding it moves them one level up and sorts them by child. */
    struct inverted_entry *entries, *scratch;
    uint8_t *matters; /* for each call node: entries without self must be followed from here on, for the categories */
    VEC(struct inverted_group) groups;
    uint32_t *group_of_func; /* INDEX_NONE while no node is being expanded */
};

/* Makes the roots. `tree` and `first_times`, which may be NULL, must outlive it. On failure `inverted` is empty. */
int inverted_tree_build(const struct call_tree *tree, const double *first_times, uint32_t func_count,
                        struct inverted_tree *inverted, struct error *error);
void inverted_tree_free(struct inverted_tree *inverted);

/* Makes the children of `node` unless they are there already. `nodes.items` may move. */
int inverted_tree_expand(struct inverted_tree *inverted, uint32_t node, struct error *error);
int inverted_tree_expand_all(struct inverted_tree *inverted, struct error *error);

static inline double inverted_node_self(const struct inverted_node *node)
{
    return node->depth == 0 ? node->total : 0;
}

/* The node of a path from the leaf, else of its longest part that is there (INDEX_NONE where not even the root is), and how
 * long that is; expands what it passes. 0 or -ENOMEM. */
int inverted_tree_find(struct inverted_tree *inverted, const struct path *path, uint32_t *node, size_t *length,
                       struct error *error);

#endif
