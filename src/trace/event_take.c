#include "trace/trace_reader.h"

/* Names of events that mean something here. They are the first texts of the table, so that their index says it all. */
enum known_name {
    NAME_PROFILE,
    NAME_PROFILE_CHUNK,
    NAME_CPU_PROFILE,
    NAME_TRACING_STARTED_IN_BROWSER,
    NAME_TRACING_STARTED_IN_PAGE,
    NAME_TRACING_SESSION_ID_FOR_WORKER,
    NAME_FRAME_COMMITTED_IN_BROWSER,
    NAME_COMMIT_LOAD,
    NAME_WORKLET_RUNNING,
    NAME_WORKLET_DONE,
    NAME_THREAD_NAME,
    NAME_PROCESS_NAME,
    NAME_PROCESS_LABELS,
    NAME_PROCESS_SORT_INDEX,
    NAME_THREAD_SORT_INDEX,
    KNOWN_NAMES,
};

static const char *const known_names[KNOWN_NAMES] = {
    [NAME_PROFILE] = "Profile",
    [NAME_PROFILE_CHUNK] = "ProfileChunk",
    [NAME_CPU_PROFILE] = "CpuProfile",
    [NAME_TRACING_STARTED_IN_BROWSER] = "TracingStartedInBrowser",
    [NAME_TRACING_STARTED_IN_PAGE] = "TracingStartedInPage",
    [NAME_TRACING_SESSION_ID_FOR_WORKER] = "TracingSessionIdForWorker",
    [NAME_FRAME_COMMITTED_IN_BROWSER] = "FrameCommittedInBrowser",
    [NAME_COMMIT_LOAD] = "CommitLoad",
    [NAME_WORKLET_RUNNING] = "AuctionWorkletRunningInProcess",
    [NAME_WORKLET_DONE] = "AuctionWorkletDoneWithProcess",
    [NAME_THREAD_NAME] = "thread_name",
    [NAME_PROCESS_NAME] = "process_name",
    [NAME_PROCESS_LABELS] = "process_labels",
    [NAME_PROCESS_SORT_INDEX] = "process_sort_index",
    [NAME_THREAD_SORT_INDEX] = "thread_sort_index",
};

bool event_take_names(struct string_table *strings)
{
    for (size_t i = 0; i < KNOWN_NAMES; i++)
        if (!string_exists(string_table_add(strings, slice_of(known_names[i]))))
            return false;
    return true;
}

/* ---- what events of certain names tell ---- */

static bool name_thread(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    struct slice text = text_slice(&event->details.name);
    struct trace_thread *thread = thread_list_get(&reader->threads, reader->trace, (int64_t)event->pid, (int64_t)event->tid);
    struct string_index name = string_table_add(&reader->trace->strings, text);
    if (!thread || !string_exists(name))
        return false;
    thread->name = name;
    return pages_add_thread_name(&reader->pages, (int64_t)event->pid, text);
}

static bool name_process(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    struct trace_process *process = thread_list_process(&reader->threads, reader->trace, (int64_t)event->pid);
    struct string_index name = string_table_add(&reader->trace->strings, text_slice(&event->details.name));
    if (!process || !string_exists(name))
        return false;
    process->name = name;
    return true;
}

static bool label_process(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    struct trace_process *process = thread_list_process(&reader->threads, reader->trace, (int64_t)event->pid);
    struct slice labels = text_slice(&event->details.labels);
    if (!process || labels.length == 0)
        return process != NULL;
    process->labels = string_table_add(&reader->trace->strings, labels);
    return string_exists(process->labels);
}

static bool order_process(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    struct trace_process *process = thread_list_process(&reader->threads, reader->trace, (int64_t)event->pid);
    if (process)
        process->sort_index = event->details.sort_index;
    return process != NULL;
}

static bool order_thread(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    struct trace_thread *thread = thread_list_get(&reader->threads, reader->trace, (int64_t)event->pid, (int64_t)event->tid);
    if (thread)
        thread->sort_index = event->details.sort_index;
    return thread != NULL;
}

static bool add_frames(struct trace_reader *reader)
{
    const struct event_details *details = &reader->events.event.details;
    for (size_t i = 0; i < details->frames.count; i++) {
        const struct frame_place *place = &details->frames.items[i];
        if (is_whole(place->process) && !pages_add_frame(&reader->pages, place->frame, place->url, (int64_t)place->process))
            return false;
    }
    return true;
}

static bool add_frame(struct trace_reader *reader, double process)
{
    const struct event_details *details = &reader->events.event.details;
    if (!details->has_data || !is_whole(process))
        return true;
    struct string_index frame = string_table_add(&reader->trace->strings, text_slice(&details->frame));
    struct string_index url = string_table_add(&reader->trace->strings, text_slice(&details->url));
    return string_exists(frame) && string_exists(url) && pages_add_frame(&reader->pages, frame, url, (int64_t)process);
}

