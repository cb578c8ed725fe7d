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

/* What is counted in folded stacks, other than samples with their weights: the export does not know how. */
struct folded_weights {
    /* Adds to `values` what each stack of the profile came to in this thread. 0 or a negative errno. */
    int (*weigh)(void *data, struct thread_index thread, double *values, struct error *error);
    void *data;
};

/* Folded stacks, one line for each distinct call path over the given threads (see folded.c); `weights` NULL = of samples. 0 or
 * a negative errno. */
int export_folded(const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                  const struct folded_weights *weights, struct byte_sink *sink, struct error *error);

/* What a pprof profile says of each stack, in one or several types: the export does not know how they are counted. */
struct pprof_type_name {
    const char *name, *unit; /* as in "cpu" and "nanoseconds" */
};
struct pprof_counts {
    const struct pprof_type_name *types;
    size_t type_count, default_type;
    /* What each stack of the profile came to in samples of this thread. 0 or a negative errno. */
    int (*count)(void *data, struct thread_index thread, size_t type, double *values, struct error *error);
    void *data;
};

/* pprof (see pprof.c). 0 or a negative errno. */
int export_pprof(const struct profile *profile, const struct pprof_counts *counts, struct byte_sink *sink, struct error *error);

#endif
