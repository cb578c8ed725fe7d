/* What the parts of the importer of Chrome traces share. Only the files src/import/trace_*.c include it. */
#ifndef SONDE_IMPORT_TRACE_IMPORT_H
#define SONDE_IMPORT_TRACE_IMPORT_H

#include "import/trace_payload.h"
#include "trace/trace.h"

/* A category of markers. */
struct trace_category {
    struct string_index name;
    struct category_index index;
};

struct trace_import {
    struct profile *profile;
    struct trace trace; /* its strings have become those of the profile */
    struct error *error;
    uint32_t *thread_of;      /* by thread of the trace: that of the profile, INDEX_NONE = it is left out */
    uint32_t *main_thread_of; /* by thread of the trace: that of the profile which stands for its process */
    struct trace_payloads payloads;
    struct map category_rows; /* names of categories → rows of `categories` */
    VEC(struct trace_category) categories;
    size_t most_samples; /* of a thread so far */
    bool is_thin;        /* with the samples that the Firefox Profiler takes */
    bool samples_are_events;
    double first, last; /* ms, of all that came into the profile; NaN = nothing yet */
};

/* ---- the parts: 0 or a negative errno ---- */

/* Adds the threads that have anything, sorted as viewers of traces sort them, with their names. */
int trace_import_threads(struct trace_import *import);

/* The stacks and samples of all threads. */
int trace_import_samples(struct trace_import *import);

/* After the markers, since it changes the events. Where no thread has samples: those that its events make, see there. Not for
 * the numbers of the Firefox Profiler. */
int trace_import_event_samples(struct trace_import *import);

/* The markers of all threads, and what is to be known of their types. */
int trace_import_markers(struct trace_import *import);

int trace_import_counters(struct trace_import *import);

/* ---- what they need ---- */

static inline void trace_import_note_time(struct trace_import *import, double time)
{
    if (!(import->first <= time))
        import->first = time;
    if (!(import->last >= time))
        import->last = time;
}

#endif
