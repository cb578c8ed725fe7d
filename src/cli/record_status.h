/* The line that `record` keeps up to date on standard error while it records:
 *
 *     sonde: 12.3 s  2 processes  4 threads  12,310 samples  buffer 3 of 512 MiB  0 lost
 *
 * Only where standard error is a terminal and standard output is not: a program that prints to the terminal has it for
 * itself. */
#ifndef SONDE_CLI_RECORD_STATUS_H
#define SONDE_CLI_RECORD_STATUS_H

#include "record/live.h"

#include <stdbool.h>

enum { RECORD_STATUS_MS = 250 };

struct record_status {
    struct live_session live;
    bool shown;
    bool drawn;
    uint64_t buffer_bytes;
    double started; /* ms */
};

void record_status_begin(struct record_status *status, const char *folder, uint64_t buffer_bytes);
void record_status_draw(void *status);
void record_status_end(struct record_status *status);

#endif
