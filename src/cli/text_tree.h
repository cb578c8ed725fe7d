/* A call tree for people.
 *
 *     total    samples  self  function
 *     100.0%        10     0  main  app
 *     100.0%        10     0  run  app            the only callee of main: no branch, same column
 *      60.0%         6     4  ├─ draw  app
 *      20.0%         2     2  │  memcpy  libc.so.6
 *      40.0%         4     4  └─ read  libc.so.6  … 2 more
 *
 * Deep stacks are mostly chains of functions that call only one other; without an indent for these, what branches is in view.
 */
#ifndef SONDE_CLI_TEXT_TREE_H
#define SONDE_CLI_TEXT_TREE_H

#include "cli/selection.h"
#include "cli/tree_walk.h"

/* The exit status. `rest_hint` says where what is cut can be seen; NULL = by which option it was cut. */
int print_text_tree(struct selection *selection, struct answer *answer, const struct tree_cut *cut, const char *rest_hint);

#endif
