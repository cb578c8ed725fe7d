/* What is looked at: the answer to a query that keys change, which rows of its tree are open, and which one is chosen.
 *
 * A change is made, or, where it cannot be (no memory, nothing of that kind in these threads), everything is as it was and
 * `error` says why. The chosen node and open rows stay what they are through all changes: they are kept as paths of
 * functions, which transforms rewrite. */
#ifndef SONDE_TOP_LOOK_H
#define SONDE_TOP_LOOK_H

#include "api/open_rows.h"
#include "tree/ordered_tree.h"

/* What was open and chosen when a transform was added, for when it is taken back. */
struct look_before {
    struct open_walk open;
    struct path chosen;
    bool inverted;
};

enum look_sort { SORT_TOTAL, SORT_SELF, SORT_NAME, SORT_COUNT };

/* A row of the tree that can be seen, with all around it open. */
struct look_row {
    uint32_t node;
    uint32_t depth;
    uint32_t sibling, siblings;
    bool has_children, open;
};

struct look {
    const struct profile *profile;
    const struct view *whole;
    struct query query; /* its threads and transforms are those below */
    VEC(struct thread_index) threads;
    struct transform_list transforms;
    VEC(struct look_before) befores; /* for each of the transforms that were added here */
    enum look_sort sort;

    struct answer *answer;
    unsigned generation; /* of the answer: others point into it */
    struct open_rows open;
    VEC(struct look_row) rows;
    bool rows_are_cut; /* there are more than anybody scrolls through */
    size_t chosen;     /* a row; 0 where there are none */
    struct error error;
};

/* Asks for the first time; `query` says what, its threads and transforms are copied. 0 or a negative errno; to be freed in
 * any case. `whole` and its profile must outlive it. */
int look_open(struct look *look, const struct view *whole, const struct query *query);
void look_free(struct look *look);

struct ordered_tree look_tree(const struct look *look);

/* The children of a node (INDEX_NONE: the roots) in the order they are shown. 0 or -ENOMEM. */
int look_children(struct look *look, uint32_t node, struct node_list *children);

/* The chosen row; NULL where there is none. */
const struct look_row *look_row(const struct look *look);

/* Its function; INDEX_NONE. */
uint32_t look_func(const struct look *look);

/* The path of a row from its root: from the root, or from the leaf in the inverted tree. False when the heap is empty. */
bool look_path(const struct look *look, size_t row, struct path *path);

/* ---- rows (rows.c): all of these return 0 or a negative errno ---- */

/* Makes the rows of what is open, and chooses that of a node; INDEX_NONE: the first one. */
int look_show_node(struct look *look, uint32_t node);
/* The same with the node of a path, or the nearest one around it that there is, and all around that open. The path is
 * shortened to it. */
int look_show_path(struct look *look, struct path *path);

int look_toggle(struct look *look);
/* Opens the chosen row, and what it leads to while that is the only callee. */
int look_unfold(struct look *look);
int look_fold(struct look *look);
/* Opens the heaviest path from there, and goes to its end. */
int look_heavy_path(struct look *look);
int look_open_below(struct look *look);
void look_to_parent(struct look *look);
/* To a node, with all around it open. */
int look_go_to(struct look *look, uint32_t node);
/* To where most of a function is. */
int look_go_to_func(struct look *look, uint32_t func);

/* Siblings in another order. */
int look_sort(struct look *look, enum look_sort sort);

/* ---- changes ---- */

/* Takes `transform` over. */
int look_add(struct look *look, struct transform *transform);
/* Takes the last transform back; -ENOENT where there is none. */
int look_take_back(struct look *look);
/* Another query about the same threads and transforms: `change` sets what is to be different. */
int look_ask(struct look *look, const struct query *query);
int look_invert(struct look *look);
int look_at_threads(struct look *look, const struct thread_index *threads, size_t count);

#endif
