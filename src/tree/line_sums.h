/* What the timings of lines and of addresses share: the weights of stacks, added up for the places that the stacks are at. */
#ifndef SONDE_TREE_LINE_SUMS_H
#define SONDE_TREE_LINE_SUMS_H

#include "common/map.h"
#include "tree/line_row.h"
#include "tree/weigh.h"

/* Lines get row numbers as they are met. */
struct line_sums {
    struct line_timings *lines;
    struct map by_line;
};

/* INDEX_NONE when the heap is empty. */
uint32_t line_sums_row(struct line_sums *sums, uint32_t line);

/* Takes rows out that nothing was counted for (that come to nothing, if `drop_zero`), and sorts the others. */
void line_sums_finish(struct line_sums *sums, bool drop_zero);

void line_row_add(struct line_row *row, uint32_t first, double self, double total);

/* Everything that is known of the stacks of a view while lines are added up. */
struct stack_sums {
    double *weight;  /* of samples that end in it; after stack_sums_add_totals() in it or below it */
    uint32_t *first; /* the first stack of the profile whose samples end in it, INDEX_NONE = none do */
    uint32_t *row;   /* of the line it is on, INDEX_NONE = not on any that counts */
};

/* `stacks` needs no initialisation; on failure it is empty. */
int stack_sums_begin(const struct view *view, const struct stack_weights *weights, struct stack_sums *stacks,
                     struct error *error);
void stack_sums_free(struct stack_sums *stacks);

/* The totals of all rows: a stack counts for its row unless a caller is on the same one already. */
int stack_sums_add_totals(const struct view *view, struct stack_sums *stacks, struct line_timings *lines, struct error *error);

#endif
