/* Trees as text, a line per node, indented by its depth: "A (3 | 0)" is a total of 3 and a self of 0. */
#ifndef SONDE_TESTS_TREE_TREE_TEXT_H
#define SONDE_TESTS_TREE_TREE_TEXT_H

#include "tree/query.h"

/* To be given to free(). */
char *tree_text(struct answer *answer, bool inverted);

/* Runs the query and compares its tree. */
void assert_tree_text(const struct view *whole, const struct query *query, const char *expected);

/* Draws a profile of one thread (text_profile.h), applies transforms (as on the command line, separated by spaces; NULL for
 * none), and compares the tree. */
void assert_transformed(const char *samples, const char *transforms, const char *expected);

#endif
