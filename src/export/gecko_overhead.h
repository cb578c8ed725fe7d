/* What the sampler's loops cost: `profilerOverhead`.
 *
 * All of it is in microseconds, the times of the rows, too, because that is what the front-end takes them for. */
#ifndef SONDE_EXPORT_GECKO_OVERHEAD_H
#define SONDE_EXPORT_GECKO_OVERHEAD_H

#include "common/json_writer.h"
#include "export/gecko_rows.h"
#include "session/entry.h"

enum gecko_cost { COST_INTERVAL, COST_ALL, COST_LOCKING, COST_CLEANING, COST_COUNTERS, COST_THREADS, COST_COUNT };

struct gecko_cost_sum {
    uint64_t count, sum, least, most; /* nanoseconds */
};

struct gecko_overhead {
    struct gecko_rows rows;
    uint64_t first, last; /* times */
    struct gecko_cost_sum sums[COST_COUNT];
};

/* A zeroed struct is empty. False when the heap is empty. */
bool gecko_overhead_add(struct gecko_overhead *overhead, const struct overhead_entry *entry);

/* The key `profilerOverhead`, unless there are no rows. */
void gecko_overhead_write(const struct gecko_overhead *overhead, struct json_writer *w);

void gecko_overhead_free(struct gecko_overhead *overhead);

#endif
