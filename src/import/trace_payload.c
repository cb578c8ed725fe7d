#include "import/trace_payload.h"

#include "common/count.h"

#include <stdio.h>

/* Objects within each other are made flat so far down: one dot at most is in a key, and the exporter can undo it. */
enum { FLAT_DEPTH = 2 };

bool trace_payloads_init(struct trace_payloads *payloads, struct profile *profile)
{
    struct string_table *strings = &profile->strings;
    payloads->profile = profile;
    payloads->type_key = string_table_add(strings, SLICE("type"));
    payloads->type_key_2 = string_table_add(strings, SLICE("type2"));
    payloads->cause_key = string_table_add(strings, SLICE("cause"));
    payloads->cause_key_2 = string_table_add(strings, SLICE("cause2"));
    payloads->data_key = string_table_add(strings, SLICE("data"));
    payloads->async_key = string_table_add(strings, SLICE("asyncId"));
    return string_exists(payloads->type_key) && string_exists(payloads->type_key_2) && string_exists(payloads->cause_key) &&
           string_exists(payloads->cause_key_2) && string_exists(payloads->data_key) && string_exists(payloads->async_key);
}

void trace_payloads_free(struct trace_payloads *payloads)
{
    value_bytes_free(&payloads->arguments);
    memory_release(payloads->places);
    vec_free(&payloads->types);
    vec_free(&payloads->fields);
    vec_free(&payloads->paths);
    map_free(&payloads->type_rows);
    map_free(&payloads->field_rows);
    map_free(&payloads->path_rows);
}

/* ---- types and fields ---- */

/* Payloads of these types mean something else to readers of profiles. */
static struct string_index type_name(struct trace_payloads *payloads, struct string_index event)
{
    static const char *const taken[] = {"Network", "IPC", "CompositorScreenshot", "Jank", "FileIO", "tracing"};
    struct slice name = profile_text(payloads->profile, event);
    char text[64];
    for (size_t i = 0; i < COUNT(taken); i++)
        if (slice_equal(name, slice_of(taken[i]))) {
            snprintf(text, sizeof text, "%s event", taken[i]);
            return string_table_add(&payloads->profile->strings, slice_of(text));
        }
    return event;
}

/* INDEX_NONE when the heap is empty. */
static uint32_t find_type(struct trace_payloads *payloads, struct string_index event)
{
    uint64_t hash = hash_u64(event.i);
    uint32_t row;
    for (struct map_probe probe = map_probe(&payloads->type_rows, hash); map_probe_next(&probe, &row);)
        if (string_same(payloads->types.items[row].event, event))
            return row;
    struct trace_type type = {event, type_name(payloads, event), INDEX_NONE, INDEX_NONE};
    row = (uint32_t)payloads->types.count;
    bool ok = string_exists(type.name) && vec_push(&payloads->types, type) && map_insert(&payloads->type_rows, hash, row);
    return ok ? row : INDEX_NONE;
}

/* NULL when the heap is empty. */
static struct trace_field *find_field(struct trace_payloads *payloads, uint32_t type, struct string_index key)
{
    uint64_t hash = hash_combine(type, key.i);
    uint32_t row;
    for (struct map_probe probe = map_probe(&payloads->field_rows, hash); map_probe_next(&probe, &row);)
        if (payloads->fields.items[row].type == type && string_same(payloads->fields.items[row].key, key))
            return &payloads->fields.items[row];
    row = (uint32_t)payloads->fields.count;
    struct trace_field field = {.type = type, .key = key, .next = INDEX_NONE};
    if (row >= INDEX_NONE - 1 || !vec_push(&payloads->fields, field) || !map_insert(&payloads->field_rows, hash, row))
        return NULL;
    struct trace_type *of = &payloads->types.items[type];
    if (of->last == INDEX_NONE)
        of->first = row;
    else
        payloads->fields.items[of->last].next = row;
    of->last = row;
    return &payloads->fields.items[row];
}

static unsigned kinds_of(const uint8_t *at)
{
    struct value value = value_read(at);
    const uint8_t *item = value.rest;
    switch (value.kind) {
    case VALUE_NULL:
        return 0;
    case VALUE_FALSE:
    case VALUE_TRUE:
    case VALUE_STRING:
        return TRACE_FIELD_TEXT;
    case VALUE_INTEGER:
        return TRACE_FIELD_INTEGER;
    case VALUE_NUMBER:
        return TRACE_FIELD_NUMBER;
    case VALUE_ARRAY:
        for (uint32_t i = 0; i < value.count; i++, item = value_skip(item))
            if (value_read(item).kind == VALUE_ARRAY || value_read(item).kind == VALUE_OBJECT)
                return TRACE_FIELD_OTHER;
        return TRACE_FIELD_LIST;
    default:
        return TRACE_FIELD_OTHER;
    }
}

