/* CPU time of samples: what a thread's `cpu_delta` column comes to in milliseconds and percent. */
#ifndef SONDE_TREE_CPU_H
#define SONDE_TREE_CPU_H

#include "common/error.h"
#include "profile/profile.h"

/* How much of a cpu_delta is a millisecond of one whole CPU: fixed for times, for cycles the most that any thread had between
 * two samples. 0 where the profile does not say what it counts. 0 or -ENOMEM. */
int cpu_reference_per_ms(const struct profile *profile, double *reference, struct error *error);

/* How busy the CPU was before each of `count` samples: whole percents up to 100; unknown counts as busy. `percent` has room for
 * one number more, the time after the last sample: 0, as the time before the first one. */
void cpu_percents(const double *deltas, const double *times, size_t count, double reference, uint8_t *percent);

#endif
