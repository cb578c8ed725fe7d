/* The events of a Chrome trace as markers. X, I and their kind are markers as they are; what begins and ends apart is joined:
 *
 *     B … E             the last that was begun on the same thread
 *     b … e, S … F      the last with the same name, category and id, on whichever thread; the marker is on the first one's
 *
 * One that never ends, or never begins, is a start or an end alone. Ends alone stand before starts alone in the table, since
 * the next step, which goes by names, must not join them. */
#include "import/trace_import.h"

#include "import/cpu_nodes.h"

#include <math.h>
#include <stdlib.h>

/* An event that is no entry. */
struct timed_other {
    double ts;
    uint32_t thread, row; /* of the trace */
};

/* Events that belong together, and the last of them that is open. */
struct async_key {
    int64_t pid; /* 0 where the id is global */
    struct string_index name, category, id;
    bool is_global;
    uint32_t top; /* of `open`; INDEX_NONE = none */
};

struct open_other {
    uint32_t other; /* row of `others` */
    uint32_t below; /* INDEX_NONE = it is the last */
    bool ended;
};

/* A marker that is made of one of these events or of two. */
struct joined_marker {
    uint32_t thread;     /* of the trace */
    uint32_t begin, end; /* rows of `others`; INDEX_NONE = none. A moment is both */
};

struct marker_import {
    struct trace_import *import;
    VEC(struct timed_other) others; /* in the order of time */
    VEC(struct async_key) keys;
    struct map key_rows;
    VEC(struct open_other) open;
    VEC(uint32_t) tops; /* by thread: of what was begun on it */
    VEC(struct joined_marker) joined;
    VEC(uint32_t) starts; /* by thread, and one more: of `order` */
    VEC(uint32_t) order;  /* rows of `joined`, by thread */
};

/* ---- one marker ---- */

/* category_none() when the heap is empty. */
static struct category_index category_of(struct trace_import *import, struct string_index name)
{
    struct profile *profile = import->profile;
    if (profile_text(profile, name).length == 0)
        return category_at(CPU_NODES_OTHER);
    uint64_t hash = hash_u64(name.i);
    uint32_t row;
    for (struct map_probe probe = map_probe(&import->category_rows, hash); map_probe_next(&probe, &row);)
        if (string_same(import->categories.items[row].name, name))
            return import->categories.items[row].index;
    struct category_index index = category_none();
    for (uint32_t i = 0; i <= CPU_NODES_NATIVE; i++)
        if (string_same(profile->categories.rows.items[i].name, name))
            index = category_at(i);
    if (!category_exists(index))
        index = category_list_add(&profile->categories, &profile->strings, profile_text(profile, name), SLICE("grey"));
    row = (uint32_t)import->categories.count;
    bool ok = category_exists(index) && vec_push(&import->categories, ((struct trace_category){name, index})) &&
              map_insert(&import->category_rows, hash, row);
    return ok ? index : category_none();
}

/* Times are µs, NaN = none. False when the heap is empty. */
static bool append_marker(struct trace_import *import, uint32_t thread, const struct trace_event *event, double start,
                          double end, enum marker_phase phase, struct string_index async_id, uint32_t more_arguments)
{
    struct marker_table *markers = &import->profile->threads.items[import->thread_of[thread]].markers;
    size_t place = markers->payloads.bytes.count;
    bool has_payload;
    struct category_index category = category_of(import, event->category);
    if (!category_exists(category) || !trace_payloads_put(&import->payloads, &markers->payloads, event->name, async_id,
                                                          event->arguments, more_arguments, &has_payload))
        return false;
    struct raw_marker marker = {
        .name = event->name,
        .start = start / 1000,
        .end = end / 1000,
        .phase = phase,
        .category = category,
        .cause_stack = stack_none(),
        .cause_time = NAN,
        .cause_tid = STRING_NONE,
        .thread_id = STRING_NONE,
        .data = has_payload ? markers->payloads.bytes.items + place : NULL,
    };
    marker_table_append(markers, &marker);
    if (!isnan(start))
        trace_import_note_time(import, marker.start);
    if (!isnan(end))
        trace_import_note_time(import, marker.end);
    return true;
}

/* The exporter's own, for readers that need one. */
static bool is_event_of_thread(const struct profile *profile, const struct trace_event *event)
{
    return slice_is(profile_text(profile, event->category), "sonde") &&
           slice_is(profile_text(profile, event->name), "SampledThread");
}

