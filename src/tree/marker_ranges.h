/* When markers were: for sample filters that keep what happened during some markers, or outside of them. */
#ifndef SONDE_TREE_MARKER_RANGES_H
#define SONDE_TREE_MARKER_RANGES_H

#include "common/vec.h"
#include "tree/view.h"

struct time_ranges {
    VEC(struct time_range) items;
};

/* The times covered by markers of these threads that have an end and match the search `terms`, ascending and apart from each
 * other. `ranges` is empty before, and to be freed in any case. */
int marker_ranges_find(const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                       struct slice terms, struct time_ranges *ranges, struct error *error);

#endif
