/* An allocation table as plain arrays, and frees matched with what they free. Used inside src/tree/ only. */
#ifndef SONDE_TREE_ALLOCATION_ROWS_H
#define SONDE_TREE_ALLOCATION_ROWS_H

#include "common/map.h"
#include "tree/rows.h"
#include "tree/uncertainty.h"

struct allocation_rows {
    size_t count;
    uint32_t *stack;        /* INDEX_NONE also where the row was dropped */
    double *time, *weight;  /* ms; bytes, of frees negative */
    double *address, *size; /* NULL where frees cannot be matched, and where nobody knows */
    struct rows rows;
    bool blocks;        /* these are counted, not bytes */
    struct map live;    /* rows of `newest` */
    VEC(size_t) newest; /* in pairs: a row that tells an address for good, and the newest one, SIZE_MAX once it was freed */
};

/* `rows` needs no initialisation, and is to be freed in any case. */
int allocation_rows_read(const struct allocation_table *table, const struct row_selection *selection,
                         struct allocation_rows *rows, struct error *error);
void allocation_rows_free(struct allocation_rows *rows);

/* What an allocation, or a free, counts. */
struct allocation_count {
    double weight; /* NaN where the file says nothing */
    struct uncertainty uncertainty;
};
struct allocation_count allocation_rows_count(const struct allocation_rows *rows, size_t row);

/* The rows of a balanced table one after the other, from rows.first on. *freed: what a free freed, SIZE_MAX for allocations and
 * where that is not known. False when the heap is empty. */
bool allocation_rows_match(struct allocation_rows *rows, size_t row, size_t *freed);

static inline bool allocation_rows_is_free(const struct allocation_rows *rows, size_t row)
{
    return !(rows->weight[row] >= 0);
}

#endif
