/* Walks a call tree, top-down or inverted, in the order it is shown, and leaves out what is to be cut.
 *
 *     tree_walk_begin(&walk, &answer, inverted, &cut, &error);
 *     for (struct tree_row row; tree_walk_next(&walk, &row);)
 *         …
 *     if (tree_walk_end(&walk) != 0) … */
#ifndef SONDE_PRINT_TREE_WALK_H
#define SONDE_PRINT_TREE_WALK_H

#include "tree/ordered_tree.h"

/* What to leave out; SIZE_MAX and 0 leave out nothing. */
struct tree_cut {
    size_t limit; /* only so many nodes: those with the largest |total| */
    size_t depth; /* only so many levels */
    double min;   /* only nodes whose |total| is at least this */
};

#define TREE_CUT_NOTHING ((struct tree_cut){SIZE_MAX, SIZE_MAX, 0})

struct tree_row {
    uint32_t node; /* in answer.nodes, or in answer.inverted.nodes */
    uint32_t func;
    uint32_t pair; /* category and subcategory */
    uint32_t inlined;
    double total, self;
    struct uncertainty total_uncertainty, self_uncertainty; /* zero where the tree has none */
    double parent_total;                                    /* of the root total, for roots */
    size_t depth;                                           /* 0 for roots */
    size_t sibling;                                         /* 0 for the first one that is shown … */
    size_t siblings;                                        /* … of so many */
    size_t cut_children;                                    /* how many of its children are left out … */
    double cut_total;                                       /* … and their totals together */
};

struct tree_level {
    size_t first, next, end; /* in `pending` */
    double total;            /* of the node that they are children of */
};

struct tree_walk {
    struct ordered_tree tree;
    struct tree_cut cut;
    struct error *error;
    VEC(uint32_t) pending; /* the children that are shown, of every node on the way to the current one */
    VEC(struct tree_level) levels;
    struct node_list children;
    VEC(uint8_t) wanted; /* with a limit: for each node, whether it is among the largest */
    size_t shown;        /* nodes so far */
    size_t cut_roots;    /* roots that are left out … */
    double cut_total;    /* … and their totals together */
    bool cut_any;        /* something was left out so far */
};

/* On failure the walk is empty, and tree_walk_end() says what went wrong. The inverted tree is expanded on the way. */
void tree_walk_begin(struct tree_walk *walk, struct answer *answer, bool inverted, const struct tree_cut *cut,
                     struct error *error);

/* The next node; false at the end, and after an error. */
bool tree_walk_next(struct tree_walk *walk, struct tree_row *row);

/* Gives the memory back (`shown` and the `cut_` members stay). 0, or a negative errno where the walk ended early. */
int tree_walk_end(struct tree_walk *walk);

#endif
