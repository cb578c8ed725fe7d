/* The order of siblings in a tree, where somebody wants another one than the largest first. */
#ifndef SONDE_API_ROW_ORDER_H
#define SONDE_API_ROW_ORDER_H

#include "tree/ordered_tree.h"

enum row_order { ROWS_BY_TOTAL, ROWS_BY_SELF, ROWS_BY_NAME, ROWS_BY_LIBRARY, ROW_ORDERS };

/* `children` come as ordered_tree_children() gives them; those that are the same stay in that order. */
void row_order_sort(const struct ordered_tree *tree, const struct func_list *funcs, enum row_order order,
                    struct node_list *children);

#endif
