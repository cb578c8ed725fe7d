/* A call tree for people: print/tree_lines.h with a head and an end. */
#ifndef SONDE_CLI_TEXT_TREE_H
#define SONDE_CLI_TEXT_TREE_H

#include "cli/selection.h"
#include "print/tree_walk.h"

/* The exit status. `rest_hint` says where what is cut can be seen; NULL = by which option it was cut. */
int print_text_tree(struct selection *selection, struct answer *answer, const struct tree_cut *cut, const char *rest_hint);

#endif
