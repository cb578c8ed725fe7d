/* A call tree for people, line by line.
 *
 *     total    samples  self  function
 *     100.0%        10     0  main  app
 *     100.0%        10     0  run  app            the only callee of main: no branch, same column
 *      60.0%         6     4  ├─ draw  app
 *      20.0%         2     2  │  memcpy  libc.so.6
 *      40.0%         4     4  └─ read  libc.so.6  … 2 more
 *
 * Behind functions of language runtimes stands how their code ran most of the time, (optimised) or (optimised 62%).
 *
 * Deep stacks are mostly chains of functions that call only one other; without an indent for these, what branches is in view.
 */
#ifndef SONDE_PRINT_TREE_LINES_H
#define SONDE_PRINT_TREE_LINES_H

#include "common/text_buffer.h"
#include "print/style.h"
#include "print/text.h"
#include "print/tree_walk.h"
#include "tree/tiers.h"

/* Bottom-up a tree can also stand on its head, with the callers above what they called:
 *
 *     100.0%        10        ┌─ main
 *      30.0%         3     ┌─ load
 *      70.0%         7     ├─ run
 *     100.0%        10     read
 */

/* A level at which there are several nodes side by side. */
struct tree_branch {
    size_t depth;
    bool last; /* of them: the line does not go on below it */
};

struct tree_lines {
    const struct func_list *funcs;
    const struct answer *answer;
    struct terminal terminal;
    struct line line; /* what was put together last, for the caller to write and to clear */
    size_t total_width, self_width;
    struct tier_list tiers;
    bool of_parent;                   /* shares are those of the parent's total */
    bool without_own;                 /* the own share of a node is no column of numbers: callers have none */
    bool emphasis;                    /* the next row stands out */
    struct slice toggle;              /* two columns before the next name: whether what it calls is shown; usually empty */
    bool upside_down;                 /* rows are to be written in reverse order */
    struct text_buffer name;          /* of the row, as it is shown */
    VEC(struct tree_branch) branches; /* on the way to the current row */
};

/* How a function ran, for people: the tier of most of it, and of how much of it where that is not nearly all; or empty. */
struct tier_text {
    char text[32];
};
struct tier_text tier_text(const struct tier_list *tiers, uint32_t func);

/* `lines` needs no initialisation. */
void tree_lines_begin(struct tree_lines *lines, const struct func_list *funcs, const struct answer *answer,
                      const struct terminal *terminal);
void tree_lines_free(struct tree_lines *lines);

/* Both add to an empty `lines->line`. */
void tree_lines_heading(struct tree_lines *lines, bool inverted);
void tree_lines_row(struct tree_lines *lines, const struct tree_row *row); /* as a walk gives them */

#endif
