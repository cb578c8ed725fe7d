/* Counters: numbers that the program, or libsonde on its behalf, counts up and down, and that are written down at every tick
 * at which they have changed.
 *
 * Where a counter counts is memory of the library, on a cache line of its own, and is never freed: whoever counts needs no lock
 * and may be unloaded. Counters are independent of each other, also if they have the same name, and are kept in the order in
 * which they were registered. One that was never used is not in the session. */
#ifndef SONDE_CAPTURE_COUNTERS_H
#define SONDE_CAPTURE_COUNTERS_H

#include "capture/core.h"

/* Counters beyond these share one that is never written down. */
enum { COUNTERS_MAX = 1024 };

/* The sampler, every tick, after the parts' tick: COUNTER for those that are used for the first time, COUNTER_SAMPLE. */
void counters_tick(const struct core_locked *locked, uint64_t now_ns);

#endif
