#include "vectors.h"

#include <math.h>
#include <stdio.h>

void vectors_open(struct vectors *vectors)
{
    *vectors = (struct vectors){0};
    profile_init(&vectors->profile);
    struct error error = {0};
    struct byte_source *source = byte_source_open(TEST_DATA "/vectors-markers.json.gz", NULL, &error);
    assert_string_equal(error.message, "");
    struct json_reader *reader = json_reader_open(source, &error);
    value_from_json(reader, &vectors->profile.strings, &vectors->bytes);
    json_finish(reader);
    assert_string_equal(error.message, "");
    json_reader_close(reader);
    byte_source_close(source);
}

void vectors_close(struct vectors *vectors)
{
    profile_free(&vectors->profile);
    value_bytes_free(&vectors->bytes);
}

void vectors_reset(struct vectors *vectors)
{
    struct string_table strings = vectors->profile.strings;
    vectors->profile.strings = (struct string_table){0};
    profile_free(&vectors->profile);
    profile_init(&vectors->profile);
    vectors->profile.strings = strings;
}

const uint8_t *vector_find(const struct vectors *vectors, const uint8_t *object, const char *key)
{
    return value_find(object, string_table_find(&vectors->profile.strings, slice_of(key)));
}

const uint8_t *vector_top(const struct vectors *vectors, const char *key)
{
    const uint8_t *at = vector_find(vectors, vectors->bytes.bytes.items, key);
    assert_non_null(at);
    return at;
}

size_t vector_count(const uint8_t *array)
{
    struct value value = value_read(array);
    assert_int_equal(value.kind, VALUE_ARRAY);
    return value.count;
}

const uint8_t *vector_item(const uint8_t *array, size_t index)
{
    assert_true(index < vector_count(array));
    const uint8_t *at = value_read(array).rest;
    while (index-- > 0)
        at = value_skip(at);
    return at;
}

double vector_number(const uint8_t *at)
{
    double number = NAN;
    if (at) {
        struct value value = value_read(at);
        if (!value_as_number(&value, &number))
            number = NAN;
    }
    return number;
}

struct slice vector_text(const struct vectors *vectors, const uint8_t *at)
{
    struct value value = value_read(at);
    assert_int_equal(value.kind, VALUE_STRING);
    return string_table_get(&vectors->profile.strings, value.string);
}

bool vector_is_null(const uint8_t *at)
{
    return !at || value_read(at).kind == VALUE_NULL;
}

const char *vector_json(const struct vectors *vectors, const uint8_t *at)
{
    static char text[4096];
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    struct json_writer *writer = json_writer_open(sink, 0, &error);
    value_to_json(at, &vectors->profile.strings, writer);
    json_writer_close(writer);
    struct slice written = byte_sink_memory_bytes(sink);
    snprintf(text, sizeof text, "%.*s", (int)written.length, written.text);
    byte_sink_close(sink, false, &error);
    return text;
}

void vector_add_categories(struct vectors *vectors, const uint8_t *categories)
{
    struct profile *profile = &vectors->profile;
    for (VECTOR_EACH(at, categories)) {
        const uint8_t *name = vector_find(vectors, at, "name"), *color = vector_find(vectors, at, "color");
        category_list_add(&profile->categories, &profile->strings, vector_text(vectors, name ? name : at),
                          color ? vector_text(vectors, color) : SLICE("grey"));
    }
}

void vector_add_schema(struct vectors *vectors, const uint8_t *schema)
{
    struct profile *profile = &vectors->profile;
    assert_true(marker_schema_list_add(&profile->schemas, &profile->strings, schema));
}

void vector_add_schema_fields(struct vectors *vectors, const char *name, const uint8_t *fields)
{
    struct string_table *strings = &vectors->profile.strings;
    struct value_bytes schema = {0};
    value_put_object(&schema, 2);
    value_put_key(&schema, string_table_add(strings, SLICE("name")));
    value_put_string(&schema, string_table_add(strings, slice_of(name)));
    value_put_key(&schema, string_table_add(strings, SLICE("fields")));
    value_put_copy(&schema, fields);
    vector_add_schema(vectors, schema.bytes.items);
    value_bytes_free(&schema);
}

static bool holds_string_index(const struct vectors *vectors, const uint8_t *data, struct string_index key)
{
    const uint8_t *type = vector_find(vectors, data, "type");
    if (!type || value_read(type).kind != VALUE_STRING)
        return false;
    const struct marker_schema *schema = marker_schema_find(&vectors->profile.schemas, value_read(type).string);
    const struct schema_field *field = schema ? marker_schema_field(schema, key) : NULL;
    return field && field_format_is_string_index(field->format);
}

void vector_put_payload(const struct vectors *vectors, const uint8_t *data, const uint8_t *string_array,
                        struct value_bytes *out)
{
    struct string_index cause = string_table_find(&vectors->profile.strings, SLICE("cause"));
    struct value object = value_read(data);
    value_put_object(out, object.count - (value_find(data, cause) != NULL));
    const uint8_t *at = object.rest;
    for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        if (string_same(key, cause))
            continue;
        value_put_key(out, key);
        double index = vector_number(at);
        if (holds_string_index(vectors, data, key) && index >= 0 && index < (double)vector_count(string_array))
            value_put_copy(out, vector_item(string_array, (size_t)index));
        else
            value_put_copy(out, at);
    }
}

static const uint8_t *cell(const struct vectors *vectors, const uint8_t *table, const char *column, size_t row)
{
    return vector_item(vector_find(vectors, table, column), row);
}

void vector_add_thread(struct vectors *vectors, const uint8_t *raw_markers, const uint8_t *string_array)
{
    struct thread *thread = profile_add_thread(&vectors->profile);
    assert_non_null(thread);
    thread->tid_is_text = true; /* messages between processes are looked for on threads with numbers only */
    size_t count = vector_count(vector_find(vectors, raw_markers, "name"));
    for (size_t i = 0; i < count; i++) {
        size_t name = (size_t)vector_number(cell(vectors, raw_markers, "name", i));
        struct raw_marker marker = {
            .name = value_read(vector_item(string_array, name)).string,
            .start = vector_number(cell(vectors, raw_markers, "startTime", i)),
            .end = vector_number(cell(vectors, raw_markers, "endTime", i)),
            .phase = (enum marker_phase)vector_number(cell(vectors, raw_markers, "phase", i)),
            .category = category_at((size_t)vector_number(cell(vectors, raw_markers, "category", i))),
            .cause_stack = stack_none(),
            .cause_time = NAN,
            .cause_tid = STRING_NONE,
            .thread_id = STRING_NONE,
        };
        const uint8_t *data = cell(vectors, raw_markers, "data", i);
        if (!vector_is_null(data)) {
            const uint8_t *cause = vector_find(vectors, data, "cause");
            if (cause)
                marker.cause_stack = stack_at((size_t)vector_number(vector_find(vectors, cause, "stack")));
            size_t offset = thread->markers.payloads.bytes.count;
            vector_put_payload(vectors, data, string_array, &thread->markers.payloads);
            marker.data = thread->markers.payloads.bytes.items + offset;
        }
        marker_table_append(&thread->markers, &marker);
    }
}
