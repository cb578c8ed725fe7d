/* What the arguments of events say that trees tell apart and group by. */
#ifndef SONDE_TRACE_EVENT_ARGUMENTS_H
#define SONDE_TRACE_EVENT_ARGUMENTS_H

#include "common/error.h"
#include "trace/trace.h"

/* Texts of the string table that was given; STRING_NONE = not said. */
struct event_arguments {
    struct string_index url, frame;
    struct string_index name;    /* data.name */
    struct string_index request; /* data.requestId */
    bool has_data;
};

/* Of each event of the thread; `out` has room for them. */
int event_arguments_read(const struct trace *trace, const struct trace_thread *thread, struct string_table *texts,
                         struct event_arguments *out, struct error *error);

#endif
