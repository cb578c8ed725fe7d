#include "profile/marker_schema.h"

static const struct {
    const char *name;
    enum field_format format;
} formats[] = {
    {"string", FORMAT_STRING},
    {"url", FORMAT_URL},
    {"file-path", FORMAT_FILE_PATH},
    {"sanitized-string", FORMAT_SANITIZED_STRING},
    {"unique-string", FORMAT_UNIQUE_STRING},
    {"flow-id", FORMAT_FLOW_ID},
    {"terminating-flow-id", FORMAT_TERMINATING_FLOW_ID},
    {"duration", FORMAT_DURATION},
    {"time", FORMAT_TIME},
    {"seconds", FORMAT_SECONDS},
    {"milliseconds", FORMAT_MILLISECONDS},
    {"microseconds", FORMAT_MICROSECONDS},
    {"nanoseconds", FORMAT_NANOSECONDS},
    {"bytes", FORMAT_BYTES},
    {"integer", FORMAT_INTEGER},
    {"decimal", FORMAT_DECIMAL},
    {"percentage", FORMAT_PERCENTAGE},
    {"hexadecimal", FORMAT_HEXADECIMAL},
    {"pid", FORMAT_PID},
    {"tid", FORMAT_TID},
    {"list", FORMAT_LIST},
};

enum field_format field_format_parse(struct slice name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (slice_equal(name, slice_of(formats[i].name)))
            return formats[i].format;
    return FORMAT_UNKNOWN;
}

const char *field_format_name(enum field_format format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format)
            return formats[i].name;
    return format == FORMAT_TABLE ? "table" : NULL;
}

bool field_format_is_string_index(enum field_format format)
{
    return format == FORMAT_UNIQUE_STRING || format == FORMAT_FLOW_ID || format == FORMAT_TERMINATING_FLOW_ID;
}

const struct marker_schema *marker_schema_find(const struct marker_schema_list *list, struct string_index name)
{
    uint32_t row;
    if (string_exists(name))
        for (struct map_probe probe = map_probe(&list->by_name, hash_u64(name.i)); map_probe_next(&probe, &row);)
            if (string_same(list->rows.items[row].name, name))
                return &list->rows.items[row];
    return NULL;
}

const struct schema_field *marker_schema_field(const struct marker_schema *schema, struct string_index key)
{
    for (size_t i = 0; string_exists(key) && i < schema->fields.count; i++)
        if (string_same(schema->fields.items[i].key, key))
            return &schema->fields.items[i];
    return NULL;
}

/* ---- reading a packed schema; what has another shape than expected reads as absent ---- */

static const uint8_t *find(const uint8_t *object, const struct string_table *strings, struct slice key)
{
    return value_find(object, string_table_find(strings, key));
}

static struct string_index find_string(const uint8_t *object, const struct string_table *strings, struct slice key)
{
    const uint8_t *at = find(object, strings, key);
    if (!at)
        return STRING_NONE;
    struct value value = value_read(at);
    return value.kind == VALUE_STRING ? value.string : STRING_NONE;
}

static enum field_format find_format(const uint8_t *object, const struct string_table *strings, struct slice key,
                                     enum field_format absent)
{
    struct string_index name = find_string(object, strings, key);
    return string_exists(name) ? field_format_parse(string_table_get(strings, name)) : absent;
}

static bool read_table_columns(struct schema_field *field, const struct string_table *strings, const uint8_t *format)
{
    const uint8_t *at = find(format, strings, SLICE("columns"));
    struct value columns = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    if (columns.kind != VALUE_ARRAY)
        return true;
    at = columns.rest;
    for (uint32_t i = 0; i < columns.count; i++, at = value_skip(at)) {
        struct table_column column = {find_string(at, strings, SLICE("label")),
                                      find_format(at, strings, SLICE("type"), FORMAT_STRING)};
        if (!vec_push(&field->columns, column))
            return false;
    }
    return true;
}

static bool read_field(struct marker_schema *schema, const struct string_table *strings, const uint8_t *at)
{
    struct schema_field field = {
        .key = find_string(at, strings, SLICE("key")),
        .label = find_string(at, strings, SLICE("label")),
        .format = find_format(at, strings, SLICE("format"), FORMAT_UNKNOWN),
    };
    const uint8_t *hidden = find(at, strings, SLICE("hidden"));
    field.hidden = hidden && value_read(hidden).kind == VALUE_TRUE;
    const uint8_t *format = find(at, strings, SLICE("format"));
    if (format && value_read(format).kind == VALUE_OBJECT) {
        field.format = FORMAT_TABLE;
        if (!read_table_columns(&field, strings, format))
            goto out_of_memory;
    }
    if (vec_push(&schema->fields, field))
        return true;
out_of_memory:
    vec_free(&field.columns);
    return false;
}

static bool read_fields(struct marker_schema *schema, const struct string_table *strings, const uint8_t *whole)
{
    const uint8_t *at = find(whole, strings, SLICE("fields"));
    struct value fields = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    if (fields.kind != VALUE_ARRAY)
        return true;
    at = fields.rest;
    for (uint32_t i = 0; i < fields.count; i++, at = value_skip(at))
        if (!read_field(schema, strings, at))
            return false;
    return true;
}

static void marker_schema_free(struct marker_schema *schema)
{
    for (size_t i = 0; i < schema->fields.count; i++)
        vec_free(&schema->fields.items[i].columns);
    vec_free(&schema->fields);
    value_bytes_free(&schema->whole);
}

bool marker_schema_list_add(struct marker_schema_list *list, struct string_table *strings, const uint8_t *whole)
{
    struct marker_schema schema = {
        .name = find_string(whole, strings, SLICE("name")),
        .tooltip_label = find_string(whole, strings, SLICE("tooltipLabel")),
        .table_label = find_string(whole, strings, SLICE("tableLabel")),
        .chart_label = find_string(whole, strings, SLICE("chartLabel")),
        .description = find_string(whole, strings, SLICE("description")),
    };
    bool is_first = !marker_schema_find(list, schema.name);
    if (!value_put_copy(&schema.whole, whole) || !read_fields(&schema, strings, whole) ||
        !map_reserve(&list->by_name, list->by_name.count + 1) || !vec_push(&list->rows, schema)) {
        marker_schema_free(&schema);
        return false;
    }
    if (is_first)
        map_insert(&list->by_name, hash_u64(schema.name.i), (uint32_t)list->rows.count - 1);
    return true;
}

void marker_schema_list_free(struct marker_schema_list *list)
{
    for (size_t i = 0; i < list->rows.count; i++)
        marker_schema_free(&list->rows.items[i]);
    vec_free(&list->rows);
    map_free(&list->by_name);
}
