#include "trace/trace_read.h"

#include "trace/event_read.h"
#include "trace/event_sort.h"
#include "trace/json_any.h"
#include "trace/pages.h"
#include "trace/profile_pieces.h"

#include <errno.h>
#include <math.h>

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

/* An event of phase B that still waits for its E. */
struct open_event {
    uint32_t thread, event; /* rows */
};

struct trace_reader {
    struct trace *trace;
    const struct trace_read_options *options;
    struct json_reader *json;
    struct event_reader events;
    struct thread_list threads;
    struct profile_pieces pieces;
    struct pages pages;
    VEC(struct open_event) open;  /* of all threads: the engine has one stack for them all */
    struct trace_profile profile; /* of a file that is a CPU profile */
    bool has_events, has_profile;
};

bool trace_has_key(struct slice key)
{
    enum trace_key known = trace_key_look_up(key);
    return known == KEY_TRACE_EVENTS || known == KEY_NODES || known == KEY_SAMPLES || known == KEY_TIME_DELTAS ||
           known == KEY_START_TIME || known == KEY_END_TIME;
}

/* ---- entries ---- */

static bool is_whole(double number)
{
    return number >= -9007199254740992 && number <= 9007199254740992 && number == trunc(number);
}

static void note_time(struct trace *trace, double first, double last)
{
    /* A comparison with NaN, which is there at first, is false. */
    if (!(trace->first_ts <= first))
        trace->first_ts = first;
    if (!(trace->last_ts >= last))
        trace->last_ts = last;
}

/* Row of the arguments of the event, kept as text where that is wanted. False when the heap is empty. */
static bool keep_arguments(struct trace *trace, const struct event_text *event, uint32_t *row)
{
    struct slice text = text_slice(&event->arguments.text);
    *row = INDEX_NONE;
    if (text.length == 0 || slice_is(text, "{}"))
        return true;
    char *copy = arena_copy(&trace->texts, text.text, text.length);
    if (!copy || trace->arguments.count >= INDEX_NONE - 1)
        return false;
    *row = (uint32_t)trace->arguments.count;
    return vec_push(&trace->arguments, ((struct slice){copy, text.length}));
}

static bool add_entry(struct trace_reader *reader)
{
    struct trace *trace = reader->trace;
    const struct event_text *event = &reader->events.event;
    bool is_begin = event->phase == 'B';
    struct trace_event entry = {
        .ts = event->ts,
        .dur = is_begin || isnan(event->dur) ? 0 : event->dur,
        .sample_trace_id = event_trace_id(&event->arguments),
        .name = event->name,
        .category = event->category,
        .phase = is_begin ? 'X' : event->phase,
    };
    struct trace_thread *thread = thread_list_get(&reader->threads, trace, (int64_t)event->pid, (int64_t)event->tid);
    if (!thread || thread->events.count >= INDEX_NONE - 1 || !keep_arguments(trace, event, &entry.arguments) ||
        !vec_push(&thread->events, entry))
        return false;
    note_time(trace, entry.ts, entry.ts + entry.dur);
    if (!is_begin)
        return true;
    struct open_event open = {(uint32_t)(thread - trace->threads.items), (uint32_t)(thread->events.count - 1)};
    return vec_push(&reader->open, open);
}

/* Ends what was begun last, on whichever thread that was. */
static void end_entry(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    note_time(reader->trace, event->ts, event->ts);
    if (reader->open.count == 0)
        return;
    struct open_event open = reader->open.items[--reader->open.count];
    struct trace_event *begin = &reader->trace->threads.items[open.thread].events.items[open.event];
    if (string_same(begin->name, event->name) && string_same(begin->category, event->category))
        begin->dur = event->ts - begin->ts;
}

static bool is_other(const struct event_text *event)
{
    bool has_phase = event->phase != '\0' && strchr("BEbenSTpFiRC", event->phase);
    return has_phase && is_whole(event->pid) && is_whole(event->tid) && !isnan(event->ts);
}

