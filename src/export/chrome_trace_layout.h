/* Where rows with weights of their own stand in a format whose samples each stand for the time until the next.
 *
 *     rows       time 4, weight 3    time 5, weight 2    time 6, weight 1    time 12, weight 2     each ends at its time
 *     in order   [1 ··· 4)           [4 · 6)             [6 7)               [10 · 12)             each has its weight
 *
 * What rows of Sonde stand for adds up to the time that passed, but not row by row: those of one look at a thread share its
 * time. So they follow each other, each as long as its weight, from where the first began; nothing is between two of them
 * unless all that follow can still end at their own times. */
#ifndef SONDE_EXPORT_CHROME_TRACE_LAYOUT_H
#define SONDE_EXPORT_CHROME_TRACE_LAYOUT_H

#include "profile/sample_table.h"

#include <stdbool.h>

struct chrome_row {
    double start, end; /* ms; NaN where the row has no time */
};

/* For tables whose weights precede. The rows are to be given to memory_release(); NULL when the heap is empty. */
struct chrome_row *chrome_rows_in_order(const struct sample_table *samples);

#endif
