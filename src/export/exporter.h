/* Writing profiles in the formats of other tools.
 *
 * An exporter is one function in one file: it writes the whole profile to a sink, which stays the caller's to close. */
#ifndef SONDE_EXPORT_EXPORTER_H
#define SONDE_EXPORT_EXPORTER_H

#include "common/byte_sink.h"
#include "common/error.h"
#include "profile/profile.h"

/* The Firefox Profiler's processed format, in the oldest version that can hold the profile (see processed.c).
 * 0 or a negative errno. */
int export_processed(const struct profile *profile, struct byte_sink *sink, struct error *error);

/* Chrome trace events, which chrome://tracing, Perfetto and Chrome DevTools read (see chrome_trace.c). 0 or a negative errno.
 */
int export_chrome_trace(const struct profile *profile, struct byte_sink *sink, struct error *error);

/* Folded stacks, one line for each distinct call path over the given threads (see folded.c). 0 or a negative errno. */
int export_folded(const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                  struct byte_sink *sink, struct error *error);

#endif
