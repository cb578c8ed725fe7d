/* --limit, --depth, --min, --width and --json: how much of an answer is shown, and how. */
#ifndef SONDE_CLI_CUT_H
#define SONDE_CLI_CUT_H

#include "cli/common_options.h"
#include "cli/terminal.h"
#include "print/tree_walk.h"

extern const struct option_group output_group;

/* --group and --percent, of trees. */
extern const struct option_group tree_group;

/* What people get to see where they did not say: enough for an overview. JSON is complete unless they did. */
enum { ROWS_FOR_PEOPLE = 40 };
#define PERCENT_FOR_PEOPLE 1.0

/* The cut of a tree whose percentages refer to `root_total`. */
struct tree_cut cut_of_tree(const struct common_options *options, double root_total);

/* How many rows of a list are shown. */
size_t cut_of_list(const struct common_options *options);

/* What text for people is written to; it is from now on paged where it is long, so it is for text alone. */
struct terminal terminal_of_options(const struct common_options *options);

#endif
