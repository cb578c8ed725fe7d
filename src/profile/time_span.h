/* When a profile starts and ends. */
#ifndef SONDE_PROFILE_TIME_SPAN_H
#define SONDE_PROFILE_TIME_SPAN_H

#include "profile/profile.h"

struct time_span {
    double start, end; /* ms on the profile's own clock; both NaN where it holds no time at all */
};

/* From the earliest to the latest sample, marker or counter time: times given to and by people count from this start.
 * 0 or -ENOMEM. */
int profile_time_span(const struct profile *profile, struct time_span *span, struct error *error);

/* The same of one thread: its samples and markers. */
int thread_time_span(const struct thread *thread, struct time_span *span, struct error *error);

#endif
