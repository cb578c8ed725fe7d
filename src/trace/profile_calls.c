/* Calls of a profile that has markers in the place of a browser's events: see profile_trace.h. */
#include "trace/profile_trace.h"

#include <math.h>
#include <stdlib.h>

/* ---- calls end with the markers that they lie in ---- */

/* A marker that ended after a sample that was taken within it. */
struct ended_marker {
    double ts, end; /* µs */
    size_t sample;  /* the first one at its end or after */
};

static int compare_ends(const void *a, const void *b)
{
    const struct ended_marker *x = a, *y = b;
    return (x->end > y->end) - (x->end < y->end);
}

/* The first sample that is not before `time`, in µs. */
static size_t first_sample_after(const struct cpu_model *model, double time)
{
    size_t low = 0, high = model->samples.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (round(model->times.items[middle] * 1000) < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct ended_markers {
    VEC(struct ended_marker) items; /* by their ends */
    uint32_t *first;                /* of each sample: the next one that ended between the sample before and this one */
};

static bool find_ended(struct ended_markers *ended, const struct thread_calls *calls)
{
    const struct cpu_model *model = calls->model;
    for (size_t i = 0; i < calls->thread->events.count; i++) {
        const struct trace_event *event = &calls->thread->events.items[i];
        double end = event->ts + event->dur;
        size_t sample = first_sample_after(model, end);
        bool has_sample = sample > 0 && round(model->times.items[sample - 1] * 1000) >= event->ts;
        if (event->dur > 0 && has_sample && !vec_push(&ended->items, ((struct ended_marker){event->ts, end, sample})))
            return false;
    }
    if (ended->items.count > 0)
        qsort(ended->items.items, ended->items.count, sizeof *ended->items.items, compare_ends);
    ended->first = memory_array(model->samples.count + 1, sizeof *ended->first);
    if (!ended->first)
        return false;
    memset(ended->first, 0xff, (model->samples.count + 1) * sizeof *ended->first);
    for (size_t i = ended->items.count; i-- > 0;)
        ended->first[ended->items.items[i].sample] = (uint32_t)i;
    return true;
}

/* The innermost marker around the call that ended in the same moment, or NULL. Calls are asked for from the last that began to
 * the first, so a marker that began too late for one is too late for all that follow. */
static const struct ended_marker *marker_around(struct ended_markers *ended, size_t sample, double ts)
{
    uint32_t *next = &ended->first[sample];
    while (*next < ended->items.count && ended->items.items[*next].sample == sample) {
        if (ended->items.items[*next].ts <= ts)
            return &ended->items.items[*next];
        ++*next;
    }
    return NULL;
}

static bool end_with_markers(struct thread_calls *calls)
{
    struct ended_markers ended = {0};
    bool ok = find_ended(&ended, calls);
    for (size_t i = calls->calls.count; i-- > 0 && ok;) {
        struct call *call = &calls->calls.items[i];
        /* Sample times are whole; what is behind the point came in by way of milliseconds. */
        double end = round(call->ts + call->dur);
        call->ts = round(call->ts);
        call->dur = end - call->ts;
        const struct ended_marker *marker = marker_around(&ended, first_sample_after(calls->model, end), call->ts);
        if (marker)
            call->dur = marker->end - call->ts;
    }
    vec_free(&ended.items);
    memory_release(ended.first);
    return ok;
}

/* ---- markers that do not fit the calls ---- */

/* In the place of the phase of an event that is going to be taken out. */
static const char taken_out = '\0';

struct open_marker {
    double end;
    uint32_t row;
};

/* A heap, the marker that ends first on top. */
struct open_markers {
    VEC(struct open_marker) items;
};

static bool open_push(struct open_markers *open, struct open_marker marker)
{
    if (!vec_push(&open->items, marker))
        return false;
    struct open_marker *items = open->items.items;
    for (size_t at = open->items.count - 1; at > 0 && items[(at - 1) / 2].end > items[at].end; at = (at - 1) / 2) {
        struct open_marker upper = items[(at - 1) / 2];
        items[(at - 1) / 2] = items[at];
        items[at] = upper;
    }
    return true;
}

static struct open_marker open_pop(struct open_markers *open)
{
    struct open_marker *items = open->items.items, top = items[0], last = items[--open->items.count];
    size_t at = 0, count = open->items.count;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && items[child + 1].end < items[child].end)
            child++;
        if (last.end <= items[child].end)
            break;
        items[at] = items[child];
    }
    if (count > 0)
        items[at] = last;
    return top;
}

