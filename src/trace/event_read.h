/* One event of a trace, read into memory that the next one uses again.
 *
 *     {"args":{"data":{…}},"cat":"v8","dur":60,"name":"FunctionCall","ph":"X","pid":7,"tid":9,"ts":1000}
 *
 * Keys come in any order, and Chrome writes them in that of the alphabet: what an event is is known only after its arguments.
 * So everything in the arguments that any kind of event could need is read at once, and forgotten if it was not needed. */
#ifndef SONDE_TRACE_EVENT_READ_H
#define SONDE_TRACE_EVENT_READ_H

#include "trace/profile_read.h"

/* Where a frame of a page is. */
struct frame_place {
    struct string_index frame, url;
    double process; /* NaN = not told */
};

/* A part of a CPU profile. */
struct profile_piece {
    struct trace_profile profile; /* `cpuProfile`; its stacks are only a list here */
    /* Beside it: */
    struct numbers deltas, lines, columns;
    bool has_lines, has_columns;
    enum trace_source source;
};

/* What the arguments say. */
struct event_details {
    bool is_clear, data_is_clear; /* nothing is set; of what comes from `data`. So it is with most events */
    struct text_buffer name, labels;
    double sort_index; /* NaN = there is none */
    bool has_begin_data;
    double begin_trace_id, trace_id, data_trace_id; /* NaN = there is none */
    bool has_data;
    struct text_buffer frame, url, host;
    bool has_url;
    double process, pid; /* NaN = not told */
    VEC(struct frame_place) frames;
    struct profile_piece piece;
    struct text_buffer text; /* all of it, where that is wanted */
};

struct event_text {
    struct string_index name, category;
    char phase;               /* 0 = none */
    double pid, tid, ts, dur; /* NaN = not there */
    bool is_odd;              /* one of these is something else than it should be */
    struct text_buffer id;
    bool id_is_global; /* it means the same in all processes */
    struct event_details details;
};

struct event_reader {
    struct profile_reader profile; /* with the JSON reader and the strings */
    bool keep_text;                /* of arguments */
    struct event_text event;
};

/* The next value, which is an event in reader->event if the answer is true; otherwise it is something else or broken. */
bool event_read(struct event_reader *reader);

/* The stack that was taken for the event; 0 = none. */
double event_trace_id(const struct event_details *details);

void event_reader_free(struct event_reader *reader);

#endif
