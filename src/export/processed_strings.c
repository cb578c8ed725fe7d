/* The strings of a file, and the places that refer to them by index. */
#include "export/processed_writer.h"

#include <math.h>

/* ---- which strings the file needs ---- */

static void mark(struct processed_writer *out, struct string_index string)
{
    if (string_exists(string))
        out->file_strings[string.i] = 0;
}

static void mark_column(struct processed_writer *out, const struct column *column)
{
    uint32_t rows[COLUMN_BLOCK_ROWS];
    size_t count = column_count(column);
    for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
        size_t piece = count - first < COLUMN_BLOCK_ROWS ? count - first : COLUMN_BLOCK_ROWS;
        column_read_u32(column, first, piece, rows);
        for (size_t i = 0; i < piece; i++)
            mark(out, string_at(rows[i]));
    }
}

static const struct string_fields_of_type *fields_of_payload(const struct processed_writer *out, const uint8_t *payload)
{
    const uint8_t *type = value_find(payload, string_table_find(&out->profile->strings, SLICE("type")));
    struct value value = type ? value_read(type) : (struct value){.kind = VALUE_NULL};
    return value.kind == VALUE_STRING ? string_fields_of(&out->string_fields, value.string) : NULL;
}

static void mark_payload(struct processed_writer *out, const uint8_t *payload)
{
    const struct string_fields_of_type *fields = fields_of_payload(out, payload);
    if (!fields)
        return;
    struct value object = value_read(payload);
    const uint8_t *at = object.rest;
    for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        if (value_read(at).kind == VALUE_STRING && string_fields_have(fields, key))
            mark(out, value_read(at).string);
    }
}

static void mark_thread(struct processed_writer *out, const struct thread *thread)
{
    const struct string_table *strings = &out->profile->strings;
    const struct marker_table *markers = &thread->markers;
    mark_column(out, &markers->name);
    for (size_t i = 0; i < marker_count(markers); i++) {
        int64_t offset = column_get(&markers->data, i);
        if (offset != COLUMN_ABSENT)
            mark_payload(out, markers->payloads.bytes.items + offset);
    }
    if (thread->other.bytes.count == 0)
        return;
    const uint8_t *tracer = value_find(thread->other.bytes.items, string_table_find(strings, SLICE("jsTracer")));
    const uint8_t *at = value_find(tracer, string_table_find(strings, SLICE("events")));
    struct value events = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    at = events.rest;
    for (uint32_t i = 0; events.kind == VALUE_ARRAY && i < events.count; i++, at = value_skip(at))
        if (value_read(at).kind == VALUE_STRING)
            mark(out, value_read(at).string);
}

int processed_collect_strings(struct processed_writer *out)
{
    const struct profile *profile = out->profile;
    size_t count = string_table_count(&profile->strings);
    if (!string_fields_collect(&out->string_fields, &profile->schemas, &profile->strings))
        return error_out_of_memory(out->error);
    out->file_strings = memory_array(count + 1, sizeof *out->file_strings);
    if (!out->file_strings)
        return error_out_of_memory(out->error);
    memset(out->file_strings, 0xff, count * sizeof *out->file_strings);
    mark_column(out, &profile->funcs.name);
    mark_column(out, &profile->native_symbols.name);
    for (size_t i = 0; i < profile->resources.rows.count; i++) {
        mark(out, profile->resources.rows.items[i].name);
        mark(out, profile->resources.rows.items[i].host);
    }
    for (size_t i = 0; i < profile->sources.rows.count; i++) {
        mark(out, profile->sources.rows.items[i].filename);
        mark(out, profile->sources.rows.items[i].source_map_url);
    }
    for (size_t i = 0; i < profile->threads.count; i++)
        mark_thread(out, &profile->threads.items[i]);
    for (size_t i = 0; i < count; i++)
        if (out->file_strings[i] != INDEX_NONE)
            out->file_strings[i] = (uint32_t)out->file_string_count++;
    return 0;
}

/* ---- writing ---- */

void processed_write_string(struct processed_writer *out, struct string_index string)
{
    if (string_exists(string))
        json_write_integer(out->w, out->file_strings[string.i]);
    else
        json_write_null(out->w);
}

static void write_cause(struct processed_writer *out, const struct raw_marker *marker, bool tid_is_text)
{
    json_write_key(out->w, "cause");
    json_write_begin_object(out->w);
    if (string_exists(marker->cause_tid)) {
        json_write_key(out->w, "tid");
        processed_write_tid(out, marker->cause_tid, tid_is_text);
    }
    if (!isnan(marker->cause_time)) {
        json_write_key(out->w, "time");
        json_write_number(out->w, marker->cause_time);
    }
    json_write_key(out->w, "stack");
    json_write_integer(out->w, marker->cause_stack.i);
    json_write_end_object(out->w);
}

void processed_write_payload(struct processed_writer *out, const struct raw_marker *marker, bool tid_is_text)
{
    const struct string_table *strings = &out->profile->strings;
    bool has_cause = stack_exists(marker->cause_stack);
    if (!marker->data && !has_cause) {
        json_write_null(out->w);
        return;
    }
    json_write_begin_object(out->w);
    if (marker->data) {
        const struct string_fields_of_type *fields = fields_of_payload(out, marker->data);
        struct value object = value_read(marker->data);
        const uint8_t *at = object.rest;
        for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
            struct string_index key = value_read_key(&at);
            json_write_key_slice(out->w, string_table_get(strings, key));
            if (fields && value_read(at).kind == VALUE_STRING && string_fields_have(fields, key))
                processed_write_string(out, value_read(at).string);
            else
                value_to_json(at, strings, out->w);
        }
    }
    if (has_cause)
        write_cause(out, marker, tid_is_text);
    json_write_end_object(out->w);
}

static void write_tracer_events(struct processed_writer *out, const uint8_t *events)
{
    struct value array = value_read(events);
    const uint8_t *at = array.rest;
    if (array.kind != VALUE_ARRAY) {
        json_write_null(out->w);
        return;
    }
    json_write_begin_array(out->w);
    for (uint32_t i = 0; i < array.count; i++, at = value_skip(at))
        processed_write_string(out, value_read(at).kind == VALUE_STRING ? value_read(at).string : STRING_NONE);
    json_write_end_array(out->w);
}

void processed_write_tracer(struct processed_writer *out, const uint8_t *tracer)
{
    const struct string_table *strings = &out->profile->strings;
    struct value object = value_read(tracer);
    if (object.kind != VALUE_OBJECT) {
        value_to_json(tracer, strings, out->w);
        return;
    }
    const uint8_t *at = object.rest;
    json_write_begin_object(out->w);
    for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
        struct slice key = string_table_get(strings, value_read_key(&at));
        json_write_key_slice(out->w, key);
        if (slice_is(key, "events"))
            write_tracer_events(out, at);
        else
            value_to_json(at, strings, out->w);
    }
    json_write_end_object(out->w);
}
