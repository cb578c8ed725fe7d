/* Walks the entries of a thread within a window of time, as starts, ends and moments.
 *
 *     |---------------A---------------|
 *      |------B------||-------D------|          A starts, B starts, C starts, C ends, B ends, D starts, D ends, A ends
 *        |---C---|
 *
 * An entry that outlives the one it started in is nested in it all the same, and ends first. */
#ifndef SONDE_TRACE_ENTRY_WALK_H
#define SONDE_TRACE_ENTRY_WALK_H

#include "trace/calls.h"

struct entry_times {
    double ts, dur; /* µs */
};

static inline struct entry_times entry_times(const struct thread_calls *calls, struct call_entry entry)
{
    if (entry.is_call)
        return (struct entry_times){calls->calls.items[entry.row].ts, calls->calls.items[entry.row].dur};
    const struct trace_event *event = &calls->thread->events.items[entry.row];
    return (struct entry_times){event->ts, event->dur};
}

enum entry_step { ENTRY_START, ENTRY_END, ENTRY_MOMENT };

struct open_entry {
    uint32_t place; /* in calls->entries */
    double end;     /* µs */
};

struct entry_walk {
    const struct thread_calls *calls;
    double start, end;  /* µs: the window */
    const bool *hidden; /* by place; NULL = none. What is in them moves up */
    size_t next;        /* place */
    VEC(struct open_entry) open;
    bool failed; /* memory ran out */
};

/* The window is in ms. `trace` has the names of the events. */
void entry_walk_begin(struct entry_walk *walk, const struct thread_calls *calls, const struct trace *trace, double start_ms,
                      double end_ms, const bool *hidden);

/* The next step and the place of its entry; false at the end, or when memory ran out. */
bool entry_walk_next(struct entry_walk *walk, enum entry_step *step, uint32_t *place);
void entry_walk_end(struct entry_walk *walk);

#endif
