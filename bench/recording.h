/* A recording made by the measured process itself, and what its session says about it afterwards. */
#ifndef SONDE_BENCH_RECORDING_H
#define SONDE_BENCH_RECORDING_H

#include "session/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct recorded {
    uint64_t statistics[STATISTIC_COUNT];
    uint64_t held[HELD_BUCKETS];
    uint64_t files, files_sampled; /* process images, and those of them that have a sample */
    uint64_t bytes;                /* of entries that can be read */
    uint64_t file_bytes;           /* of disk space that the files have: they are sparse */
    uint64_t bad_entries;
};

/* Starts one with the given interval and limit (0 = the default) into a new folder. Ends the program where it cannot. */
void recording_start(double interval_ms, uint64_t buffer_bytes);

void recording_stop(void);

/* Adds the figures of the one that was stopped to `sum`, and removes it. */
void recording_read_own(struct recorded *sum);

/* Adds the figures of all files in a session folder, and removes it. */
void recording_read(const char *folder, struct recorded *sum);

/* As members of a JSON object, without braces around them: the statistics by name, and "held": [counts by bucket]. */
void recorded_print_figures(FILE *out, const struct recorded *recorded);

#endif
