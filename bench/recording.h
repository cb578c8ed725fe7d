/* A recording made by the measured process itself, and what its session says about it afterwards. */
#ifndef SONDE_BENCH_RECORDING_H
#define SONDE_BENCH_RECORDING_H

#include "session/format.h"

#include <stdbool.h>
#include <stdint.h>

struct recorded {
    uint64_t statistics[STATISTIC_COUNT];
    uint64_t held[HELD_BUCKETS];
    uint64_t bytes;      /* of entries that can be read */
    uint64_t file_bytes; /* of the file */
    uint64_t bad_entries;
    uint64_t oldest_ns, end_ns; /* what the entries span */
};

/* Starts one with the given interval and limit (0 = the default) into a new folder. Ends the program where it cannot. */
void recording_start(double interval_ms, uint64_t buffer_bytes);

/* Stops it, adds its figures to `sum`, removes it. */
void recording_stop(struct recorded *sum);

/* Adds the figures of all files in a session folder, and removes it. */
void recording_read(const char *folder, struct recorded *sum);

/* As members of a JSON object, without braces around them: the statistics by name, and "held": [counts by bucket]. */
void recorded_print_figures(const struct recorded *recorded);

#endif
