/* Schemas for the payloads of trace events: which fields they have, and which of them says most. */
#include "common/count.h"
#include "import/trace_payload.h"

#include <stdio.h>

/* The first of these that a type has stands for its markers in tables and charts. */
static const char *const telling_keys[] = {"detail", "functionName", "url", "message"};

static bool put_text(struct trace_payloads *payloads, struct value_bytes *out, struct slice text)
{
    struct string_index string = string_table_add(&payloads->profile->strings, text);
    return string_exists(string) && value_put_string(out, string);
}

static bool put_key(struct trace_payloads *payloads, struct value_bytes *out, const char *key)
{
    struct string_index string = string_table_add(&payloads->profile->strings, slice_of(key));
    return string_exists(string) && value_put_key(out, string);
}

/* NULL where values of the field cannot be shown. */
static const char *format_of(struct slice key, unsigned kinds)
{
    switch (kinds) {
    case TRACE_FIELD_INTEGER:
        return "integer";
    case TRACE_FIELD_NUMBER:
    case TRACE_FIELD_NUMBER | TRACE_FIELD_INTEGER:
        return "decimal";
    case TRACE_FIELD_LIST:
        return "list";
    case TRACE_FIELD_TEXT:
        return slice_is(key, "url") || slice_ends_with(key, SLICE("Url")) || slice_ends_with(key, SLICE("URL")) ? "url"
                                                                                                                : "string";
    default:
        return kinds & (TRACE_FIELD_LIST | TRACE_FIELD_OTHER) ? NULL : "string";
    }
}

static bool put_fields(struct trace_payloads *payloads, struct value_bytes *out, const struct trace_type *type)
{
    size_t place = value_open(out);
    uint32_t count = 0;
    if (place == SIZE_MAX)
        return false;
    for (uint32_t row = type->first; row != INDEX_NONE; row = payloads->fields.items[row].next) {
        struct string_index key = payloads->fields.items[row].key;
        const char *format = format_of(profile_text(payloads->profile, key), payloads->fields.items[row].kinds);
        if (!format || string_same(key, payloads->async_key))
            continue;
        count++;
        if (!value_put_object(out, 3) || !put_key(payloads, out, "key") || !value_put_string(out, key) ||
            !put_key(payloads, out, "label") || !value_put_string(out, key) || !put_key(payloads, out, "format") ||
            !put_text(payloads, out, slice_of(format)))
            return false;
    }
    return value_close_array(out, place, count);
}

static bool has_text(const struct trace_payloads *payloads, const struct trace_type *type, struct slice key)
{
    for (uint32_t row = type->first; row != INDEX_NONE; row = payloads->fields.items[row].next)
        if (slice_equal(profile_text(payloads->profile, payloads->fields.items[row].key), key))
            return payloads->fields.items[row].kinds == TRACE_FIELD_TEXT;
    return false;
}

/* The key that says most, or NULL. */
static const char *telling_key(const struct trace_payloads *payloads, const struct trace_type *type)
{
    /* Its `type`, which is the key of something else in profiles, is the kind of DOM event. */
    if (slice_is(profile_text(payloads->profile, type->event), "EventDispatch") && has_text(payloads, type, SLICE("type2")))
        return "type2";
    for (size_t i = 0; i < COUNT(telling_keys); i++)
        if (has_text(payloads, type, slice_of(telling_keys[i])))
            return telling_keys[i];
    return NULL;
}

static bool put_labels(struct trace_payloads *payloads, struct value_bytes *out, const char *key)
{
    char label[64], tooltip[80];
    snprintf(label, sizeof label, "{marker.data.%s}", key);
    snprintf(tooltip, sizeof tooltip, "{marker.name}: {marker.data.%s}", key);
    return put_key(payloads, out, "chartLabel") && put_text(payloads, out, slice_of(label)) &&
           put_key(payloads, out, "tooltipLabel") && put_text(payloads, out, slice_of(tooltip)) &&
           put_key(payloads, out, "tableLabel") && put_text(payloads, out, slice_of(label));
}

static bool add_schema(struct trace_payloads *payloads, const struct trace_type *type, struct value_bytes *whole)
{
    struct profile *profile = payloads->profile;
    const char *telling = telling_key(payloads, type);
    whole->bytes.count = 0;
    return value_put_object(whole, telling ? 6 : 3) && put_key(payloads, whole, "name") &&
           value_put_string(whole, type->name) && put_key(payloads, whole, "display") && value_put_array(whole, 2) &&
           put_text(payloads, whole, SLICE("marker-chart")) && put_text(payloads, whole, SLICE("marker-table")) &&
           (!telling || put_labels(payloads, whole, telling)) && put_key(payloads, whole, "fields") &&
           put_fields(payloads, whole, type) &&
           marker_schema_list_add(&profile->schemas, &profile->strings, whole->bytes.items);
}

bool trace_payloads_add_schemas(struct trace_payloads *payloads)
{
    struct value_bytes whole = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < payloads->types.count; i++)
        ok = add_schema(payloads, &payloads->types.items[i], &whole);
    value_bytes_free(&whole);
    return ok;
}
