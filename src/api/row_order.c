#include "api/row_order.h"

#include <math.h>
#include <stdlib.h>

struct sorting {
    const struct ordered_tree *tree;
    const struct func_list *funcs;
    enum row_order order;
};

static int compare_numbers(double a, double b)
{
    return (a < b) - (a > b);
}

static int compare_rows(const void *left, const void *right, void *data)
{
    const struct sorting *of = data;
    struct ordered_node a = ordered_tree_node(of->tree, *(const uint32_t *)left);
    struct ordered_node b = ordered_tree_node(of->tree, *(const uint32_t *)right);
    int order = 0;
    if (of->order == ROWS_BY_SELF)
        order = compare_numbers(fabs(a.self), fabs(b.self));
    else if (of->order == ROWS_BY_LIBRARY)
        order = slice_compare(func_list_resource_name(of->funcs, a.func), func_list_resource_name(of->funcs, b.func));
    else if (of->order == ROWS_BY_NAME)
        order = slice_compare(func_list_name(of->funcs, a.func), func_list_name(of->funcs, b.func));
    if (order == 0)
        order = compare_numbers(fabs(a.total), fabs(b.total));
    return order != 0 ? order : (a.func > b.func) - (a.func < b.func);
}

void row_order_sort(const struct ordered_tree *tree, const struct func_list *funcs, enum row_order order,
                    struct node_list *children)
{
    struct sorting of = {tree, funcs, order};
    if (order != ROWS_BY_TOTAL && children->nodes.count > 1)
        qsort_r(children->nodes.items, children->nodes.count, sizeof *children->nodes.items, compare_rows, &of);
}
