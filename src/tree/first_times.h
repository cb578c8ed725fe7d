/* When each stack, and each call node, was first seen: so that what is shown can be ordered by time. */
#ifndef SONDE_TREE_FIRST_TIMES_H
#define SONDE_TREE_FIRST_TIMES_H

#include "tree/call_tree.h"

/* Fills `first`, one for each stack of the profile: the time of the first row of the selection that has it, in ms; INFINITY =
 * none has. 0 or -ENOMEM. */
int stack_first_times(const struct view *whole, const struct row_selection *selection, enum strategy strategy, double *first,
                      struct error *error);

/* Fills `first`, one for each call node: when a row that is counted ended in it; INFINITY = none did. */
void call_node_first_times(const struct view *view, const struct call_node_table *nodes, const struct stack_weights *weights,
                           const double *first_of_stack, double *first);

/* The same of a node and all below it, in place. */
void first_times_add_up(const struct call_node_table *nodes, double *first);

#endif
