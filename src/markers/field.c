#include "markers/field.h"

#include "common/json_decimal.h"
#include "common/number_text.h"
#include "markers/format.h"

#include <math.h>

static void add_number(struct text_buffer *out, double number)
{
    char text[NUMBER_TEXT_SIZE];
    if (isfinite(number))
        text_add(out, (struct slice){text, number_text(number, text)});
    else
        text_add(out, isnan(number) ? SLICE("NaN") : number < 0 ? SLICE("-Infinity") : SLICE("Infinity"));
}

static void add_items(struct text_buffer *out, const struct marker_catalog *catalog, const struct value *array)
{
    const uint8_t *at = array->rest;
    for (uint32_t i = 0; i < array->count; i++, at = value_skip(at)) {
        if (i > 0)
            text_add_char(out, ',');
        if (value_read(at).kind != VALUE_NULL)
            field_add_text(out, catalog, at);
    }
}

void field_add_text(struct text_buffer *out, const struct marker_catalog *catalog, const uint8_t *at)
{
    struct value value = value_read(at);
    double number;
    switch (value.kind) {
    case VALUE_NULL:
        text_add(out, SLICE("null"));
        break;
    case VALUE_FALSE:
        text_add(out, SLICE("false"));
        break;
    case VALUE_TRUE:
        text_add(out, SLICE("true"));
        break;
    case VALUE_INTEGER:
    case VALUE_NUMBER:
        value_as_number(&value, &number);
        add_number(out, number);
        break;
    case VALUE_STRING:
        text_add(out, marker_text(&catalog->texts, value.string));
        break;
    case VALUE_ARRAY:
        add_items(out, catalog, &value);
        break;
    case VALUE_OBJECT:
        text_add(out, SLICE("[object Object]"));
        break;
    }
}

bool field_is_truthy(const struct marker_catalog *catalog, const uint8_t *at)
{
    if (!at)
        return false;
    struct value value = value_read(at);
    double number;
    if (value_as_number(&value, &number))
        return number != 0 && !isnan(number);
    if (value.kind == VALUE_STRING)
        return marker_text(&catalog->texts, value.string).length > 0;
    return value.kind != VALUE_NULL && value.kind != VALUE_FALSE;
}

/* ---- formats ---- */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static double text_as_number(struct slice text)
{
    while (text.length > 0 && is_space(text.text[0]))
        text = slice_from(text, 1);
    while (text.length > 0 && is_space(text.text[text.length - 1]))
        text.length--;
    if (text.length == 0)
        return 0;
    const char *wrong;
    char copy[64];
    if (text.length >= sizeof copy)
        return NAN;
    memcpy(copy, text.text, text.length);
    copy[text.length] = '\0';
    return json_decimal_length(copy, &wrong) == text.length ? json_decimal_value(copy, text.length) : NAN;
}

/* What a value counts where a number is expected; NaN for what is none. */
static double as_number(const struct marker_catalog *catalog, const uint8_t *at)
{
    struct value value = value_read(at);
    double number;
    if (value_as_number(&value, &number))
        return number;
    if (value.kind == VALUE_STRING)
        return text_as_number(marker_text(&catalog->texts, value.string));
    return value.kind == VALUE_TRUE ? 1 : value.kind == VALUE_FALSE ? 0 : NAN;
}

static void add_or_empty(struct text_buffer *out, const struct marker_catalog *catalog, const uint8_t *at)
{
    size_t before = out->bytes.count;
    field_add_text(out, catalog, at);
    if (out->bytes.count == before)
        text_add(out, SLICE("(empty)"));
}

static bool add_formatted(struct text_buffer *out, const struct marker_catalog *catalog, enum field_format format,
                          const uint8_t *at);

/* `a, b, 3` */
static bool add_list(struct text_buffer *out, const struct marker_catalog *catalog, const uint8_t *at)
{
    struct value list = value_read(at);
    if (list.kind != VALUE_ARRAY)
        return false;
    at = list.rest;
    for (uint32_t i = 0; i < list.count; i++, at = value_skip(at)) {
        if (i > 0)
            text_add(out, SLICE(", "));
        add_formatted(out, catalog, FORMAT_STRING, at);
    }
    return true;
}

static bool add_row(struct text_buffer *out, const struct marker_catalog *catalog, const struct schema_field *field,
                    const uint8_t *at)
{
    struct value row = value_read(at);
    if (row.kind != VALUE_ARRAY || row.count != field->columns.count)
        return false;
    text_add_char(out, '(');
    at = row.rest;
    for (uint32_t i = 0; i < row.count; i++, at = value_skip(at)) {
        if (i > 0)
            text_add(out, SLICE(", "));
        if (!add_formatted(out, catalog, field->columns.items[i].format, at))
            return false;
    }
    text_add_char(out, ')');
    return true;
}