static bool add_worklet(struct trace_reader *reader)
{
    const struct event_details *details = &reader->events.event.details;
    if (!is_whole(details->pid))
        return true;
    struct string_index host = string_table_add(&reader->trace->strings, text_slice(&details->host));
    return string_exists(host) && pages_add_worklet(&reader->pages, (int64_t)details->pid, host);
}

static bool take_known_event(struct trace_reader *reader)
{
    struct event_text *event = &reader->events.event;
    switch (event->name.i) {
    case NAME_PROFILE:
        return profile_pieces_begin(&reader->pieces, reader->trace, event);
    case NAME_PROFILE_CHUNK:
        return profile_pieces_append(&reader->pieces, reader->trace, event);
    case NAME_CPU_PROFILE:
        reader->pages.is_browser = true;
        /* The Firefox Profiler takes what the engine does not. */
        if (event->phase != 'X' && !(reader->options->others && is_whole(event->pid) && is_whole(event->tid)))
            return true;
        if (!event->details.piece.profile.has_nodes)
            json_fail(reader->json, "a CPU profile without nodes (the older form, which has a head, is not supported)");
        return profile_pieces_put(&reader->pieces, reader->trace, event);
    case NAME_TRACING_STARTED_IN_BROWSER:
        reader->pages.is_browser = true;
        return add_frames(reader);
    case NAME_TRACING_STARTED_IN_PAGE:
    case NAME_TRACING_SESSION_ID_FOR_WORKER:
        reader->pages.is_browser = true;
        return true;
    case NAME_FRAME_COMMITTED_IN_BROWSER:
        return add_frame(reader, event->details.process);
    case NAME_COMMIT_LOAD:
        return add_frame(reader, event->pid);
    case NAME_WORKLET_RUNNING:
    case NAME_WORKLET_DONE:
        return add_worklet(reader);
    case NAME_THREAD_NAME:
        return event->phase != 'M' || name_thread(reader);
    case NAME_PROCESS_NAME:
        return event->phase != 'M' || name_process(reader);
    case NAME_PROCESS_LABELS:
        return event->phase != 'M' || label_process(reader);
    case NAME_PROCESS_SORT_INDEX:
        return event->phase != 'M' || order_process(reader);
    case NAME_THREAD_SORT_INDEX:
        return event->phase != 'M' || order_thread(reader);
    default:
        return true;
    }
}

/* ---- all events ---- */

/* Phases of what is kept besides entries. */
static bool has_other_phase(const struct event_text *event)
{
    return event->phase != '\0' && strchr("BEbenSTpFiRC", event->phase);
}

/* Whether something is missing that it cannot do without. */
static bool is_odd(const struct event_text *event)
{
    bool has_pid = is_whole(event->pid), has_thread = has_pid && is_whole(event->tid), has_time = !isnan(event->ts);
    if (event->is_odd)
        return true;
    switch (event->phase) {
    case 'X':
    case 'I':
    case 'B':
        return !string_exists(event->name) || !has_thread || !has_time;
    case 'E':
        if (!has_time)
            return true;
        break;
    }
    switch (event->name.i) {
    case NAME_PROFILE:
        return !has_thread || !has_time;
    case NAME_THREAD_NAME:
    case NAME_THREAD_SORT_INDEX:
        return !has_thread;
    case NAME_PROFILE_CHUNK:
    case NAME_PROCESS_NAME:
    case NAME_PROCESS_LABELS:
    case NAME_PROCESS_SORT_INDEX:
    case NAME_COMMIT_LOAD:
        return !has_pid;
    default:
        return false;
    }
}

/* Everything but the samples can be a marker or a counter. */
static bool is_other(const struct event_text *event)
{
    return event->name.i > NAME_CPU_PROFILE && has_other_phase(event) && is_whole(event->pid) && is_whole(event->tid) &&
           !isnan(event->ts);
}

static bool take_marker(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    if (event->name.i > NAME_CPU_PROFILE && (event->phase == 'X' || event->phase == 'I'))
        return entry_take(reader);
    return !is_other(event) || entry_take_other(reader);
}

bool event_take(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    if (is_odd(event)) {
        reader->trace->odd_events++;
        return true;
    }
    if (event->name.i < KNOWN_NAMES && !take_known_event(reader))
        return false;
    if (reader->options->others)
        return take_marker(reader);
    if (is_other(event) && !entry_note_other(reader))
        return false;
    switch (event->phase) {
    case 'X':
    case 'I':
    case 'B':
    case 'E':
        return entry_take(reader);
    case 'M':
        return true;
    default:
        if (!isnan(event->ts))
            trace_note_time(reader->trace, event->ts, event->ts);
        return true;
    }
}
