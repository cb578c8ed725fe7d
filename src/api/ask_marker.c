/* marker: everything about one marker, for its tooltip and for the sidebar. */
#include "api/ask.h"

#include "api/frames.h"
#include "markers/field.h"

#include <errno.h>
#include <math.h>

enum {
    MARKER_MOST_FRAMES = 200,
    MARKER_MOST_BYTES = 1 << 20, /* of all its texts together */
};

struct details {
    struct asking *asking;
    const struct marker_catalog *catalog;
    const struct marker_list *list;
    const struct marker *marker;
    struct text_buffer text; /* the last one put together */
    size_t left;             /* so many bytes may follow */
    bool cut;                /* some did not fit */
};

/* ---- texts ---- */

/* As much of a text as may follow; it does not end within a character. */
static void write_text(struct details *details, struct slice text)
{
    size_t length = text.length;
    if (length > details->left) {
        details->cut = true;
        length = details->left;
        while (length > 0 && ((unsigned char)text.text[length] & 0xc0) == 0x80)
            length--;
    }
    details->left -= length;
    json_write_string(details->asking->reply->json, slice_until(text, length));
}

static void put_text(struct details *details, const char *key, struct slice text)
{
    json_write_key(details->asking->reply->json, key);
    write_text(details, text);
}

static void put_string(struct details *details, const char *key, struct string_index string)
{
    if (string_exists(string))
        put_text(details, key, marker_text(&details->catalog->texts, string));
    else
        reply_put_text(details->asking->reply, key, NULL);
}

static int put_label(struct details *details, const char *key, enum label_kind kind)
{
    struct error error = {0};
    const struct marker_labels *labels;
    int status = marker_store_labels(details->asking->markers, kind, &labels, &error);
    if (status != 0)
        return status;
    text_cut(&details->text, 0);
    marker_label_add(labels, details->marker, &details->text);
    put_text(details, key, text_slice(&details->text));
    return 0;
}

/* ---- fields ---- */

static void write_cell(struct details *details, enum field_format format, const uint8_t *value)
{
    text_cut(&details->text, 0);
    field_format_cell(&details->text, details->catalog, format, value);
    write_text(details, text_slice(&details->text));
}

/* The items of an array as texts; what does not fit is left out. */
static void write_cells(struct details *details, const struct value *array, const struct table_column *columns, size_t count)
{
    struct json_writer *w = details->asking->reply->json;
    const uint8_t *at = array->rest;
    json_write_begin_array(w);
    for (uint32_t i = 0; i < array->count && details->left > 0; i++, at = value_skip(at))
        write_cell(details, i < count ? columns[i].format : FORMAT_STRING, at);
    json_write_end_array(w);
}

static void put_list(struct details *details, const struct value *list)
{
    json_write_key(details->asking->reply->json, "list");
    write_cells(details, list, NULL, 0);
}

static void put_table(struct details *details, const struct schema_field *field, const struct value *table)
{
    struct json_writer *w = details->asking->reply->json;
    json_write_key(w, "heads");
    json_write_begin_array(w);
    for (size_t i = 0; i < field->columns.count; i++)
        write_text(details, marker_text(&details->catalog->texts, field->columns.items[i].label));
    json_write_end_array(w);
    json_write_key(w, "table");
    json_write_begin_array(w);
    const uint8_t *at = table->rest;
    for (uint32_t i = 0; i < table->count && details->left > 0; i++, at = value_skip(at)) {
        struct value row = value_read(at);
        if (row.kind == VALUE_ARRAY)
            write_cells(details, &row, field->columns.items, field->columns.count);
    }
    json_write_end_array(w);
}

/* A number or a truth; other values are what their text says. */
static void put_value(struct json_writer *w, const struct value *value)
{
    double number;
    json_write_key(w, "value");
    if (value->kind == VALUE_TRUE || value->kind == VALUE_FALSE)
        json_write_boolean(w, value->kind == VALUE_TRUE);
    else if (value_as_number(value, &number))
        json_write_number(w, number);
    else
        json_write_null(w);
}

static void put_field(struct details *details, const struct schema_field *field, const uint8_t *at)
{
    struct json_writer *w = details->asking->reply->json;
    struct value value = value_read(at);
    json_write_begin_object(w);
    put_string(details, "key", field->key);
    put_string(details, "label", string_exists(field->label) ? field->label : field->key);
    reply_put_text(details->asking->reply, "format", field_format_name(field->format));
    put_value(w, &value);
    text_cut(&details->text, 0);
    if (!field_format_value(&details->text, details->catalog, field, at))
        field_add_text(&details->text, details->catalog, at);
    put_text(details, "text", text_slice(&details->text));
    if (field->format == FORMAT_LIST && value.kind == VALUE_ARRAY)
        put_list(details, &value);
    if (field->format == FORMAT_TABLE && value.kind == VALUE_ARRAY)
        put_table(details, field, &value);
    json_write_end_object(w);
}

