/* -o of sonde diff: the call trees of both sides as one, in a file. */
#ifndef SONDE_CLI_DIFF_OUTPUT_H
#define SONDE_CLI_DIFF_OUTPUT_H

#include "cli/diff.h"

/* By the name of the file:
 *
 *     .svg                          a flame graph of both
 *     .folded, .collapsed, .txt, -  folded stacks with two counts (`main;draw 40 55`), as difffolded.pl writes them
 *
 * Before anything is read: EXIT_OK, or EXIT_USAGE after saying what is wrong. */
int diff_output_check(const struct command *command, const char *output);

/* EXIT_OK, or EXIT_DATA after saying what is wrong. */
int diff_output_write(struct diff *diff);

#endif
