#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/json_document.h"

static void read_source(struct json_document *document, struct byte_source *source, struct error *error)
{
    *document = (struct json_document){0};
    if (!source)
        fail_msg("%s", error->message);
    struct json_reader *r = json_reader_open(source, error);
    assert_non_null(r);
    value_from_json(r, &document->strings, &document->bytes);
    if (json_finish(r) != 0)
        fail_msg("%s", error->message);
    json_reader_close(r);
    byte_source_close(source);
}

void json_document_open(struct json_document *document, const char *path)
{
    struct error error = {0};
    read_source(document, byte_source_open(path, NULL, &error), &error);
}

void json_document_parse(struct json_document *document, struct slice json)
{
    struct error error = {0};
    read_source(document, byte_source_memory(json, 0, false, &error), &error);
}

void json_document_close(struct json_document *document)
{
    string_table_free(&document->strings);
    value_bytes_free(&document->bytes);
}

const uint8_t *json_find(const struct json_document *document, const uint8_t *object, const char *key)
{
    struct string_index name = string_table_find(&document->strings, slice_of(key));
    return string_exists(name) ? value_find(object, name) : NULL;
}

const uint8_t *json_get(const struct json_document *document, const uint8_t *object, const char *key)
{
    const uint8_t *value = json_find(document, object, key);
    if (!value)
        fail_msg("there is no `%s`", key);
    return value;
}

const uint8_t *json_items(const uint8_t *array, uint32_t *count)
{
    struct value value = value_read(array);
    assert_int_equal(value.kind, VALUE_ARRAY);
    *count = value.count;
    return value.rest;
}

const uint8_t *json_item(const uint8_t *array, uint32_t index)
{
    uint32_t count;
    const uint8_t *item = json_items(array, &count);
    assert_true(index < count);
    while (index-- > 0)
        item = value_skip(item);
    return item;
}

bool json_is_null(const uint8_t *value)
{
    return value_read(value).kind == VALUE_NULL;
}

bool json_is_true(const uint8_t *value)
{
    return value_read(value).kind == VALUE_TRUE;
}

struct slice json_text(const struct json_document *document, const uint8_t *string)
{
    struct value value = value_read(string);
    assert_int_equal(value.kind, VALUE_STRING);
    return string_table_get(&document->strings, value.string);
}

double json_double(const uint8_t *number)
{
    struct value value = value_read(number);
    double result = 0;
    assert_true(value_as_number(&value, &result));
    return result;
}

uint32_t json_u32(const uint8_t *number)
{
    double value = json_double(number);
    assert_true(value >= 0 && value <= UINT32_MAX && value == (uint32_t)value);
    return (uint32_t)value;
}

char *json_dump(const struct json_document *document, const uint8_t *value, int indent)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_non_null(sink);
    struct json_writer *w = json_writer_open(sink, indent, &error);
    assert_non_null(w);
    value_to_json(value, &document->strings, w);
    assert_int_equal(json_writer_close(w), 0);
    struct slice bytes = byte_sink_memory_bytes(sink);
    char *text = memory_array(bytes.length + 1, 1);
    assert_non_null(text);
    memcpy(text, bytes.text, bytes.length);
    text[bytes.length] = '\0';
    byte_sink_close(sink, true, &error);
    return text;
}
