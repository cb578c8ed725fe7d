/* The chunk of what belongs to no thread: counters, pauses, looks at this process. Written under the core lock. */
#ifndef SONDE_CAPTURE_CORE_COMMON_CHUNK_H
#define SONDE_CAPTURE_CORE_COMMON_CHUNK_H

#include "capture/core/core.h"

/* Appends an entry (PAUSE …, COUNTER_SAMPLE, LOOK). As kept_put(). */
bool common_put(const struct core_locked *locked, size_t max, size_t (*write)(uint8_t *out, size_t room, const void *entry),
                const void *entry);

/* The session is about to end: gives the chunk back. */
void common_end(const struct core_locked *locked);

#endif
