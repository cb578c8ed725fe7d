/* The orders of a function list that texts decide: alphabetical ones, as people look things up. */
#ifndef SONDE_PRINT_FUNCTION_ORDER_H
#define SONDE_PRINT_FUNCTION_ORDER_H

#include "tree/function_list.h"

/* Sorts rows of these funcs where `order` is FUNCTIONS_BY_NAME or FUNCTIONS_BY_LIBRARY (the library, or without one the file);
 * does nothing where it is another. What is called the same: the larger self first. */
void function_list_order(struct function_list *list, const struct func_list *funcs, enum function_order order);

#endif
