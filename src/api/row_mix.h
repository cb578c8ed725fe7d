/* Of which categories rows of the top-down tree are made: what ran in a function, and in all that it called. */
#ifndef SONDE_API_ROW_MIX_H
#define SONDE_API_ROW_MIX_H

#include "api/row_list.h"

struct row_mix_part {
    uint32_t row; /* of those that were asked about */
    uint32_t category;
    double total;
};

/* A zeroed struct has none. */
struct row_mix {
    VEC(struct row_mix_part) parts; /* by row, the largest first */
};

/* Rows from `first` to `end` of the list, which are numbered from 0 on. False when the heap is empty. */
bool row_mix_find(const struct answer *answer, const struct row_list *list, size_t first, size_t end, struct row_mix *mix);
void row_mix_free(struct row_mix *mix);

#endif
