/* How much memory was allocated and not freed, over time: its peak and its end. */
#ifndef SONDE_TREE_ALLOCATION_PEAK_H
#define SONDE_TREE_ALLOCATION_PEAK_H

#include "tree/rows.h"
#include "tree/uncertainty.h"

struct allocation_sum {
    double bytes, blocks;
    struct uncertainty uncertainty; /* of the bytes */
};

struct allocation_peak {
    bool any;                              /* there are allocations that frees can be matched with */
    double start, end;                     /* the first and the last of their times, ms */
    double time;                           /* when most was live; of several such moments the first */
    struct allocation_sum at;              /* what was live then … */
    struct allocation_sum left, allocated; /* … and at the end; and all that was allocated */
};

/* Of the rows that the selection counts, of all its threads together: a process that has ended holds nothing any
 * more. What was allocated before them is not known of. */
int allocation_peak_find(const struct profile *profile, const struct row_selection *selection, struct allocation_peak *peak,
                         struct error *error);

/* When the process of a thread ended, and gave back all of its memory, ms; infinite where that is not known. */
double allocation_process_end(const struct thread *thread);

/* What is looked at, in ms: the range that was chosen, or from the first to the last row. */
double allocation_span_start(const struct row_selection *selection, const struct allocation_peak *peak);
double allocation_span_end(const struct row_selection *selection, const struct allocation_peak *peak);

#endif
