/* Markers: from a call in the program to an entry in the thread's own chunk, without a lock or an allocation.
 *
 *     is it recording? · my registration · are my markers wanted? · enter · session · write into my chunk · leave
 *
 * Entering (live.h) keeps the session from being unmapped meanwhile. A thread takes a new chunk when its own is full or of
 * another session. Threads that nobody registered share one chunk, under the core lock; their markers stand on the track of the
 * main thread. */
#ifndef SONDE_CAPTURE_MARKERS_MARKER_WRITE_H
#define SONDE_CAPTURE_MARKERS_MARKER_WRITE_H

#include "capture/core/core.h"

/* Behind the table of sonde/api.h. */
void marker_add(struct sonde_marker_type *type, const char *name, size_t name_length, sonde_category category,
                const struct sonde_marker_options *options, const void *values);
uint64_t flow_of(uintptr_t object);

/* As marker_add(), on the track of the main thread, for the library's own threads, whether or not they hold the
 * core lock. */
void marker_add_own(struct sonde_marker_type *type, const char *name, size_t name_length, sonde_category category,
                    const struct sonde_marker_options *options, const void *values);

/* In a forked child: what flows through it is not what flowed through its parent. */
void flow_forked(void);

#endif
