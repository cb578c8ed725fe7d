/* The rows of a tree that are seen: the roots, and the children of every row that is open. */
#ifndef SONDE_API_ROW_LIST_H
#define SONDE_API_ROW_LIST_H

#include "api/open_rows.h"
#include "api/row_order.h"

enum { ROW_LIST_MOST = 4000000 };

struct shown_row {
    uint32_t node; /* of the tree */
    uint32_t depth;
    bool open;
};

struct row_list {
    VEC(struct shown_row) rows;
};

/* -E2BIG where there would be more than ROW_LIST_MOST rows. `list` needs no initialisation; on failure it is empty. */
int row_list_build(const struct ordered_tree *tree, const struct func_list *funcs, const struct open_rows *open,
                   enum row_order order, struct row_list *list, struct error *error);
void row_list_free(struct row_list *list);

/* The row of a path, else of its longest part that is seen; how long that is. SIZE_MAX where not even its root is. */
size_t row_list_find(const struct row_list *list, const struct ordered_tree *tree, const struct path *path, size_t *length);

/* The functions from the root to a row that stand above it, outermost first, replace the contents of `path`. False when the
 * heap is empty. */
bool row_list_above(const struct row_list *list, const struct ordered_tree *tree, size_t row, struct path *path);

#endif