static bool add_other(struct trace_reader *reader)
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
    note_time(trace, event->ts, event->ts);
    struct trace_thread *thread = thread_list_get(&reader->threads, trace, (int64_t)event->pid, (int64_t)event->tid);
    return thread && thread->others.count < INDEX_NONE - 1 && keep_arguments(trace, event, &other.event.arguments) &&
           vec_push(&thread->others, other);
}

/* ---- what events of certain names tell ---- */

static bool name_thread(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    struct slice text = text_slice(&event->arguments.name);
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
    struct string_index name = string_table_add(&reader->trace->strings, text_slice(&event->arguments.name));
    if (!process || !string_exists(name))
        return false;
    process->name = name;
    return true;
}

static bool label_process(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    struct trace_process *process = thread_list_process(&reader->threads, reader->trace, (int64_t)event->pid);
    struct slice labels = text_slice(&event->arguments.labels);
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
        process->sort_index = event->arguments.sort_index;
    return process != NULL;
}

static bool order_thread(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    struct trace_thread *thread = thread_list_get(&reader->threads, reader->trace, (int64_t)event->pid, (int64_t)event->tid);
    if (thread)
        thread->sort_index = event->arguments.sort_index;
    return thread != NULL;
}

static bool add_frames(struct trace_reader *reader)
{
    const struct event_arguments *arguments = &reader->events.event.arguments;
    for (size_t i = 0; i < arguments->frames.count; i++) {
        const struct frame_place *place = &arguments->frames.items[i];
        if (is_whole(place->process) && !pages_add_frame(&reader->pages, place->frame, place->url, (int64_t)place->process))
            return false;
    }
    return true;
}

static bool add_frame(struct trace_reader *reader, double process)
{
    const struct event_arguments *arguments = &reader->events.event.arguments;
    if (!arguments->has_data || !is_whole(process))
        return true;
    struct string_index frame = string_table_add(&reader->trace->strings, text_slice(&arguments->frame));
    struct string_index url = string_table_add(&reader->trace->strings, text_slice(&arguments->url));
    return string_exists(frame) && string_exists(url) && pages_add_frame(&reader->pages, frame, url, (int64_t)process);
}

static bool add_worklet(struct trace_reader *reader)
{
    const struct event_arguments *arguments = &reader->events.event.arguments;
    if (!is_whole(arguments->pid))
        return true;
    struct string_index host = string_table_add(&reader->trace->strings, text_slice(&arguments->host));
    return string_exists(host) && pages_add_worklet(&reader->pages, (int64_t)arguments->pid, host);
}

static bool take_known_event(struct trace_reader *reader)
{
    struct event_text *event = &reader->events.event;
    bool has_pid = is_whole(event->pid), has_thread = has_pid && is_whole(event->tid);
    switch (event->name.i) {
    case NAME_PROFILE:
        return !has_thread || isnan(event->ts) || profile_pieces_begin(&reader->pieces, reader->trace, event);
    case NAME_PROFILE_CHUNK:
        return !has_pid || profile_pieces_append(&reader->pieces, reader->trace, event);
    case NAME_CPU_PROFILE:
        reader->pages.is_browser = true;
        return !has_thread || event->phase != 'X' || profile_pieces_put(&reader->pieces, reader->trace, event);
    case NAME_TRACING_STARTED_IN_BROWSER:
        reader->pages.is_browser = true;
        return add_frames(reader);
    case NAME_TRACING_STARTED_IN_PAGE:
    case NAME_TRACING_SESSION_ID_FOR_WORKER:
        reader->pages.is_browser = true;
        return true;
    case NAME_FRAME_COMMITTED_IN_BROWSER:
        return add_frame(reader, event->arguments.process);
    case NAME_COMMIT_LOAD:
        return add_frame(reader, event->pid);
    case NAME_WORKLET_RUNNING:
    case NAME_WORKLET_DONE:
        return add_worklet(reader);
    case NAME_THREAD_NAME:
        return !has_thread || event->phase != 'M' || name_thread(reader);
    case NAME_PROCESS_NAME:
        return !has_pid || event->phase != 'M' || name_process(reader);
    case NAME_PROCESS_LABELS:
        return !has_pid || event->phase != 'M' || label_process(reader);
    case NAME_PROCESS_SORT_INDEX:
        return !has_pid || event->phase != 'M' || order_process(reader);
    case NAME_THREAD_SORT_INDEX:
        return !has_thread || event->phase != 'M' || order_thread(reader);
    default:
        return true;
    }
}

