/* Of a trace without samples the events are what ran: a sample for each stretch of time in which the same events lie within
 * each other, which weighs as long as it lasts.
 *
 *     [build ·······················]
 *        [load ····]   [link ····]
 *     |  |         |   |         |  |
 *      b  b;load    b   b;link    b
 */
#include "import/stack_builder.h"
#include "import/trace_import.h"
#include "trace/begin_end.h"
#include "trace/event_sort.h"

#include <math.h>

struct open_event {
    double end; /* µs */
    uint32_t stack;
};

struct stretch {
    double time, ms;
    uint32_t stack; /* INDEX_NONE = between events */
};

struct event_samples {
    struct trace_import *import;
    struct stack_builder stacks;   /* of all threads */
    VEC(uint32_t) frame_of_string; /* rows of `names`; INDEX_NONE = none yet */
    VEC(struct string_index) names;
    VEC(struct open_event) open;
    VEC(struct stretch) rows; /* of the thread */
    double now;               /* µs: until then all is in `rows` */
};

static bool find_frame(struct event_samples *samples, struct string_index name, uint32_t *frame)
{
    while (samples->frame_of_string.count <= name.i)
        if (!vec_push(&samples->frame_of_string, INDEX_NONE))
            return false;
    uint32_t *row = &samples->frame_of_string.items[name.i];
    if (*row == INDEX_NONE) {
        if (!vec_push(&samples->names, name))
            return false;
        *row = (uint32_t)samples->names.count - 1;
    }
    *frame = *row;
    return true;
}

/* What is open now lasts until `end`. */
static bool add_stretch(struct event_samples *samples, double end)
{
    size_t depth = samples->open.count;
    struct stretch row = {samples->now / 1000, (end - samples->now) / 1000,
                          depth > 0 ? samples->open.items[depth - 1].stack : INDEX_NONE};
    if (!(end > samples->now))
        return true;
    samples->now = end;
    return vec_push(&samples->rows, row);
}

static bool close_until(struct event_samples *samples, double time)
{
    for (size_t depth; (depth = samples->open.count) > 0 && samples->open.items[depth - 1].end <= time; samples->open.count--)
        if (!add_stretch(samples, samples->open.items[depth - 1].end))
            return false;
    return true;
}

/* Events come with those first that others are in; one that ends after what it began in is in no tree. */
static bool add_event(struct event_samples *samples, const struct trace_event *event)
{
    double end = event->ts + event->dur;
    uint32_t frame;
    if (!(event->dur > 0) || !isfinite(end))
        return true;
    if (samples->rows.count == 0 && samples->open.count == 0)
        samples->now = event->ts;
    if (!close_until(samples, event->ts))
        return false;
    size_t depth = samples->open.count;
    if (depth > 0 && samples->open.items[depth - 1].end < end)
        return true;
    if (!add_stretch(samples, event->ts) || !find_frame(samples, event->name, &frame))
        return false;
    uint32_t prefix = depth > 0 ? samples->open.items[depth - 1].stack : INDEX_NONE;
    struct open_event open = {end, stack_builder_add(&samples->stacks, prefix, frame)};
    return open.stack != INDEX_NONE && vec_push(&samples->open, open);
}

static bool import_thread(struct event_samples *samples, const struct trace_thread *from, struct sample_table *to)
{
    samples->rows.count = samples->open.count = 0;
    for (size_t i = 0; i < from->events.count; i++)
        if (!add_event(samples, &from->events.items[i]))
            return false;
    if (!close_until(samples, INFINITY))
        return false;
    for (size_t i = 0; i < samples->rows.count; i++) {
        struct stretch row = samples->rows.items[i];
        column_append_number(&to->time, row.time);
        column_append_number(&to->weight, row.ms);
        column_append_index(&to->stack, row.stack);
    }
    if (samples->rows.count > 0)
        to->weight_type = WEIGHT_TRACING_MS;
    return sample_table_seal(to);
}

static bool append_frames(struct event_samples *samples)
{
    struct profile *profile = samples->import->profile;
    for (size_t i = 0; i < samples->names.count; i++) {
        struct func func = {
            .name = samples->names.items[i],
            .resource = resource_none(),
            .source = source_none(),
            .line = INDEX_NONE,
            .column = INDEX_NONE,
            .original_location = location_none(),
        };
        struct frame frame = {
            .address = COLUMN_ABSENT,
            .lib = lib_none(),
            .category = category_list_default(&profile->categories, &profile->strings),
            .subcategory = INDEX_NONE,
            .func = func_table_add(&profile->funcs, &func),
            .native_symbol = native_symbol_none(),
            .implementation = STRING_NONE,
            .line = INDEX_NONE,
            .column = INDEX_NONE,
            .original_location = location_none(),
        };
        if (!func_exists(frame.func))
            return false;
        frame_table_append(&profile->frames, &frame);
    }
    return true;
}

/* Events that begin and end apart are made whole: they have become markers already. */
static bool join_begins_and_ends(struct trace *trace)
{
    struct begins_and_ends list = {0};
    bool ok = true;
    for (uint32_t row = 0; row < trace->threads.count; row++) {
        struct trace_thread *thread = &trace->threads.items[row];
        for (size_t i = 0; ok && i < thread->others.count; i++) {
            struct trace_event event = thread->others.items[i].event;
            bool begins = event.phase == 'B';
            if (!begins && event.phase != 'E')
                continue;
            struct begin_or_end item = {
                .ts = event.ts,
                .name = event.name,
                .category = event.category,
                .thread = row,
                .event = begins ? (uint32_t)thread->events.count : INDEX_NONE,
                .order = (uint32_t)list.count,
            };
            ok = thread->events.count < INDEX_NONE && vec_push(&list, item) && (!begins || vec_push(&thread->events, event));
        }
    }
    ok = ok && begin_end_join(&list, trace, TRACE_RULES_NEWEST);
    vec_free(&list);
    for (size_t i = 0; ok && i < trace->threads.count; i++)
        ok = events_sort(trace->threads.items[i].events.items, trace->threads.items[i].events.count);
    return ok;
}

static bool has_samples(const struct profile *profile)
{
    for (size_t i = 0; i < profile->threads.count; i++)
        if (sample_count(&profile->threads.items[i].samples) > 0)
            return true;
    return false;
}

int trace_import_event_samples(struct trace_import *import)
{
    struct event_samples samples = {.import = import};
    bool ok;
    if (import->is_thin || has_samples(import->profile))
        return 0;
    ok = join_begins_and_ends(&import->trace);
    for (size_t i = 0; i < import->trace.threads.count && ok; i++)
        if (import->thread_of[i] != INDEX_NONE)
            ok = import_thread(&samples, &import->trace.threads.items[i],
                               &import->profile->threads.items[import->thread_of[i]].samples);
    ok = ok && append_frames(&samples);
    if (ok)
        stack_builder_append_to(&samples.stacks, 0, &import->profile->stacks);
    import->samples_are_events = samples.names.count > 0;
    stack_builder_free(&samples.stacks);
    vec_free(&samples.frame_of_string);
    vec_free(&samples.names);
    vec_free(&samples.open);
    vec_free(&samples.rows);
    return ok ? 0 : error_out_of_memory(import->error);
}
