/* A sampled profile of any kind as a trace: its samples become CPU profiles, its markers the events. So a native program gets
 * timed calls, too. */
#ifndef SONDE_TRACE_PROFILE_TRACE_H
#define SONDE_TRACE_PROFILE_TRACE_H

#include "common/error.h"
#include "profile/profile.h"
#include "trace/calls.h"
#include "trace/trace.h"

/* Stacks that calls are made of: those of the profile, or what filters left of them. The arrays have one value for each. */
struct sampled_stacks {
    size_t count;
    const uint32_t *prefix;   /* INDEX_NONE = it is a root; else a smaller one */
    const uint32_t *func;     /* row of the profile's funcs; their number plus R: all functions of resource R, as one */
    const uint32_t *category; /* row of the profile's categories; any other number = none */
};

struct sampled_thread {
    struct thread_index thread;
    const uint32_t *stacks; /* of each sample; INDEX_NONE = it has none, or was left out */
};

/* Fills a zeroed trace with the threads `threads[0..count)` of the profile, in this order; trace_free() is to be called in any
 * case. Times count from `zero`, a time of the profile in ms. Nodes are functions in a calling context, whatever the place
 * in the function; a sample without a stack is one of the root, and so ends what ran. */
int trace_from_profile(struct trace *trace, const struct profile *profile, const struct sampled_stacks *stacks,
                       const struct sampled_thread *threads, size_t count, double zero, struct error *error);

/* The calls of such a trace, for every thread of it. A call begins with the first sample that has it and ends with the first
 * that has not, or, where a marker ended between that and the sample before, in which all of the call lay, with the marker.
 *
 *     samples  |a   |ab  |ab  |a   |a
 *     marker      [ · · · · · ]               ends before the fourth sample, as b must have: it began within the marker
 *     calls    [a · · · · · · · · · · ·
 *                   [b · · · ·]
 *
 * Markers need not be of what the thread itself did. Those that some call overlaps, being neither within it nor around it,
 * are taken out of the trace, and so are nodes and samples, which the models have. Unlike the calls of a browser's trace none
 * is locked by an event: native stacks are whole. */
int profile_calls_build(struct trace_calls *calls, struct trace *trace, struct error *error);

#endif