/* ---- events ---- */

/* What an entry cannot do without. */
static bool is_entry(const struct event_text *event)
{
    return string_exists(event->name) && is_whole(event->pid) && is_whole(event->tid) && !isnan(event->ts);
}

/* Everything but the samples can be a marker. False when the heap is empty. */
static bool take_marker(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    bool has_entry = event->phase == 'X' || event->phase == 'I';
    if (event->name.i <= NAME_CPU_PROFILE)
        return true;
    if (has_entry ? is_entry(event) : is_other(event))
        return has_entry ? add_entry(reader) : add_other(reader);
    reader->trace->odd_events += has_entry;
    return true;
}

/* False when the heap is empty. */
static bool take_event(struct trace_reader *reader)
{
    const struct event_text *event = &reader->events.event;
    bool others = reader->options->others;
    bool has_entry = !others && (event->phase == 'X' || event->phase == 'I' || event->phase == 'B' || event->phase == 'E');
    if (event->is_odd || (has_entry && !is_entry(event))) {
        reader->trace->odd_events++;
        return true;
    }
    if (event->name.i < KNOWN_NAMES && !take_known_event(reader))
        return false;
    if (others)
        return take_marker(reader);
    if (event->phase == 'E')
        end_entry(reader);
    else if (has_entry)
        return add_entry(reader);
    else if (event->phase != 'M' && !isnan(event->ts))
        note_time(reader->trace, event->ts, event->ts);
    return true;
}

static void read_events(struct trace_reader *reader)
{
    if (!json_begin_array(reader->json))
        return;
    reader->has_events = true;
    while (json_next_item(reader->json)) {
        bool is_event = event_read(&reader->events);
        if (!json_ok(reader->json))
            return;
        reader->trace->event_count++;
        if (!is_event)
            reader->trace->odd_events++;
        else if (!take_event(reader))
            json_fail_out_of_memory(reader->json);
    }
}

/* ---- the file ---- */

static void read_metadata(struct trace_reader *reader)
{
    struct slice origin;
    if (!any_object(reader->json))
        return;
    for (enum trace_key key; (key = trace_next_key(reader->json)) != 0;)
        if (key == KEY_DATA_ORIGIN)
            reader->trace->cpu_mode = any_string(reader->json, &origin) && slice_is(origin, "CPUProfile");
        else
            json_skip(reader->json);
}

/* A trace or a CPU profile: which of them is known when one of their keys comes. */
static void read_object(struct trace_reader *reader)
{
    struct json_reader *json = reader->json;
    json_begin_object(json);
    for (enum trace_key key; (key = trace_next_key(json)) != 0;) {
        if (key == KEY_TRACE_EVENTS && reader->has_events)
            json_fail(json, "key \"traceEvents\" occurs twice");
        else if (key == KEY_TRACE_EVENTS)
            read_events(reader);
        else if (key == KEY_METADATA)
            read_metadata(reader);
        else if (key == KEY_NODES && json_peek(json) != JSON_ARRAY)
            json_skip(json);
        else {
            reader->has_profile |= key == KEY_NODES;
            if (!profile_read_key(&reader->events.profile, &reader->profile, key))
                json_skip(json);
        }
    }
    if (json_ok(json) && !reader->has_events && !reader->has_profile)
        json_fail(json, "this is neither a trace (traceEvents) nor a CPU profile (nodes): the object ends");
}

static void read_file(struct trace_reader *reader)
{
    switch (json_peek(reader->json)) {
    case JSON_ARRAY:
        read_events(reader);
        break;
    case JSON_OBJECT:
        read_object(reader);
        break;
    default:
        json_fail(reader->json, "neither a trace nor a CPU profile");
    }
    json_finish(reader->json);
}

