/* What was at an address at a time: ranges of addresses, each from its time on, until another one takes the place.
 *
 * The ranges cut the addresses into pieces, which are the leaves of a segment tree; a node has the ranges that cover all of it
 * and not all of the node above, by time. So an answer is a search in each node from a leaf to the root, and building takes
 * the time of a sort, whatever the ranges are. */
#ifndef SONDE_COMMON_TIME_RANGES_H
#define SONDE_COMMON_TIME_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct time_range {
    uint64_t start, size; /* what reaches over the end of memory ends there; size 0 = nowhere */
    uint64_t since;
};

struct time_ranges {
    uint64_t *points; /* where the pieces begin, ascending */
    size_t point_count;
    uint64_t *since;   /* of the ranges by time; of one time: in the order they were given */
    uint32_t *numbers; /* which of the given ranges that is */
    uint32_t *first;   /* of each node, where its ranges begin in … */
    uint32_t *ranks;   /* … this, which has positions in `since` */
};

/* A zeroed struct has no ranges. On failure (the heap is empty, or there are 2^31 of them) it is empty, too. */
bool time_ranges_build(struct time_ranges *ranges, const struct time_range *given, size_t count);

/* The number of the newest range at or before `time` that has the address; UINT32_MAX = none. */
uint32_t time_ranges_newest(const struct time_ranges *ranges, uint64_t address, uint64_t time);

/* The oldest one after `time`. */
uint32_t time_ranges_next(const struct time_ranges *ranges, uint64_t address, uint64_t time);

void time_ranges_free(struct time_ranges *ranges);

#endif
