/* Counters: numbers that the program, or libsonde on its behalf, counts up and down, and that are written down in every
 * loop in which they have changed.
 *
 * Where a counter counts is memory of the library, on a cache line of its own, and is never freed: whoever counts needs no lock
 * and may be unloaded. Counters are independent of each other, also if they have the same name, and are kept in the order in
 * which they were registered. One that was never used is not in the session. */
#ifndef SONDE_CAPTURE_COUNTERS_COUNTERS_H
#define SONDE_CAPTURE_COUNTERS_COUNTERS_H

#include "capture/core/core.h"

/* Counters beyond these share one that is never written down. */
enum { COUNTERS_MAX = 1024 };

/* Behind the table of sonde/api.h. */
void counter_register(struct sonde_counter *counter);

/* Whether the program has any. */
bool counters_are_used(const struct core_locked *locked);

/* The background thread, in each loop, after the parts', and the end of a session: COUNTER for those that are used for the
 * first time, COUNTER_SAMPLE. */
void counters_loop(const struct core_locked *locked, uint64_t now_ns);

/* A session begins: writes anew, into CHUNK_KEPT, what its entries will refer to. Under the core lock. */
void counters_begin(const struct core_locked *locked);

#endif
