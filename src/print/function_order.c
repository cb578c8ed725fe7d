#include "print/function_order.h"

#include "print/text.h"
#include "tree/func_origin.h"

#include <math.h>
#include <stdlib.h>

static int order_by_self(const struct function_row *a, const struct function_row *b)
{
    if (fabs(a->self) != fabs(b->self))
        return fabs(a->self) > fabs(b->self) ? -1 : 1;
    return (a->func > b->func) - (a->func < b->func);
}

static int compare_names(const void *left, const void *right, void *funcs)
{
    const struct function_row *a = left, *b = right;
    int order = text_order(func_list_name(funcs, a->func), func_list_name(funcs, b->func));
    return order != 0 ? order : order_by_self(a, b);
}

static int compare_libraries(const void *left, const void *right, void *funcs)
{
    const struct function_row *a = left, *b = right;
    int order = text_order(slice_of(func_origin(funcs, a->func).text), slice_of(func_origin(funcs, b->func).text));
    return order != 0 ? order : order_by_self(a, b);
}

void function_list_order(struct function_list *list, const struct func_list *funcs, enum function_order order)
{
    if ((order == FUNCTIONS_BY_NAME || order == FUNCTIONS_BY_LIBRARY) && list->rows.count > 1)
        qsort_r(list->rows.items, list->rows.count, sizeof *list->rows.items,
                order == FUNCTIONS_BY_NAME ? compare_names : compare_libraries, (void *)funcs);
}
