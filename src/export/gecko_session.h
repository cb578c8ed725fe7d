/* What one pass over a session leaves: everything that the Gecko format says of a process, packed, ready to be written. */
#ifndef SONDE_EXPORT_GECKO_SESSION_H
#define SONDE_EXPORT_GECKO_SESSION_H

#include "export/gecko_categories.h"
#include "export/gecko_counters.h"
#include "export/gecko_libs.h"
#include "export/gecko_markers.h"
#include "export/gecko_samples.h"
#include "export/gecko_stacks.h"
#include "export/gecko_types.h"
#include "rows/thread_rows.h"
#include "session/reader.h"

struct gecko_thread {
    uint32_t number; /* in the session */
    int32_t tid;
    bool main, sampled;
    uint64_t register_ns, end_ns; /* UINT64_MAX = it has not ended */
    struct slice name;
    struct gecko_stacks stacks;
    struct gecko_path path;   /* its newest sample */
    struct observed observed; /* its samples, and the looks at it */
    struct gecko_markers markers;
};

/* Looks are at thread ids, whoever has them at the time. Their stacks are those of the thread, so what a look may share with
 * the one before is known as long as both are at the same one. */
struct gecko_tid {
    int32_t tid;
    uint32_t row; /* of the thread that `path` is of */
    struct gecko_path path;
};

/* UINT64_MAX: before what is kept, or not over yet. */
struct gecko_pause {
    uint64_t start, end;
    bool sampling_only;
};

/* The main thread comes first, the others by the time they were registered. */
struct gecko_thread_place {
    uint64_t register_ns;
    uint32_t row;
    bool main;
};

struct gecko_session {
    struct session_file_header header;
    struct session_reading reading;
    struct arena arena;           /* of the texts below */
    struct process_entry process; /* with the command line as it was last seen */
    struct slice process_name, feature_names, filters;
    struct slice product;       /* the name that it began with */
    struct slice process_title; /* what it is called where there are several */
    uint32_t image;             /* so many programs its process was before, in this profile */
    bool configured;
    uint64_t interval_ns, capacity_bytes, duration_ns;
    uint64_t start_ns; /* of the recording; later ones of the same process go on with it */
    uint64_t last_ns;  /* the latest time seen */
    uint64_t since_ns;
    struct gecko_categories categories;
    struct gecko_types types;
    struct gecko_counters counters;
    struct gecko_libs libs;
    struct code_index code;
    VEC(struct gecko_thread) threads;
    struct map thread_rows, thread_rows_by_tid;
    VEC(struct gecko_tid) tids;
    struct map tid_rows;
    bool has_waits, has_ready; /* time in which threads did not run */
    bool looks_recycled;
    uint64_t grid_ns; /* how far rows of samples are apart */
    struct pauses paused;
    VEC(struct gecko_thread_place) order; /* of the threads that are written */
    VEC(struct gecko_pause) pauses;
    uint64_t chunk;            /* how many chunks of samples were begun */
    uint64_t entries_left_out; /* of threads that were not known when reading began */
    const struct gecko_progress *progress;
};

/* What was seen of a process from outside; `file` NULL = nothing. */
struct gecko_looks {
    struct session_file *file;
    uint64_t owner;
};

/* Reads all of it, leaving out what happened before `since_ns`. The struct must be zeroed, and is to be freed in any case. */
int gecko_session_collect(struct gecko_session *session, struct session_file *file, const struct gecko_looks *looks,
                          uint64_t since_ns, uint64_t rows_most, const struct gecko_progress *progress, struct error *error);
void gecko_session_free(struct gecko_session *session);

void gecko_thread_release(struct gecko_thread *thread);

/* gecko_meta.c: the value of `meta`, of `pausedRanges`, and of `profilingLog`. */
struct gecko_options;
void gecko_write_meta(const struct gecko_session *session, const struct gecko_options *options, bool root,
                      struct json_writer *w);
void gecko_write_pauses(const struct gecko_session *session, struct json_writer *w);
void gecko_write_log(const struct gecko_session *session, struct json_writer *w);

/* gecko_threads.c: the value of `threads`. Each is freed once it is written. False when the heap is empty. */
bool gecko_write_threads(struct gecko_session *session, const struct gecko_options *options, struct gecko_progress *progress,
                         struct json_writer *w);

#endif
