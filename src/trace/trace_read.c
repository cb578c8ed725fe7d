#include "trace/trace_read.h"

#include "trace/event_sort.h"
#include "trace/json_any.h"
#include "trace/trace_reader.h"

#include <errno.h>
#include <math.h>

bool trace_has_key(struct slice key)
{
    enum trace_key known = trace_key_look_up(key);
    return known == KEY_TRACE_EVENTS || known == KEY_NODES || known == KEY_SAMPLES || known == KEY_TIME_DELTAS ||
           known == KEY_START_TIME || known == KEY_END_TIME;
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
        reader->has_phase |= reader->events.event.phase != '\0';
        if (!is_event)
            reader->trace->odd_events++;
        else if (!event_take(reader))
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
}

static void read_file(struct trace_reader *reader, struct error *error)
{
    switch (json_peek(reader->json)) {
    case JSON_ARRAY:
        read_events(reader);
        /* Other tools write arrays of objects, too. */
        if (json_ok(reader->json) && reader->trace->event_count > 0 && !reader->has_phase)
            json_fail(reader->json, "not a trace: none of its events has a phase (ph)");
        break;
    case JSON_OBJECT:
        read_object(reader);
        break;
    default:
        json_fail(reader->json, "neither a trace nor a CPU profile");
    }
    if (json_finish(reader->json) == 0 && !reader->has_events && !reader->has_profile)
        error_set(error, -EBADMSG, "neither a trace nor a CPU profile: it has neither traceEvents nor nodes");
}

/* A file that is a CPU profile is as a trace with one event that carries it. */
static bool take_profile(struct trace_reader *reader)
{
    struct trace *trace = reader->trace;
    struct event_text *event = &reader->events.event;
    struct profile_piece *piece = &event->details.piece;
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
    trace_note_time(trace, time, time);
    for (size_t i = 0; i < profile->deltas.count; i++) {
        time += profile->deltas.items[i];
        trace_note_time(trace, time, time);
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
        !pages_judge(&reader->pages, trace, &reader->threads, reader->options->rules) ||
        !begin_end_join(&reader->begins_and_ends, trace, reader->options->rules))
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

int trace_read(struct trace *trace, struct byte_source *source, const struct trace_read_options *options, struct error *error)
{
    /* The JSON reader calls it an error when the input ends too soon, and we may not. */
    struct error json_error = {0};
    struct trace_reader reader = {.trace = trace, .options = options};
    trace->first_ts = trace->last_ts = NAN;
    reader.json = json_reader_open(source, &json_error);
    reader.events.profile = (struct profile_reader){reader.json, &trace->strings};
    reader.events.keep_text = options->arguments;
    if (reader.json && event_take_names(&trace->strings)) {
        json_ignore_repeated_keys(reader.json);
        read_file(&reader, &json_error);
        trace->cut = reader.has_events && json_ended_early(reader.json);
        if (trace->cut)
            json_error = (struct error){0};
        if (json_error.code == 0 && !finish(&reader))
            error_out_of_memory(&json_error);
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
    vec_free(&reader.begins_and_ends);
    trace_profile_free(&reader.profile);
    return json_error.code;
}