/* Markers that end in the middle of a call that began within them. */
static bool mark_cut_short(const struct thread_calls *calls, struct trace_thread *thread)
{
    struct open_markers open = {0};
    size_t event = 0;
    bool ok = true;
    for (size_t i = 0; i < calls->calls.count && ok; i++) {
        double ts = calls->calls.items[i].ts, end = ts + calls->calls.items[i].dur;
        for (; event < thread->events.count && thread->events.items[event].ts < ts && ok; event++) {
            const struct trace_event *marker = &thread->events.items[event];
            if (marker->ts + marker->dur > ts)
                ok = open_push(&open, (struct open_marker){marker->ts + marker->dur, (uint32_t)event});
        }
        while (ok && open.items.count > 0 && open.items.items[0].end < end) {
            struct open_marker marker = open_pop(&open);
            if (marker.end > ts)
                thread->events.items[marker.row].phase = taken_out;
        }
    }
    vec_free(&open.items);
    return ok;
}

/* Markers that outlive the call, or the marker, that they began in. */
static bool mark_overhanging(const struct thread_calls *calls, struct trace_thread *thread)
{
    VEC(double) ends = {0}; /* of what is open, innermost last */
    size_t call = 0;
    bool ok = true;
    for (size_t i = 0; i < thread->events.count && ok; i++) {
        struct trace_event *marker = &thread->events.items[i];
        if (marker->phase == taken_out)
            continue;
        double end = marker->ts + marker->dur;
        for (; call < calls->calls.count && calls->calls.items[call].ts <= marker->ts && ok; call++) {
            const struct call *begun = &calls->calls.items[call];
            if (begun->ts == marker->ts && begun->ts + begun->dur < end)
                break; /* the marker is around it */
            while (ends.count > 0 && ends.items[ends.count - 1] <= begun->ts)
                ends.count--;
            ok = vec_push(&ends, begun->ts + begun->dur);
        }
        while (ends.count > 0 && ends.items[ends.count - 1] <= marker->ts)
            ends.count--;
        if (ends.count > 0 && ends.items[ends.count - 1] < end)
            marker->phase = taken_out;
        else
            ok = ok && vec_push(&ends, end);
    }
    vec_free(&ends);
    return ok;
}

static bool remove_crossing(const struct thread_calls *calls, struct trace_thread *thread)
{
    if (!mark_cut_short(calls, thread) || !mark_overhanging(calls, thread))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < thread->events.count; i++)
        if (thread->events.items[i].phase != taken_out)
            thread->events.items[kept++] = thread->events.items[i];
    thread->events.count = kept;
    return true;
}

/* ---- all threads ---- */

static int add_calls(struct trace_calls *calls, struct trace *trace, struct trace_thread *thread, struct error *error)
{
    struct cpu_model *model = &calls->models.items[calls->models.count++];
    *model = (struct cpu_model){0};
    struct thread_calls *out = &calls->threads.items[calls->threads.count++];
    *out = (struct thread_calls){.thread = thread};
    struct trace_profile *profile = &trace->profiles.items[thread->profile];
    int status = 0;
    if (profile->nodes.count > 1) { /* a root alone is no model */
        out->model = model;
        status = cpu_model_build(model, profile, &trace->strings, error);
        cpu_model_keep_stacks(model);
        /* What the model has by now. There may be millions. */
        vec_free(&profile->nodes);
        vec_free(&profile->samples);
        vec_free(&profile->deltas);
    }
    if (status == 0 && out->model)
        status = calls_from_samples(out, &(struct calls_options){0}, error);
    out->entries.count = 0; /* they are merged with the markers below */
    if (status == 0 && out->model && (!end_with_markers(out) || !remove_crossing(out, thread)))
        status = error_out_of_memory(error);
    return status == 0 ? calls_make_tree(out, error) : status;
}

int profile_calls_build(struct trace_calls *calls, struct trace *trace, struct error *error)
{
    size_t count = trace->threads.count;
    if (!vec_reserve(&calls->models, count) || !vec_reserve(&calls->threads, count))
        return error_out_of_memory(error);
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++)
        status = add_calls(calls, trace, &trace->threads.items[i], error);
    return status;
}