/* Those of its schema that it has and that are to be seen. */
static void put_fields(struct details *details, const struct marker_schema *schema)
{
    struct json_writer *w = details->asking->reply->json;
    json_write_key(w, "fields");
    json_write_begin_array(w);
    for (size_t i = 0; schema && i < schema->fields.count && details->left > 0; i++) {
        const struct schema_field *field = &schema->fields.items[i];
        const uint8_t *at = value_find(details->marker->data, field->key);
        if (at && !field->hidden && value_read(at).kind != VALUE_NULL)
            put_field(details, field, at);
    }
    json_write_end_array(w);
}

/* ---- where it came from ---- */

static uint32_t thread_with_tid(const struct profile *profile, struct string_index tid)
{
    for (size_t i = 0; i < profile->threads.count; i++)
        if (string_exists(tid) && string_same(profile->threads.items[i].tid, tid))
            return (uint32_t)i;
    return INDEX_NONE;
}

/* The stack as it was recorded: transforms leave it alone. */
static int put_stack(struct details *details)
{
    struct asking *asking = details->asking;
    struct marker_index row = marker_cause_row(details->list, details->marker);
    struct raw_marker raw;
    if (!marker_exists(row)) {
        reply_put_text(asking->reply, "stack", NULL);
        return frames_put(asking, INDEX_NONE, 0);
    }
    raw = marker_table_get(details->list->raw, row);
    json_write_key(asking->reply->json, "stack");
    json_write_begin_object(asking->reply->json);
    reply_put_number(asking->reply, "time", raw.cause_time - asking->start);
    reply_put_number(asking->reply, "ago", details->marker->start - raw.cause_time);
    reply_put_id(asking->reply, "thread", thread_with_tid(asking->profile, raw.cause_tid));
    json_write_end_object(asking->reply->json);
    return frames_put(asking, raw.cause_stack.i, MARKER_MOST_FRAMES);
}

/* ---- the whole ---- */

static void put_times(struct details *details)
{
    struct reply *reply = details->asking->reply;
    const struct marker *marker = details->marker;
    reply_put_number(reply, "start", marker->start - details->asking->start);
    reply_put_number(reply, "end", marker->end - details->asking->start);
    reply_put_number(reply, "duration", marker->end - marker->start);
    reply_put_boolean(reply, "cut_off", marker->incomplete);
}

static int put_marker(struct details *details)
{
    struct string_index type = marker_payload_type(&details->catalog->texts, details->marker->data);
    const struct marker_schema *schema = marker_catalog_schema(details->catalog, type);
    put_string(details, "name", details->marker->name);
    reply_put_id(details->asking->reply, "category", marker_category(details->asking->profile, details->marker));
    put_string(details, "type", type);
    put_times(details);
    int status = put_label(details, "label", LABEL_TOOLTIP);
    if (status == 0)
        status = put_label(details, "details", LABEL_TABLE);
    if (status != 0)
        return status;
    put_string(details, "description", schema ? schema->description : STRING_NONE);
    put_fields(details, schema);
    reply_put_boolean(details->asking->reply, "cut", details->cut || details->left == 0);
    status = put_stack(details);
    return details->text.failed ? -ENOMEM : status;
}

int ask_marker(struct asking *asking, const struct ask *ask)
{
    struct error error = {0};
    struct details details = {.asking = asking, .left = MARKER_MOST_BYTES};
    if (ask->thread >= asking->profile->threads.count)
        return asking_refuse(asking, "thread", "there is no thread %u", ask->thread);
    int status = asking_markers(asking);
    if (status == 0)
        status = marker_store_thread(asking->markers, thread_at(ask->thread), &details.list, &error);
    if (status != 0)
        return status;
    if (ask->marker >= details.list->items.count)
        return asking_refuse(asking, "marker", "the thread has no marker %u", ask->marker);
    details.catalog = &asking->markers->catalog;
    details.marker = &details.list->items.items[ask->marker];
    reply_put_count(asking->reply, "thread", ask->thread);
    reply_put_count(asking->reply, "marker", ask->marker);
    status = put_marker(&details);
    text_free(&details.text);
    return status;
}
