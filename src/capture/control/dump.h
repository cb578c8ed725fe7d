/* A dump that was ordered for later. The sampler thread makes it, so it comes even if all others are stuck. */
#ifndef SONDE_CAPTURE_CONTROL_DUMP_H
#define SONDE_CAPTURE_CONTROL_DUMP_H

#include "capture/core/core.h"

/* In `delay_s` seconds the profile is written to `path` ("%p" = pid); one that was ordered before is cancelled. While it is
 * written the file `path`.progress holds how far it is, as a number from 0 to 1. 0, -EINVAL, or -ENOTCONN: nothing is recorded.
 */
int dump_schedule(double delay_s, const char *path, bool exit_after);
/* True if there was one. */
bool dump_cancel(void);
/* Until the dump is made or cancelled, or the session has ended. 0, or what writing it ended with. */
int dump_wait(void);

/* For the sampler: when to write (UINT64_MAX = never), and doing it. */
uint64_t dump_deadline(const struct core_locked *locked);
void dump_write(void);

#endif
