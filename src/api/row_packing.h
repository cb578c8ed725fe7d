/* Rows for intervals that come in the order of their start: each goes to the first row whose last one is over.
 *
 *     ├── a ──┤  ├─ c ─┤        row 0
 *        ├── b ────┤  ├ d ┤     row 1
 */
#ifndef SONDE_API_ROW_PACKING_H
#define SONDE_API_ROW_PACKING_H

#include <stddef.h>
#include <stdint.h>

/* A zeroed struct has no rows. It is a tree over rows: each inner node has the earliest end of the rows below it, so that the
 * first row that is free is found in as many steps as the tree is deep. */
struct row_packing {
    double *earliest; /* node 1 is the root, 2N and 2N+1 are below N; the rows are nodes `capacity` and up */
    size_t capacity;  /* a power of two; 0 = nothing yet */
    uint32_t rows;    /* in use */
};

/* The row of the next interval; UINT32_MAX when the heap is empty. No time is NaN. */
uint32_t row_packing_add(struct row_packing *packing, double start, double end);
void row_packing_free(struct row_packing *packing);

#endif
