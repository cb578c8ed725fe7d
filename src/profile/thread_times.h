/* How threads spent their time. */
#ifndef SONDE_PROFILE_THREAD_TIMES_H
#define SONDE_PROFILE_THREAD_TIMES_H

#include "profile/profile.h"

/* CPU time in ms: the sum of the samples' CPU deltas; NaN where the profile does not say, or counts cycles. */
double thread_cpu_ms(const struct profile *profile, const struct thread *thread);

/* How a thread spent its time, where rows have weights; NaN where they have none. */
struct thread_times {
    double waiting_ms, ready_ms;
    size_t samples; /* of the rows: it ran, and was seen; all of them where rows have no weights */
    size_t looks;   /* of the rows: it waited, or wanted a CPU */
};

struct thread_times thread_times(const struct profile *profile, const struct thread *thread);

/* The same of the rows from `start` until `end`, in ms of the profile's own time, and their CPU time. */
struct range_times {
    size_t rows;
    double cpu_ms; /* NaN as above */
    double waiting_ms, ready_ms;
};

struct range_times thread_range_times(const struct profile *profile, const struct thread *thread, double start, double end);

/* The thread with the most CPU time, or with the most samples where no thread's CPU time is known. The profile has threads. */
struct thread_index thread_busiest(const struct profile *profile);

#endif