/* ---- payloads ---- */

/* `outer.key`; STRING_NONE when the heap is empty. */
static struct string_index join_keys(struct trace_payloads *payloads, struct string_index outer, struct string_index key)
{
    struct string_table *strings = &payloads->profile->strings;
    uint64_t hash = hash_combine(outer.i, key.i);
    uint32_t row;
    for (struct map_probe probe = map_probe(&payloads->path_rows, hash); map_probe_next(&probe, &row);) {
        const struct trace_path *path = &payloads->paths.items[row];
        if (string_same(path->outer, outer) && string_same(path->key, key))
            return path->joined;
    }
    struct text_buffer text = {0};
    text_add(&text, string_table_get(strings, outer));
    text_add_char(&text, '.');
    text_add(&text, string_table_get(strings, key));
    struct string_index joined = text.failed ? STRING_NONE : string_table_add(strings, text_slice(&text));
    text_free(&text);
    row = (uint32_t)payloads->paths.count;
    bool ok = string_exists(joined) && vec_push(&payloads->paths, ((struct trace_path){outer, key, joined})) &&
              map_insert(&payloads->path_rows, hash, row);
    return ok ? joined : STRING_NONE;
}

/* Profiles mean something of their own by these keys. */
static struct string_index free_key(const struct trace_payloads *payloads, struct string_index key)
{
    if (string_same(key, payloads->type_key))
        return payloads->type_key_2;
    return string_same(key, payloads->cause_key) ? payloads->cause_key_2 : key;
}

struct payload {
    struct trace_payloads *payloads;
    struct value_bytes *out;
    uint32_t type;
    uint32_t keys;
};

static bool put_member(struct payload *payload, struct string_index key, const uint8_t *at)
{
    struct trace_payloads *payloads = payload->payloads;
    key = free_key(payloads, key);
    struct trace_field *field = find_field(payloads, payload->type, key);
    if (!field)
        return false;
    if (field->payload == payloads->count)
        return true;
    field->payload = payloads->count;
    field->kinds |= kinds_of(at);
    payload->keys++;
    return value_put_key(payload->out, key) && value_put_copy(payload->out, at);
}

static bool put_members(struct payload *payload, const uint8_t *object, struct string_index outer, unsigned depth)
{
    struct trace_payloads *payloads = payload->payloads;
    struct value members = value_read(object);
    const uint8_t *at = members.rest;
    for (uint32_t i = 0; i < members.count; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        bool is_object = value_read(at).kind == VALUE_OBJECT;
        /* What events have in common stands beside `data`, what is their own in it. */
        bool is_data = is_object && depth == 1 && string_same(key, payloads->data_key);
        struct string_index joined = !is_data && string_exists(outer) ? join_keys(payloads, outer, key) : key;
        if (!string_exists(joined))
            return false;
        bool ok = is_object && depth < FLAT_DEPTH ? put_members(payload, at, is_data ? STRING_NONE : joined, depth + 1)
                                                  : put_member(payload, joined, at);
        if (!ok)
            return false;
    }
    return true;
}

/* Arguments of this name are left out then. */
static bool put_async_id(struct payload *payload, struct string_index id)
{
    struct trace_payloads *payloads = payload->payloads;
    struct trace_field *field = find_field(payloads, payload->type, payloads->async_key);
    if (!field)
        return false;
    field->payload = payloads->count;
    payload->keys++;
    return value_put_key(payload->out, payloads->async_key) && value_put_string(payload->out, id);
}

static bool has_members(const uint8_t *arguments)
{
    return arguments && value_read(arguments).kind == VALUE_OBJECT && value_read(arguments).count > 0;
}

bool trace_payloads_put(struct trace_payloads *payloads, struct value_bytes *out, struct string_index event,
                        struct string_index async_id, uint32_t first, uint32_t second, bool *has)
{
    const uint8_t *arguments[] = {trace_payloads_arguments(payloads, first), trace_payloads_arguments(payloads, second)};
    *has = has_members(arguments[0]) || has_members(arguments[1]) || string_exists(async_id);
    if (!*has)
        return true;
    payloads->count++;
    struct payload payload = {payloads, out, find_type(payloads, event), 1};
    if (payload.type == INDEX_NONE)
        return false;
    size_t place = value_open(out);
    if (place == SIZE_MAX || !value_put_key(out, payloads->type_key) ||
        !value_put_string(out, payloads->types.items[payload.type].name))
        return false;
    if (string_exists(async_id) && !put_async_id(&payload, async_id))
        return false;
    for (size_t i = 0; i < COUNT(arguments); i++)
        if (has_members(arguments[i]) && !put_members(&payload, arguments[i], STRING_NONE, 1))
            return false;
    return value_close_object(out, place, payload.keys);
}
