/* What alone.c and alone_waits.c find in the files of the programs that they play. */
#ifndef SONDE_TESTS_CAPTURE_ALONE_SEEN_H
#define SONDE_TESTS_CAPTURE_ALONE_SEEN_H

#include "brief_play.h"
#include "rows.h"

#include <stdbool.h>
#include <stdint.h>

enum { MS = 1000000 }; /* in nanoseconds */

struct seen {
    struct rows rows;
    uint64_t first, later, waiting; /* rows of the first thread in these functions … */
    uint64_t helper_later;          /* … and of others */
    uint64_t waiting_cpu_ns;
    uint64_t last_tick, uneven; /* ticks of the first thread that are not an interval after the one before */
};

/* Valid until the next call. */
const struct seen *see(const struct left_file *file);

uint64_t statistic(const struct left_file *file, enum session_statistic which);

/* Of the last one that was played: it did not have a CPU whenever it wanted one. Then the kernel, which looks at timers of CPU
 * time in its ticks, raises fewer signals, and a quarter of a second is over sooner. */
extern bool was_busy;

/* Plays it with new facts, and prints what was seen. The caller forgets it. */
struct played play(const char *scene);

/* So many where it had a CPU all the time, else one at least. */
void assert_enough(uint64_t count, uint64_t wanted);

/* It has got no thread; or a quarter of a second was over. */
void assert_alone(uint64_t tasks);

/* One file, of a program that went well. */
const struct left_file *only_file(const struct played *played, int exit_status);

#endif