static bool has_header(const struct marker_catalog *catalog, const struct schema_field *field)
{
    for (size_t i = 0; i < field->columns.count; i++)
        if (marker_text(&catalog->texts, field->columns.items[i].label).length > 0)
            return true;
    return false;
}

static void add_header(struct text_buffer *out, const struct marker_catalog *catalog, const struct schema_field *field)
{
    text_add_char(out, '(');
    for (size_t i = 0; i < field->columns.count; i++) {
        struct slice label = marker_text(&catalog->texts, field->columns.items[i].label);
        if (i > 0)
            text_add(out, SLICE(", "));
        text_add(out, label.length > 0 ? label : SLICE("(empty)"));
    }
    text_add_char(out, ')');
}

/* `(Name, Size),(x, 12.3KB),(y, 5B)` */
static bool add_table(struct text_buffer *out, const struct marker_catalog *catalog, const struct schema_field *field,
                      const uint8_t *at)
{
    struct value table = value_read(at);
    if (table.kind != VALUE_ARRAY)
        return false;
    bool header = has_header(catalog, field);
    if (header)
        add_header(out, catalog, field);
    at = table.rest;
    for (uint32_t i = 0; i < table.count; i++, at = value_skip(at)) {
        if (i > 0 || header)
            text_add_char(out, ',');
        if (!add_row(out, catalog, field, at))
            return false;
    }
    return true;
}

static bool add_formatted(struct text_buffer *out, const struct marker_catalog *catalog, enum field_format format,
                          const uint8_t *at)
{
    struct value value = value_read(at);
    if (value.kind == VALUE_NULL) {
        text_add(out, SLICE("(empty)"));
        return true;
    }
    switch (format) {
    case FORMAT_STRING:
    case FORMAT_URL:
    case FORMAT_FILE_PATH:
    case FORMAT_SANITIZED_STRING:
        add_or_empty(out, catalog, at);
        return true;
    case FORMAT_UNIQUE_STRING:
    case FORMAT_FLOW_ID:
    case FORMAT_TERMINATING_FLOW_ID: /* what is still a number was no index of the file's strings */
        text_add(out, value.kind == VALUE_STRING ? marker_text(&catalog->texts, value.string) : SLICE("(empty)"));
        return true;
    case FORMAT_DURATION:
    case FORMAT_TIME:
        format_duration(out, as_number(catalog, at));
        return true;
    case FORMAT_SECONDS:
        format_seconds(out, as_number(catalog, at));
        return true;
    case FORMAT_MILLISECONDS:
        format_milliseconds(out, as_number(catalog, at));
        return true;
    case FORMAT_MICROSECONDS:
        format_microseconds(out, as_number(catalog, at));
        return true;
    case FORMAT_NANOSECONDS:
        format_nanoseconds(out, as_number(catalog, at));
        return true;
    case FORMAT_BYTES:
        format_bytes(out, as_number(catalog, at));
        return true;
    case FORMAT_INTEGER:
        format_number(out, as_number(catalog, at), 0, 0);
        return true;
    case FORMAT_DECIMAL:
        format_number(out, as_number(catalog, at), 2, 3);
        return true;
    case FORMAT_PERCENTAGE:
        format_percentage(out, as_number(catalog, at));
        return true;
    case FORMAT_HEXADECIMAL:
        format_hexadecimal(out, as_number(catalog, at));
        return true;
    case FORMAT_PID:
        text_add(out, SLICE("PID: "));
        field_add_text(out, catalog, at);
        return true;
    case FORMAT_TID:
        text_add(out, SLICE("TID: "));
        field_add_text(out, catalog, at);
        return true;
    case FORMAT_LIST:
        return add_list(out, catalog, at);
    case FORMAT_TABLE: /* in a cell of a table: there are no tables in tables */
        return false;
    case FORMAT_UNKNOWN:
        break;
    }
    field_add_text(out, catalog, at);
    return true;
}

bool field_format_value(struct text_buffer *out, const struct marker_catalog *catalog, const struct schema_field *field,
                        const uint8_t *value)
{
    size_t before = out->bytes.count;
    bool ok = field->format == FORMAT_TABLE && value_read(value).kind != VALUE_NULL
                  ? add_table(out, catalog, field, value)
                  : add_formatted(out, catalog, field->format, value);
    if (!ok)
        text_cut(out, before);
    return ok;
}

bool field_format_cell(struct text_buffer *out, const struct marker_catalog *catalog, enum field_format format,
                       const uint8_t *value)
{
    size_t before = out->bytes.count;
    bool ok = add_formatted(out, catalog, format, value);
    if (!ok)
        text_cut(out, before);
    return ok;
}
