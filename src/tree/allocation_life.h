/* Which allocations are leaks, as far as a recording can tell: never freed, and old enough that this means something. Used
 * inside src/tree/ only.
 *
 *     start ─────────────────────────────────────────────────── 90 % ──────── end
 *        ■──────────■  ■───────■    lives: the longest of this stack
 *             ●─────────────────────────────────────────────────────────────── never freed, older than any life: a leak
 *                                               ●────────────────────────────── younger than the longest life
 *                                                              ●─────────────── of the last tenth
 *
 * Blocks that are freed in the last tenth tell nothing of how long blocks live: programs clean up when they end. */
#ifndef SONDE_TREE_ALLOCATION_LIFE_H
#define SONDE_TREE_ALLOCATION_LIFE_H

#include "tree/allocation_rows.h"

struct allocation_lives {
    uint8_t *is_freed; /* by row */
    double *longest;   /* by stack of the profile: ms; 0 = none ended */
    double end, young; /* of the recording; who is allocated from `young` on is too young */
};

/* `start` and `end` are those of all that is counted. `lives` needs no initialisation, and is to be freed in any case. */
int allocation_lives_find(struct allocation_rows *rows, size_t stack_count, double start, double end,
                          struct allocation_lives *lives, struct error *error);
void allocation_lives_free(struct allocation_lives *lives);

static inline bool allocation_lives_is_left(const struct allocation_lives *lives, const struct allocation_rows *rows,
                                            size_t row)
{
    return !allocation_rows_is_free(rows, row) && !lives->is_freed[row];
}

static inline bool allocation_lives_is_leak(const struct allocation_lives *lives, const struct allocation_rows *rows,
                                            size_t row)
{
    double time = rows->time[row];
    return allocation_lives_is_left(lives, rows, row) && time < lives->young &&
           (rows->stack[row] == INDEX_NONE || lives->end - time >= lives->longest[rows->stack[row]]);
}

#endif
