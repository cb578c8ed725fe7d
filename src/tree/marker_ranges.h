/* When markers were: for sample filters that keep what happened during some markers, or outside of them. */
#ifndef SONDE_TREE_MARKER_RANGES_H
#define SONDE_TREE_MARKER_RANGES_H

#include "common/vec.h"
#include "tree/view.h"

struct time_ranges {
    VEC(struct time_range) items;
};

/* Sorts by start and joins what touches or overlaps. */
void time_ranges_join(struct time_ranges *ranges);

/* The times covered by markers of these threads that have an end and match the search `terms`, ascending and apart from each
 * other. `ranges` is empty before, and to be freed in any case. */
int marker_ranges_find(const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                       struct slice terms, struct time_ranges *ranges, struct error *error);

/* The same of markers with exactly this name. */
int marker_ranges_named(const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                        struct slice name, struct time_ranges *ranges, struct error *error);

/* Makes `to` from `from`: only samples and allocations within the ranges count, or only those outside of them. On failure `to`
 * is empty. */
int time_ranges_filter(const struct view *from, const struct time_ranges *ranges, bool outside, struct view *to,
                       struct error *error);

#endif
