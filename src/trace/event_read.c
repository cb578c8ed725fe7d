#include "trace/event_read.h"

#include "common/number_text.h"
#include "trace/json_any.h"

#include <math.h>

/* ---- values ---- */

static struct string_index read_name(struct event_reader *reader, bool *is_string)
{
    struct slice text;
    *is_string = any_string(reader->profile.json, &text);
    if (!*is_string)
        return STRING_NONE;
    struct string_index string = string_table_add(reader->profile.strings, text);
    if (!string_exists(string))
        json_fail_out_of_memory(reader->profile.json);
    return string;
}

static bool read_text(struct json_reader *json, struct text_buffer *buffer)
{
    struct slice text;
    text_cut(buffer, 0);
    if (!any_string(json, &text))
        return false;
    text_add(buffer, text);
    if (buffer->failed)
        json_fail_out_of_memory(json);
    return true;
}

/* ---- arguments ---- */

static void read_begin_data(struct event_reader *reader)
{
    struct json_reader *json = reader->profile.json;
    struct event_details *details = &reader->event.details;
    details->has_begin_data = true;
    details->begin_trace_id = NAN;
    if (!any_object(json))
        return;
    for (enum trace_key key; (key = trace_next_key(json)) != 0;)
        if (key == KEY_SAMPLE_TRACE_ID)
            any_number(json, &details->begin_trace_id);
        else
            json_skip(json);
}

static void read_frame(struct event_reader *reader)
{
    struct json_reader *json = reader->profile.json;
    struct frame_place place = {STRING_NONE, STRING_NONE, NAN};
    bool is_string;
    if (!any_object(json))
        return;
    for (enum trace_key key; (key = trace_next_key(json)) != 0;)
        switch (key) {
        case KEY_FRAME:
            place.frame = read_name(reader, &is_string);
            break;
        case KEY_URL:
            place.url = read_name(reader, &is_string);
            break;
        case KEY_PROCESS_ID:
            any_number(json, &place.process);
            break;
        default:
            json_skip(json);
        }
    if (json_ok(json) && !vec_push(&reader->event.details.frames, place))
        json_fail_out_of_memory(json);
}

static void read_frames(struct event_reader *reader)
{
    reader->event.details.frames.count = 0;
    if (any_array(reader->profile.json))
        while (json_next_item(reader->profile.json))
            read_frame(reader);
}

static enum trace_source read_source(struct json_reader *json)
{
    struct slice text;
    if (!any_string(json, &text))
        return TRACE_SOURCE_UNKNOWN;
    if (slice_is(text, "Internal"))
        return TRACE_SOURCE_INTERNAL;
    if (slice_is(text, "Inspector"))
        return TRACE_SOURCE_INSPECTOR;
    return slice_is(text, "SelfProfiling") ? TRACE_SOURCE_SELF_PROFILING : TRACE_SOURCE_UNKNOWN;
}

static void clear_piece(struct profile_piece *piece)
{
    profile_clear(&piece->profile);
    piece->deltas.count = piece->lines.count = piece->columns.count = 0;
    piece->has_lines = piece->has_columns = false;
    piece->source = TRACE_SOURCE_UNKNOWN;
}

static void clear_data(struct event_details *details)
{
    if (details->data_is_clear)
        return;
    details->data_is_clear = true;
    details->has_data = details->has_url = false;
    details->data_trace_id = details->process = details->pid = NAN;
    text_cut(&details->frame, 0);
    text_cut(&details->url, 0);
    text_cut(&details->host, 0);
    details->frames.count = 0;
    clear_piece(&details->piece);
}

static void read_data_value(struct event_reader *reader, enum trace_key key)
{
    struct json_reader *json = reader->profile.json;
    struct event_details *details = &reader->event.details;
    struct profile_piece *piece = &details->piece;
    switch (key) {
    case KEY_SAMPLE_TRACE_ID:
        any_number(json, &details->data_trace_id);
        break;
    case KEY_CPU_PROFILE:
        profile_read(&reader->profile, &piece->profile);
        break;
    case KEY_TIME_DELTAS:
        profile_read_numbers(json, &piece->deltas, 0);
        break;
    case KEY_LINES:
        piece->has_lines = profile_read_numbers(json, &piece->lines, 0);
        break;
    case KEY_COLUMNS:
        piece->has_columns = profile_read_numbers(json, &piece->columns, 0);
        break;
    case KEY_SOURCE:
        piece->source = read_source(json);
        break;
    case KEY_FRAMES:
        read_frames(reader);
        break;
    case KEY_FRAME:
        read_text(json, &details->frame);
        break;
    case KEY_URL:
        details->has_url = read_text(json, &details->url);
        break;
    case KEY_HOST:
        read_text(json, &details->host);
        break;
    case KEY_PROCESS_ID:
        any_number(json, &details->process);
        break;
    case KEY_PID:
        any_number(json, &details->pid);
        break;
    default:
        json_skip(json);
    }
}

static void read_data(struct event_reader *reader)
{
    clear_data(&reader->event.details);
    reader->event.details.data_is_clear = false;
    reader->event.details.has_data = any_object(reader->profile.json);
    if (reader->event.details.has_data)
        for (enum trace_key key; (key = trace_next_key(reader->profile.json)) != 0;)
            read_data_value(reader, key);
}