/* A file that is a CPU profile is as a trace with one event that carries it. */
static bool take_profile(struct trace_reader *reader)
{
    struct trace *trace = reader->trace;
    struct event_text *event = &reader->events.event;
    struct profile_piece *piece = &event->arguments.piece;
    trace->cpu_mode = reader->pages.is_browser = true;
    event->pid = event->tid = 1;
    text_cut(&event->id, 0);
    text_add(&event->id, SLICE("0x1"));
    trace_profile_free(&piece->profile);
    piece->profile = reader->profile;
    reader->profile = (struct trace_profile){0};
    return !event->id.failed && profile_pieces_put(&reader->pieces, trace, event);
}

/* ---- the whole ---- */

static void note_sample_times(struct trace *trace, const struct trace_profile *profile)
{
    double time = profile->start;
    if (profile->deltas.count == 0)
        return;
    note_time(trace, time, time);
    for (size_t i = 0; i < profile->deltas.count; i++) {
        time += profile->deltas.items[i];
        note_time(trace, time, time);
    }
}

/* A CPU profile on its own has no process with a page, and nothing but its samples counts. */
static void keep_profiles_alone(struct trace *trace)
{
    for (size_t i = 0; i < trace->processes.count; i++)
        if (trace->processes.items[i].kept)
            return;
    for (size_t i = 0; i < trace->processes.count; i++)
        trace->processes.items[i].kept = true;
    for (size_t i = 0; i < trace->threads.count; i++)
        vec_free(&trace->threads.items[i].events);
}

static bool finish(struct trace_reader *reader)
{
    struct trace *trace = reader->trace;
    if (!reader->has_events && !take_profile(reader))
        return false;
    if (!profile_pieces_choose(trace, &reader->threads, reader->options->rules) ||
        !pages_judge(&reader->pages, trace, &reader->threads, reader->options->rules))
        return false;
    if (trace->cpu_mode)
        keep_profiles_alone(trace);
    for (size_t i = 0; i < trace->threads.count; i++) {
        struct trace_thread *thread = &trace->threads.items[i];
        vec_trim(&thread->events);
        if (!events_sort(thread->events.items, thread->events.count))
            return false;
    }
    for (size_t i = 0; i < trace->profiles.count; i++)
        note_sample_times(trace, &trace->profiles.items[i]);
    return true;
}

static bool add_known_names(struct string_table *strings)
{
    for (size_t i = 0; i < KNOWN_NAMES; i++)
        if (!string_exists(string_table_add(strings, slice_of(known_names[i]))))
            return false;
    return true;
}

int trace_read(struct trace *trace, struct byte_source *source, const struct trace_read_options *options, struct error *error)
{
    /* The JSON reader calls it an error when the input ends too soon, and we may not. */
    struct error json_error = {0};
    struct trace_reader reader = {.trace = trace, .options = options};
    trace->first_ts = trace->last_ts = NAN;
    reader.json = json_reader_open(source, &json_error);
    reader.events.profile = (struct profile_reader){reader.json, &trace->strings};
    reader.events.keep_text = options->arguments;
    if (reader.json && add_known_names(&trace->strings)) {
        json_allow_repeated_keys(reader.json, true);
        read_file(&reader);
        trace->cut = reader.has_events && json_ended_early(reader.json);
        if (json_ok(reader.json) || trace->cut) {
            json_error = (struct error){0};
            if (!finish(&reader))
                error_out_of_memory(&json_error);
        }
    } else {
        error_out_of_memory(&json_error);
    }
    if (json_error.code != 0)
        error_set(error, json_error.code, "%s", json_error.message);
    json_reader_close(reader.json);
    event_reader_free(&reader.events);
    thread_list_free(&reader.threads);
    profile_pieces_free(&reader.pieces);
    pages_free(&reader.pages);
    vec_free(&reader.open);
    trace_profile_free(&reader.profile);
    return json_error.code;
}
