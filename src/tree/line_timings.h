/* Samples per source line. */
#ifndef SONDE_TREE_LINE_TIMINGS_H
#define SONDE_TREE_LINE_TIMINGS_H

#include "tree/call_node_table.h"
#include "tree/line_row.h"
#include "tree/path.h"
#include "tree/weigh.h"

/* All of a source file: self where the leaf is on the line, total where any frame is (once however often). Lines that come to
 * nothing are left out. */
int line_timings_of_source(const struct view *view, const struct stack_weights *weights, uint32_t source,
                           struct line_timings *lines, struct error *error);

/* The same for the frames of one function only, whatever its file; `lines --function`. */
int line_timings_of_func(const struct view *view, const struct stack_weights *weights, uint32_t func,
                         struct line_timings *lines, struct error *error);

/* One call node: on which lines it was. `self` counts samples that ended in it. Lines that come to 0 stay. With `inverted` the
 * path starts at the leaf. No rows where there is no such node. */
int line_timings_of_path(const struct view *view, const struct call_node_table *nodes, const struct stack_weights *weights,
                         const struct path *path, bool inverted, struct line_timings *lines, struct error *error);

/* The line with the largest total (of equal ones the one seen first), or INDEX_NONE. */
uint32_t line_timings_hottest(const struct line_timings *lines);

#endif