static bool append_entries(struct trace_import *import, uint32_t row)
{
    const struct trace_thread *thread = &import->trace.threads.items[row];
    for (size_t i = 0; i < thread->events.count; i++) {
        const struct trace_event *event = &thread->events.items[i];
        bool is_moment = event->phase == 'I';
        double end = event->ts + event->dur;
        if (!isfinite(event->ts) || !isfinite(end) || is_event_of_thread(import->profile, event))
            continue;
        if (!append_marker(import, row, event, event->ts, is_moment ? NAN : end, is_moment ? MARKER_INSTANT : MARKER_INTERVAL,
                           STRING_NONE, INDEX_NONE))
            return false;
    }
    return true;
}

/* ---- events that belong together ---- */

static const struct trace_other *other_of(const struct marker_import *markers, uint32_t row)
{
    const struct timed_other *timed = &markers->others.items[row];
    return &markers->import->trace.threads.items[timed->thread].others.items[timed->row];
}

/* Where the last open event is noted that `other` belongs to; NULL when the heap is empty. */
static uint32_t *find_async(struct marker_import *markers, const struct trace_other *other, int64_t pid)
{
    struct async_key key = {
        .pid = other->id_is_global ? 0 : pid,
        .name = other->event.name,
        .category = other->event.category,
        .id = other->id,
        .is_global = other->id_is_global,
        .top = INDEX_NONE,
    };
    uint64_t hash = hash_combine(hash_combine(key.name.i, key.category.i), hash_combine(key.id.i, (uint64_t)key.pid));
    uint32_t row;
    for (struct map_probe probe = map_probe(&markers->key_rows, hash); map_probe_next(&probe, &row);) {
        struct async_key *known = &markers->keys.items[row];
        if (known->pid == key.pid && string_same(known->name, key.name) && string_same(known->category, key.category) &&
            string_same(known->id, key.id) && known->is_global == key.is_global)
            return &known->top;
    }
    row = (uint32_t)markers->keys.count;
    bool ok = vec_push(&markers->keys, key) && map_insert(&markers->key_rows, hash, row);
    return ok ? &markers->keys.items[row].top : NULL;
}

static bool add_joined(struct marker_import *markers, uint32_t begin, uint32_t end)
{
    uint32_t thread = markers->others.items[begin == INDEX_NONE ? end : begin].thread;
    return vec_push(&markers->joined, ((struct joined_marker){thread, begin, end}));
}

static bool take_begin(struct marker_import *markers, uint32_t row, uint32_t *top)
{
    struct open_other open = {row, *top, false};
    *top = (uint32_t)markers->open.count;
    return vec_push(&markers->open, open);
}

static bool take_end(struct marker_import *markers, uint32_t row, uint32_t *top)
{
    if (*top == INDEX_NONE)
        return !string_exists(other_of(markers, row)->event.name) || add_joined(markers, INDEX_NONE, row);
    struct open_other *open = &markers->open.items[*top];
    *top = open->below;
    open->ended = true;
    return add_joined(markers, open->other, row);
}

static bool take_other(struct marker_import *markers, uint32_t row)
{
    const struct trace_other *other = other_of(markers, row);
    uint32_t thread = markers->others.items[row].thread;
    char phase = other->event.phase;
    if (phase != 'E' && !string_exists(other->event.name))
        return true;
    switch (phase) {
    case 'B':
        return take_begin(markers, row, &markers->tops.items[thread]);
    case 'E':
        return take_end(markers, row, &markers->tops.items[thread]);
    case 'b':
    case 'e':
    case 'S':
    case 'F': {
        uint32_t *top = find_async(markers, other, markers->import->trace.threads.items[thread].pid);
        bool begins = phase == 'b' || phase == 'S';
        return top && (begins ? take_begin(markers, row, top) : take_end(markers, row, top));
    }
    default:
        return add_joined(markers, row, row);
    }
}

static bool add_unfinished(struct marker_import *markers)
{
    for (size_t i = 0; i < markers->open.count; i++)
        if (!markers->open.items[i].ended && !add_joined(markers, markers->open.items[i].other, INDEX_NONE))
            return false;
    return true;
}

