/* Timed calls: what the engine estimates that ran, from samples and the events between them.
 *
 *     events    [RunTask ················][RunTask ····]
 *                [FunctionCall ·········]   [FunctionCall]
 *     samples      |a   |ab  |ab  |a        |a   |a
 *     calls       [a ··················]   [a ·········]
 *                      [b ······]
 *
 * A call begins with the sample, or the event with a stack of its own, that shows it first, and ends with the first thing that
 * proves it gone. The rules are those of Chrome DevTools, bug for bug (docs/trace-engine.md). */
#ifndef SONDE_TRACE_CALLS_H
#define SONDE_TRACE_CALLS_H

#include "common/error.h"
#include "trace/cpu_model.h"
#include "trace/trace.h"

struct call {
    double ts, dur;       /* µs */
    double self;          /* µs; NaN = it overhangs its parent, and is in no tree */
    uint32_t node;        /* of the model */
    int32_t depth;        /* among calls and events; -1 = in no tree */
    int64_t sample_index; /* of the sorted samples, by which it was opened; -1 = by an event's stack */
};

/* One thread: its events and its calls, merged in time. */
struct call_entry {
    uint32_t row : 31; /* of thread->events or calls */
    bool is_call : 1;
};

static inline struct call_entry entry_of_call(uint32_t row)
{
    return (struct call_entry){row & INT32_MAX, true};
}

static inline struct call_entry entry_of_event(uint32_t row)
{
    return (struct call_entry){row & INT32_MAX, false};
}

struct thread_calls {
    const struct trace_thread *thread;
    const struct cpu_model *model; /* NULL = it has no samples */
    VEC(struct call) calls;        /* in the order of their opening */
    VEC(struct call_entry) entries;
    VEC(int32_t) event_depths; /* of thread->events; -1 = in no tree */
    VEC(double) event_selfs;   /* µs; NaN likewise */
    int32_t max_depth;
};

enum { CALLS_MAX = 1 << 26 };

struct calls_options {
    enum trace_rules rules;
    bool show_all; /* frames of the engine's runtime, too */
    /* A trace that gives more is refused; 0 = CALLS_MAX. Stacks of 100,000 frames that take turns would give as many calls with
     * every sample, and no memory is enough for that. */
    size_t most_calls;
};

/* For all threads of processes that are kept, in the order of the trace; threads with an empty tree are left out. The trace
 * must outlive the result, which is to be freed in any case. */
struct trace_calls {
    VEC(struct thread_calls) threads;
    VEC(struct cpu_model) models;
    VEC(struct trace_profile) of_events; /* see trace_calls_take_events(); nodes and functions alone */
};

int trace_calls_build(struct trace_calls *calls, const struct trace *trace, const struct calls_options *options,
                      struct error *error);
void trace_calls_free(struct trace_calls *calls);

/* Whether any thread has some. */
bool trace_has_samples(const struct trace *trace);

/* Of a trace without samples: makes its events the calls, which are then the only entries. */
int trace_calls_take_events(struct trace_calls *calls, struct trace *trace, struct error *error);

/* The parts, for a thread whose `thread` and `model` are set. Of a CPU profile on its own: calls, with depth and self time, and
 * entries. */
int calls_from_samples(struct thread_calls *calls, const struct calls_options *options, struct error *error);

/* Where there are events: only the calls, as yet in no tree. */
int calls_from_trace(struct thread_calls *calls, const struct trace *trace, const struct calls_options *options,
                     struct error *error);

static inline size_t calls_limit(const struct calls_options *options)
{
    return options->most_calls > 0 ? options->most_calls : CALLS_MAX;
}

int calls_too_many(const struct calls_options *options, struct error *error); /* the error for it */

/* Merges calls and events into entries, and gives all of them depth and self time. */
int calls_make_tree(struct thread_calls *calls, struct error *error);

#endif
