/* What the parts of the exporter of Chrome traces share. Only the files src/export/chrome_trace*.c include it. */
#ifndef SONDE_EXPORT_CHROME_TRACE_WRITER_H
#define SONDE_EXPORT_CHROME_TRACE_WRITER_H

#include "common/json_writer.h"
#include "markers/catalog.h"
#include "profile/profile.h"

/* Traces name processes and threads by numbers, profiles by texts. */
struct chrome_ids {
    int64_t pid, tid;
};

struct chrome_writer {
    const struct profile *profile;
    struct json_writer *w;
    struct error *error;
    double shift;           /* ms, added to all times: viewers want none below 0 */
    struct chrome_ids *ids; /* by thread */
    struct marker_catalog catalog;
    uint64_t async_count; /* of pairs of events that are found by their id */
};

/* What every event begins with; the caller goes on with the keys it has beyond these and ends the object. `time` is in ms. */
void chrome_begin_event(struct chrome_writer *out, char phase, struct slice name, struct slice category, struct chrome_ids ids,
                        double time);

/* A time, or the time between two, in µs to the nanosecond; null for what is no number. */
void chrome_write_time(struct chrome_writer *out, double milliseconds);
void chrome_write_duration(struct chrome_writer *out, double start, double end);

/* The keys of a `callFrame`, or of an entry of a stack trace: where a func is. Its object is the caller's. */
void chrome_write_func(struct chrome_writer *out, struct func_index func);

/* ---- the parts: false when the heap is empty ---- */

bool chrome_write_samples(struct chrome_writer *out);
bool chrome_write_markers(struct chrome_writer *out);
void chrome_write_counters(struct chrome_writer *out);

#endif
