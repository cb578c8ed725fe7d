/* A bar on standard error for loads that take a while:
 *
 *     profile.json.gz  [##########............]  43 %
 *
 * Only on a terminal, only once the work has taken a third of a second (unless it is told otherwise), and gone without a trace
 * when it is done. */
#ifndef SONDE_COMMON_PROGRESS_H
#define SONDE_COMMON_PROGRESS_H

#include "common/byte_source.h"

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *label; /* the caller's; must outlive the bar */
    int fd;            /* -1 = shows nothing */
    bool shown;
    uint64_t started_ms;
    uint64_t drawn_ms;
};

/* Starts the clock. `fd` is where to draw, usually STDERR_FILENO; nothing is drawn unless it is a terminal. */
void progress_begin(struct progress *progress, const char *label, int fd);

/* What byte_source_open wants, to move this bar. */
struct byte_progress progress_of_bytes(struct progress *progress);

/* Moves the bar; `total` 0 = unknown, which shows the amount done instead. */
void progress_report(struct progress *progress, uint64_t done, uint64_t total);

/* The same at once, however short the work was so far: what comes next may take long, and moves nothing meanwhile. */
void progress_show(struct progress *progress, uint64_t done, uint64_t total);

/* Erases the bar. */
void progress_end(struct progress *progress);

#endif
