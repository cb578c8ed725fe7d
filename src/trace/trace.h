/* What a trace file says, as much of it as calls and trees need.
 *
 *     {"traceEvents": [ {"ph":"X","pid":7,"tid":9,"ts":1000,"dur":60,"name":"FunctionCall",…}, … ]}
 *
 *     trace ─┬─ threads    one for each pid and tid: its entries (phases X, I, and B made whole) in the order of trace_sort()
 *            ├─ processes  whether they are kept, their names and addresses
 *            └─ profiles   one for each thread that has samples: the nodes, samples and times of a CPU profile, raw
 *
 * Times are microseconds and doubles from beginning to end, as in the engine whose results these must equal: what it computes
 * is computed here in the same order. A .cpuprofile is a trace with one profile and no entries (`cpu_mode`).
 *
 * Nothing of the text stays in memory but names, and the arguments of events where the reader of the trace wants them. */
#ifndef SONDE_TRACE_TRACE_H
#define SONDE_TRACE_TRACE_H

#include "common/map.h"
#include "common/string_table.h"
#include "common/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* The newest engine, and the one that is published as a package: they differ in a few places (docs/trace-engine.md). */
enum trace_rules { TRACE_RULES_NEWEST, TRACE_RULES_0_0_65 };

/* An event on a thread. What its name means to the engine is in trace_names.h. */
struct trace_event {
    double ts, dur;         /* µs; a dur that is missing is 0 */
    double sample_trace_id; /* of a stack that was taken for this event; 0 = none */
    struct string_index name, category;
    uint32_t arguments; /* row of trace.arguments; INDEX_NONE = none, or not wanted */
    char phase;         /* 'X' or 'I' */
};

/* What is no entry, but can be a marker or a counter: phases B and E apart, b, e, n, S, T, p, F (pairs by id), i, R, C. */
struct trace_other {
    struct trace_event event; /* dur is 0 */
    struct string_index id;   /* STRING_NONE = none */
    bool id_is_global;        /* the id means the same in all processes */
};

/* As VEC(double), with a name. */
struct numbers {
    double *items;
    size_t count;
    size_t capacity;
};

/* A function as the file has it. */
struct trace_function {
    double line, column; /* from 0 on; -1 = none */
    struct string_index name, url, script_id;
    /* What only Sonde's own traces say: what kind of function it is (export/chrome_trace.c), and its library; STRING_NONE = not
     * told. */
    struct string_index kind, lib;
};

/* It in a calling context. There may be millions, of a few thousand functions. */
struct trace_node {
    double id;
    double parent;        /* id; NaN = none */
    uint32_t function;    /* row of trace_profile.functions */
    uint32_t first_child; /* in trace_profile.children; … */
    uint32_t child_count; /* … INDEX_NONE = it has no list of children */
};

enum trace_source { TRACE_SOURCE_UNKNOWN, TRACE_SOURCE_INSPECTOR, TRACE_SOURCE_SELF_PROFILING, TRACE_SOURCE_INTERNAL };

/* A stack that was taken for an event, not by the clock. */
struct trace_stack {
    double trace_id; /* by which the event names it */
    double node;     /* id */
};

/* A CPU profile, pieced together from the events that carry it. */
struct trace_profile {
    int64_t pid, tid; /* tid: of the thread that was sampled */
    struct string_index id;
    bool has_owner; /* its first event was there, which tells the thread */
    enum trace_source source;
    double start, end; /* µs, as in the file; the end is what section 3.2 of the rules wants, not the end of the samples */
    VEC(struct trace_node) nodes;
    VEC(struct trace_function) functions;
    struct map function_rows;
    struct numbers hits;     /* of nodes; NaN = not given. As many as nodes, or none: what is not of a file */
    struct numbers children; /* ids */
    struct numbers samples;  /* ids */
    struct numbers deltas;   /* µs */
    struct numbers lines;    /* of samples, from 1 on; 0 = unknown. As many as samples, or none */
    struct numbers columns;
    VEC(struct trace_stack) stacks;
    struct map stack_of_trace_id;            /* to rows of stacks */
    VEC(struct string_index) categories;     /* of nodes, where the samples come with some; as many as nodes, or none */
    bool has_nodes, has_samples, has_deltas; /* the file has a list of them, which may be empty */
    bool is_timed;                           /* written by Sonde, of samples that each weigh the time until the next */
};

struct trace_thread {
    int64_t pid, tid;
    struct string_index name; /* STRING_NONE = not told */
    uint32_t profile;         /* of trace.profiles; INDEX_NONE = none */
    double sort_index;        /* how viewers order the threads of a process; NaN = not told */
    VEC(struct trace_event) events;
    VEC(struct trace_other) others; /* in the order of the file, where they are wanted */
    bool has_markers, has_counters; /* there are others, wanted or not: what is no counter, and counters */
};

struct trace_process {
    int64_t pid;
    struct string_index name, url;
    struct string_index labels; /* what it does, such as the titles of pages; STRING_NONE = not told */
    double sort_index;          /* NaN = not told */
    bool kept;                  /* calls and trees are made for it */
};

struct trace {
    struct string_table strings;
    VEC(struct trace_thread) threads; /* in the order in which they first occur */
    VEC(struct trace_process) processes;
    VEC(struct trace_profile) profiles; /* chosen: at most one for each thread */
    VEC(struct slice) arguments;        /* JSON texts in `texts` */
    struct arena texts;
    bool cpu_mode;   /* a CPU profile on its own */
    bool of_profile; /* made by trace_from_profile(): events are markers */
    bool cut;        /* the file ends in the middle, as Chrome leaves it when it crashes; what was there is there */
    uint64_t event_count, odd_events; /* read; and passed over because they made no sense */
    double first_ts, last_ts;         /* of everything with a time; NaN = nothing */
};

/* The row of the function, a new one where there is none like it; INDEX_NONE when the heap is empty. */
uint32_t trace_profile_add_function(struct trace_profile *profile, const struct trace_function *function);

/* The id of the node whose stack was taken under this trace id; NaN where there is none. */
double trace_profile_stack(const struct trace_profile *profile, double trace_id);

/* Later stacks take the place of earlier ones. False when the heap is empty. */
bool trace_profile_add_stack(struct trace_profile *profile, double trace_id, double node);

void trace_free(struct trace *trace);
void trace_profile_free(struct trace_profile *profile);

#endif
