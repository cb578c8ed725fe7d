/* Events that begin (phase B) and end (phase E) apart, made whole when all of them are known. */
#ifndef SONDE_TRACE_BEGIN_END_H
#define SONDE_TRACE_BEGIN_END_H

#include "trace/trace.h"

/* One of either kind, in the order of the file. */
struct begin_or_end {
    double ts;
    struct string_index name, category;
    uint32_t thread; /* row; INDEX_NONE = an end does not tell */
    uint32_t event;  /* that begins, a row of its thread, with a dur of 0; INDEX_NONE = an end */
    uint32_t order;  /* in the file */
};

struct begins_and_ends {
    struct begin_or_end *items;
    size_t count;
    size_t capacity;
};

/* Sets the durations of events that were ended.
 *
 * By the newest rules an end belongs to what was begun last under its name on its thread, in the order of time; an end without
 * a name to what was begun last on it under any.
 *
 * By those of 0.0.65 it belongs to what was begun last on any thread, in the order of the file, and is lost where the name or
 * the category is another.
 *
 * What has no end keeps a duration of 0. The order of the list may change. False when the heap is empty. */
bool begin_end_join(struct begins_and_ends *list, struct trace *trace, enum trace_rules rules);

#endif
