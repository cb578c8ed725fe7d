#include "trace/trace_reader.h"

/* Row of the arguments of the event, kept as text where that is wanted. False when the heap is empty. */
static bool keep_arguments(struct trace *trace, const struct event_text *event, uint32_t *row)
{
    struct slice text = text_slice(&event->details.text);
    *row = INDEX_NONE;
    if (text.length == 0 || slice_is(text, "{}"))
        return true;
    char *copy = arena_copy(&trace->texts, text.text, text.length);
    if (!copy || trace->arguments.count >= INDEX_NONE - 1)
        return false;
    *row = (uint32_t)trace->arguments.count;
    return vec_push(&trace->arguments, ((struct slice){copy, text.length}));
}

/* `thread` and `event` are rows. */
static bool note_begin_or_end(struct trace_reader *reader, uint32_t thread, uint32_t event)
{
    const struct event_text *text = &reader->events.event;
    struct begin_or_end item = {
        .ts = text->ts,
        .name = text->name,
        .category = text->category,
        .thread = thread,
        .event = event,
        .order = (uint32_t)reader->begins_and_ends.count,
    };
    return vec_push(&reader->begins_and_ends, item);
}

static bool add_entry(struct trace_reader *reader)
{
    struct trace *trace = reader->trace;
    const struct event_text *event = &reader->events.event;
    bool is_begin = event->phase == 'B';
    struct trace_event entry = {
        .ts = event->ts,
        .dur = is_begin || isnan(event->dur) ? 0 : event->dur,
        .sample_trace_id = event_trace_id(&event->details),
        .name = event->name,
        .category = event->category,
        .phase = is_begin ? 'X' : event->phase,
    };
    struct trace_thread *thread = thread_list_get(&reader->threads, trace, (int64_t)event->pid, (int64_t)event->tid);
    if (!thread || thread->events.count >= INDEX_NONE - 1 || !keep_arguments(trace, event, &entry.arguments) ||
        !vec_push(&thread->events, entry))
        return false;
    trace_note_time(trace, entry.ts, entry.ts + entry.dur);
    return !is_begin ||
           note_begin_or_end(reader, (uint32_t)(thread - trace->threads.items), (uint32_t)(thread->events.count - 1));
}

static bool end_entry(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    trace_note_time(reader->trace, event->ts, event->ts);
    if (!is_whole(event->pid) || !is_whole(event->tid))
        return note_begin_or_end(reader, INDEX_NONE, INDEX_NONE);
    const struct trace_thread *thread =
        thread_list_get(&reader->threads, reader->trace, (int64_t)event->pid, (int64_t)event->tid);
    return thread && note_begin_or_end(reader, (uint32_t)(thread - reader->trace->threads.items), INDEX_NONE);
}

bool entry_take(struct trace_reader *reader)
{
    return reader->events.event.phase == 'E' ? end_entry(reader) : add_entry(reader);
}

struct trace_thread *entry_note_other(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    struct trace_thread *thread = thread_list_get(&reader->threads, reader->trace, (int64_t)event->pid, (int64_t)event->tid);
    if (thread && event->phase == 'C')
        thread->has_counters = true;
    else if (thread)
        thread->has_markers = true;
    return thread;
}

bool entry_take_other(struct trace_reader *reader)
{
    struct trace *trace = reader->trace;
    const struct event_text *event = &reader->events.event;
    struct trace_other other = {
        .event = {.ts = event->ts, .name = event->name, .category = event->category, .phase = event->phase},
        .id = STRING_NONE,
        .id_is_global = event->id_is_global,
    };
    struct slice id = text_slice(&event->id);
    if (id.length > 0 && !string_exists(other.id = string_table_add(&trace->strings, id)))
        return false;
    trace_note_time(trace, event->ts, event->ts);
    struct trace_thread *thread = entry_note_other(reader);
    return thread && thread->others.count < INDEX_NONE - 1 && keep_arguments(trace, event, &other.event.arguments) &&
           vec_push(&thread->others, other);
}
