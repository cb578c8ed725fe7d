/* Calls and events of a thread become one list, and each gets its place in a tree.
 *
 * An entry is below the last one that is still open, if it ends before that. One that overhangs stays in the list, but is in no
 * tree. Of a call and an event with the same extent the call comes first: so a call can be the parent of its own task. */
#include "trace/calls.h"

#include <errno.h>
#include <math.h>

static bool event_before_call(const struct trace_event *event, const struct call *call)
{
    return event->ts < call->ts || (!(event->ts > call->ts) && event->ts + event->dur > call->ts + call->dur);
}

static int merge_entries(struct thread_calls *calls, struct error *error)
{
    size_t event_count = calls->thread->events.count, call_count = calls->calls.count;
    if (event_count > INT32_MAX || call_count > INT32_MAX)
        return error_set(error, -E2BIG, "a thread of the trace has more than 2 billion events or calls");
    if (!vec_reserve(&calls->entries, event_count + call_count))
        return error_out_of_memory(error);
    struct call_entry *to = calls->entries.items;
    uint32_t event = 0, call = 0;
    while (event < event_count || call < call_count) {
        bool take_event = call == call_count || (event < event_count && event_before_call(&calls->thread->events.items[event],
                                                                                          &calls->calls.items[call]));
        *to++ = take_event ? entry_of_event(event++) : entry_of_call(call++);
    }
    calls->entries.count = event_count + call_count;
    return 0;
}

struct open_entry {
    double ts, end;
    double *self;
};

static int place_entries(struct thread_calls *calls, struct error *error)
{
    VEC(struct open_entry) open = {0};
    int result = 0;
    calls->max_depth = 0;
    for (size_t i = 0; i < calls->entries.count; i++) {
        struct call_entry entry = calls->entries.items[i];
        const struct trace_event *event = entry.is_call ? NULL : &calls->thread->events.items[entry.row];
        struct call *call = entry.is_call ? &calls->calls.items[entry.row] : NULL;
        double *self = call ? &call->self : &calls->event_selfs.items[entry.row];
        int32_t *depth = call ? &call->depth : &calls->event_depths.items[entry.row];
        double ts = call ? call->ts : event->ts;
        double dur = call ? call->dur : event->dur;
        *depth = -1;
        *self = NAN;
        while (open.count > 0 && ts >= open.items[open.count - 1].end)
            open.count--;
        if (open.count > 0) {
            struct open_entry *parent = &open.items[open.count - 1];
            if (ts < parent->ts) {
                result = error_set(error, -EINVAL, "the events of a thread are not in the order of time");
                break;
            }
            if (ts + dur > parent->end)
                continue;
            *parent->self -= dur;
        }
        *self = dur;
        *depth = (int32_t)open.count;
        if (!vec_push(&open, ((struct open_entry){ts, ts + dur, self}))) {
            result = error_out_of_memory(error);
            break;
        }
        if (open.count > (size_t)calls->max_depth)
            calls->max_depth = (int32_t)open.count;
    }
    vec_free(&open);
    return result;
}

int calls_make_tree(struct thread_calls *calls, struct error *error)
{
    int result = merge_entries(calls, error);
    if (result != 0)
        return result;
    size_t event_count = calls->thread->events.count;
    if (!vec_reserve(&calls->event_depths, event_count) || !vec_reserve(&calls->event_selfs, event_count))
        return error_out_of_memory(error);
    calls->event_depths.count = calls->event_selfs.count = event_count;
    return place_entries(calls, error);
}
