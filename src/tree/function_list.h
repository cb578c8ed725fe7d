/* Every function with its self and total; a function that called itself is counted once. */
#ifndef SONDE_TREE_FUNCTION_LIST_H
#define SONDE_TREE_FUNCTION_LIST_H

#include "tree/call_tree.h"

struct function_row {
    uint32_t func;
    double self, total;
    struct uncertainty self_uncertainty, total_uncertainty; /* zero where the tree has none */
};

struct function_list {
    VEC(struct function_row) rows;
};

enum function_order {
    FUNCTIONS_BY_TOTAL, /* |total| descending, then func ascending */
    FUNCTIONS_BY_SELF,  /* |self| descending, then as above */
    FUNCTIONS_BY_NAME,  /* these two as FUNCTIONS_BY_SELF, until function_list_order() (print/function_order.h) */
    FUNCTIONS_BY_LIBRARY,
    FUNCTION_ORDERS
};

/* `list` needs no initialisation; on failure it is empty. */
int function_list_build(const struct call_tree *tree, uint32_t func_count, enum function_order order,
                        struct function_list *list, struct error *error);
void function_list_free(struct function_list *list);

#endif
