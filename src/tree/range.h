/* Ranges of time: the whole profile, and the form they have in addresses of the Firefox Profiler. */
#ifndef SONDE_TREE_RANGE_H
#define SONDE_TREE_RANGE_H

#include "common/error.h"
#include "profile/profile.h"
#include "tree/view.h"

/* The earliest time of a sample, marker or counter: zero for everything the command prints. 0 for an empty profile. */
int profile_zero_time(const struct profile *profile, double *zero, struct error *error);

/* What is looked at when no range is asked for: meta's profiling start and end, else from the first sample to an interval after
 * the last one. */
int profile_root_range(const struct profile *profile, struct time_range *range, struct error *error);

/* The same for one thread, without regard to meta: samples, else markers; allocations extend it. start > end where the thread
 * has nothing. */
int thread_time_range(const struct profile *profile, const struct thread *thread, struct time_range *range,
                      struct error *error);

/* The first row whose time is not before `time`, searched from row `first` on. */
size_t times_lower_bound(const double *times, size_t first, size_t count, double time);

/* ---- `10m20~5u300`: start and duration in ms, us or ns, relative to the root range ---- */

enum { RANGE_TEXT_MAX = 64 };

/* Returns the length. `text` has room for RANGE_TEXT_MAX bytes. */
size_t range_encode(const struct time_range *range, char *text);
/* One range; false where the text is none. */
bool range_decode(struct slice text, struct time_range *range);

#endif
