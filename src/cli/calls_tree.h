/* sonde calls --tree: calls and events of threads as trees, with the time that each takes.
 *
 *       total     time      self  count  top-down
 *      100.0%  12.3 ms    1.0 ms      3  FunctionCall
 *       60.0%   7.4 ms    7.4 ms      2  ├─ draw  app.js:12
 *       31.9%   3.9 ms    3.9 ms      1  └─ Layout */
#ifndef SONDE_CLI_CALLS_TREE_H
#define SONDE_CLI_CALLS_TREE_H

#include "cli/calls_input.h"

/* Both return the exit status. */
int calls_tree_print(struct calls_input *input);
int calls_tree_print_json(struct calls_input *input);

#endif
