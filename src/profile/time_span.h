/* When a profile starts and ends. */
#ifndef SONDE_PROFILE_TIME_SPAN_H
#define SONDE_PROFILE_TIME_SPAN_H

#include "profile/profile.h"

struct time_span {
    double start, end; /* ms on the profile's own clock; both NaN where it holds no time at all */
};

/* From the earliest to the latest sample, marker or counter time: times given to and by people count from this start. Where
 * there are none of these, from when the first thread began to when the last one ended, of those whose end is known. */
struct time_span profile_time_span(const struct profile *profile);

/* What the Firefox Profiler takes for the whole: the times that meta gives, else from the first sample of any thread to an
 * interval after the last one. Infinite the wrong way round (start > end) where nothing has a time. */
struct time_span profile_root_span(const struct profile *profile);

/* The same of one thread, without regard to meta: from its first sample to `interval` after the last one, or its markers
 * where it has no samples; allocations extend it. */
struct time_span thread_root_span(const struct thread *thread, double interval);

#endif