static int compare_others(const void *a, const void *b)
{
    const struct timed_other *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Counters are none of them. */
static bool collect_others(struct marker_import *markers)
{
    const struct trace *trace = &markers->import->trace;
    for (size_t t = 0; t < trace->threads.count; t++) {
        const struct trace_thread *thread = &trace->threads.items[t];
        if (!vec_push(&markers->tops, INDEX_NONE))
            return false;
        for (size_t i = 0; i < thread->others.count; i++) {
            const struct trace_event *event = &thread->others.items[i].event;
            struct timed_other timed = {event->ts, (uint32_t)t, (uint32_t)i};
            if (event->phase != 'C' && isfinite(event->ts) && !vec_push(&markers->others, timed))
                return false;
        }
    }
    if (markers->others.count > 0)
        qsort(markers->others.items, markers->others.count, sizeof *markers->others.items, compare_others);
    return markers->others.count < INDEX_NONE - 1;
}

/* Sorted by counting: those of a thread stay in their order. */
static bool order_by_thread(struct marker_import *markers)
{
    size_t threads = markers->import->trace.threads.count;
    if (!vec_reserve(&markers->starts, threads + 2) || !vec_reserve(&markers->order, markers->joined.count))
        return false;
    markers->starts.count = threads + 2;
    memset(markers->starts.items, 0, markers->starts.count * sizeof *markers->starts.items);
    for (size_t i = 0; i < markers->joined.count; i++)
        markers->starts.items[markers->joined.items[i].thread + 2]++;
    for (size_t t = 2; t < threads + 2; t++)
        markers->starts.items[t] += markers->starts.items[t - 1];
    for (size_t i = 0; i < markers->joined.count; i++)
        markers->order.items[markers->starts.items[markers->joined.items[i].thread + 1]++] = (uint32_t)i;
    return true;
}

static bool join_others(struct marker_import *markers)
{
    bool ok = collect_others(markers);
    for (uint32_t i = 0; ok && i < markers->others.count; i++)
        ok = take_other(markers, i);
    return ok && add_unfinished(markers) && order_by_thread(markers);
}

/* ---- all of them ---- */

/* By which events belong together that need not lie within others. The exporter's own ids are of markers that overlap. */
static struct string_index async_id_of(const struct marker_import *markers, uint32_t row)
{
    const struct trace_other *other = other_of(markers, row);
    bool is_async = string_exists(other->id) && memchr("bneSTpF", other->event.phase, 7);
    return is_async && !slice_starts_with(profile_text(markers->import->profile, other->id), SLICE("sonde:")) ? other->id
                                                                                                              : STRING_NONE;
}

static bool append_joined(const struct marker_import *markers, const struct joined_marker *joined)
{
    bool has_begin = joined->begin != INDEX_NONE, has_end = joined->end != INDEX_NONE;
    const struct trace_event *begin = has_begin ? &other_of(markers, joined->begin)->event : NULL;
    const struct trace_event *end = has_end ? &other_of(markers, joined->end)->event : NULL;
    struct trace_import *import = markers->import;
    struct string_index id = async_id_of(markers, has_begin ? joined->begin : joined->end);
    if (begin == end)
        return append_marker(import, joined->thread, begin, begin->ts, NAN, MARKER_INSTANT, id, INDEX_NONE);
    if (!end)
        return append_marker(import, joined->thread, begin, begin->ts, NAN, MARKER_START, id, INDEX_NONE);
    if (!begin)
        return append_marker(import, joined->thread, end, NAN, end->ts, MARKER_END, id, INDEX_NONE);
    /* What is said at the end is what became of it. */
    struct trace_event whole = *begin;
    whole.arguments = end->arguments;
    return append_marker(import, joined->thread, &whole, begin->ts, end->ts, MARKER_INTERVAL, id, begin->arguments);
}

/* One thread after the other is completed, since a table takes much room while it grows. */
static bool append_thread(const struct marker_import *markers, uint32_t row)
{
    struct trace_import *import = markers->import;
    if (import->thread_of[row] == INDEX_NONE)
        return true;
    if (!append_entries(import, row))
        return false;
    for (uint32_t i = markers->starts.items[row]; i < markers->starts.items[row + 1]; i++)
        if (!append_joined(markers, &markers->joined.items[markers->order.items[i]]))
            return false;
    return marker_table_seal(&import->profile->threads.items[import->thread_of[row]].markers);
}

int trace_import_markers(struct trace_import *import)
{
    struct marker_import markers = {.import = import};
    bool ok = join_others(&markers);
    for (size_t i = 0; ok && i < import->trace.threads.count; i++)
        ok = append_thread(&markers, (uint32_t)i);
    ok = ok && trace_payloads_add_schemas(&import->payloads);
    vec_free(&markers.others);
    vec_free(&markers.keys);
    map_free(&markers.key_rows);
    vec_free(&markers.open);
    vec_free(&markers.tops);
    vec_free(&markers.joined);
    vec_free(&markers.starts);
    vec_free(&markers.order);
    return ok ? 0 : error_out_of_memory(import->error);
}
