/* How far the export of one process is: a part of the whole, which only grows. */
#ifndef SONDE_EXPORT_GECKO_PROGRESS_H
#define SONDE_EXPORT_GECKO_PROGRESS_H

#include <stdint.h>

struct gecko_progress {
    void (*report)(void *data, double share); /* may be NULL */
    void *data;
    double from, to;      /* what this process is of the whole */
    uint64_t total, done; /* rows to be written */
};

enum { GECKO_PROGRESS_ROWS = 1 << 16 }; /* so many between two reports */

/* The share of reading in the work on one process; the rest is writing. */
#define GECKO_READING 0.3

static inline void gecko_progress_reading(const struct gecko_progress *progress, double share)
{
    if (progress->report)
        progress->report(progress->data, progress->from + (progress->to - progress->from) * GECKO_READING * share);
}

static inline void gecko_progress_written(struct gecko_progress *progress, uint64_t rows)
{
    progress->done += rows;
    if (!progress->report || progress->total == 0)
        return;
    double share = progress->done < progress->total ? (double)progress->done / (double)progress->total : 1;
    share = GECKO_READING + (1 - GECKO_READING) * share;
    progress->report(progress->data, progress->from + (progress->to - progress->from) * share);
}

#endif