static void clear_details(struct event_details *details)
{
    clear_data(details);
    if (details->is_clear)
        return;
    details->is_clear = true;
    text_cut(&details->name, 0);
    text_cut(&details->labels, 0);
    text_cut(&details->text, 0);
    details->sort_index = NAN;
    details->has_begin_data = false;
    details->begin_trace_id = details->trace_id = NAN;
}

/* False, and nothing is read, where it is something else. */
static bool read_detail(struct event_reader *reader, enum trace_key key)
{
    struct json_reader *json = reader->profile.json;
    struct event_details *details = &reader->event.details;
    switch (key) {
    case KEY_BEGIN_DATA:
        read_begin_data(reader);
        break;
    case KEY_SAMPLE_TRACE_ID:
        any_number(json, &details->trace_id);
        break;
    case KEY_NAME:
        read_text(json, &details->name);
        break;
    case KEY_LABELS:
        read_text(json, &details->labels);
        break;
    case KEY_SORT_INDEX:
        any_number(json, &details->sort_index);
        break;
    default:
        return false;
    }
    details->is_clear = false;
    return true;
}

static void read_arguments(struct event_reader *reader)
{
    struct json_reader *json = reader->profile.json;
    struct event_details *details = &reader->event.details;
    clear_details(details); /* of arguments that are there twice the last ones count, as in JavaScript */
    if (reader->keep_text)
        json_capture_begin(json);
    if (any_object(json))
        for (enum trace_key key; (key = trace_next_key(json)) != 0;) {
            if (key == KEY_DATA)
                read_data(reader);
            else if (!read_detail(reader, key))
                json_skip(json);
        }
    if (reader->keep_text) {
        details->is_clear = false;
        json_capture_end(json, &details->text);
        if (details->text.failed)
            json_fail_out_of_memory(json);
    }
}

/* ---- events ---- */

/* Text as it is, numbers as JavaScript would print them. */
static void read_id(struct json_reader *json, struct text_buffer *id)
{
    char text[NUMBER_TEXT_SIZE];
    if (json_peek(json) != JSON_NUMBER) {
        read_text(json, id);
        return;
    }
    size_t length = number_text(json_number(json), text);
    text_cut(id, 0);
    text_add(id, (struct slice){text, length});
    if (id->failed)
        json_fail_out_of_memory(json);
}

/* `{"local":"0x1"}` or `{"global":"0x1"}` */
static void read_id2(struct json_reader *json, struct event_text *event)
{
    if (!any_object(json))
        return;
    for (enum trace_key key; (key = trace_next_key(json)) != 0;)
        if (key == KEY_LOCAL || key == KEY_GLOBAL) {
            read_id(json, &event->id);
            event->id_is_global = key == KEY_GLOBAL;
        } else {
            json_skip(json);
        }
}

static bool read_phase(struct json_reader *json, char *phase)
{
    struct slice text;
    bool is_one = any_string(json, &text) && text.length == 1;
    *phase = is_one ? text.text[0] : '\0';
    return is_one;
}

bool event_read(struct event_reader *reader)
{
    struct json_reader *json = reader->profile.json;
    struct event_text *event = &reader->event;
    event->name = event->category = STRING_NONE;
    event->phase = '\0';
    event->pid = event->tid = event->ts = event->dur = NAN;
    event->is_odd = false;
    event->id_is_global = false;
    text_cut(&event->id, 0);
    clear_details(&event->details);
    if (!any_object(json))
        return false;
    bool is_right = true;
    for (enum trace_key key; (key = trace_next_key(json)) != 0; event->is_odd |= !is_right, is_right = true)
        switch (key) {
        case KEY_ARGS:
            read_arguments(reader);
            break;
        case KEY_CAT:
            event->category = read_name(reader, &is_right);
            break;
        case KEY_NAME:
            event->name = read_name(reader, &is_right);
            break;
        case KEY_PH:
            is_right = read_phase(json, &event->phase);
            break;
        case KEY_PID:
            is_right = any_number(json, &event->pid);
            break;
        case KEY_TID:
            is_right = any_number(json, &event->tid);
            break;
        case KEY_TS:
            is_right = any_number(json, &event->ts);
            break;
        case KEY_DUR:
            is_right = any_number(json, &event->dur);
            break;
        case KEY_ID:
            read_id(json, &event->id);
            break;
        case KEY_ID2:
            read_id2(json, event);
            break;
        default:
            json_skip(json);
        }
    return json_ok(json);
}

double event_trace_id(const struct event_details *details)
{
    double id = details->trace_id;
    if (details->has_begin_data)
        id = details->begin_trace_id;
    else if (isnan(id))
        id = details->data_trace_id;
    return isnan(id) ? 0 : id;
}

void event_reader_free(struct event_reader *reader)
{
    struct event_details *details = &reader->event.details;
    text_free(&reader->event.id);
    text_free(&details->name);
    text_free(&details->labels);
    text_free(&details->frame);
    text_free(&details->url);
    text_free(&details->host);
    text_free(&details->text);
    vec_free(&details->frames);
    trace_profile_free(&details->piece.profile);
    vec_free(&details->piece.deltas);
    vec_free(&details->piece.lines);
    vec_free(&details->piece.columns);
}
