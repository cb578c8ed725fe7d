#include "import/session_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- types ---- */

static bool put_optional(struct session_import *import, struct value_bytes *out, uint32_t *count, const char *key,
                         struct slice text)
{
    if (text.length == 0)
        return true;
    ++*count;
    return session_put_text(import, out, key, text);
}

/* "marker-chart,marker-table" as an array. */
static bool put_display(struct session_import *import, struct value_bytes *out, struct slice list)
{
    size_t place = session_put_key(import, out, "display") ? value_open(out) : SIZE_MAX;
    uint32_t count = 0;
    if (place == SIZE_MAX)
        return false;
    while (list.length > 0) {
        const char *comma = memchr(list.text, ',', list.length);
        struct slice item = comma ? slice_until(list, (size_t)(comma - list.text)) : list;
        list = comma ? slice_from(list, item.length + 1) : slice_from(list, list.length);
        if (item.length == 0)
            continue;
        if (!value_put_string(out, session_text(import, item)))
            return false;
        count++;
    }
    return value_close_array(out, place, count);
}

static bool put_field(struct session_import *import, struct value_bytes *out, const struct marker_field *field)
{
    size_t place = value_open(out);
    uint32_t count = 2;
    if (place == SIZE_MAX || !session_put_text(import, out, "key", field->key) ||
        !put_optional(import, out, &count, "label", field->label) || !session_put_text(import, out, "format", field->format))
        return false;
    if (field->hidden) {
        count++;
        if (!session_put_key(import, out, "hidden") || !value_put_boolean(out, true))
            return false;
    }
    return value_close_object(out, place, count);
}

/* The fields of the process from `first` on are those of the entry. */
static bool put_fields(struct session_import *import, struct value_bytes *out, const struct marker_type_entry *entry,
                       size_t first)
{
    size_t place = session_put_key(import, out, "fields") ? value_open(out) : SIZE_MAX;
    uint32_t count = 0;
    if (place == SIZE_MAX)
        return false;
    for (size_t i = 0; i < entry->field_count; i++) {
        if (import->process.fields.items[first + i].left_out)
            continue;
        if (!put_field(import, out, &entry->fields[i]))
            return false;
        count++;
    }
    import->quality.fields_left_out += entry->field_count - count;
    return value_close_array(out, place, count);
}

static bool put_schema(struct session_import *import, struct value_bytes *out, const struct marker_type_entry *entry,
                       size_t first_field)
{
    size_t place = value_open(out);
    uint32_t count = 3;
    if (place == SIZE_MAX || !session_put_text(import, out, "name", entry->name) ||
        !put_optional(import, out, &count, "tooltipLabel", entry->tooltip_label) ||
        !put_optional(import, out, &count, "tableLabel", entry->table_label) ||
        !put_optional(import, out, &count, "chartLabel", entry->chart_label) || !put_display(import, out, entry->display) ||
        !put_optional(import, out, &count, "description", entry->description) ||
        !put_optional(import, out, &count, "colorField", entry->colour_field))
        return false;
    if (entry->stack_based) {
        count++;
        if (!session_put_key(import, out, "isStackBased") || !value_put_boolean(out, true))
            return false;
    }
    return put_fields(import, out, entry, first_field) && value_close_object(out, place, count);
}

/* The object of a payload has each key once, and two of them are its own. The fields from `first` on are those before it. */
static bool is_key_taken(const struct session_import *import, size_t first, struct string_index key)
{
    struct slice text = profile_text(import->profile, key);
    if (slice_is(text, "type") || slice_is(text, "cause"))
        return true;
    const struct session_process *process = &import->process;
    for (size_t i = first; i < process->fields.count; i++)
        if (string_same(process->fields.items[i].key, key))
            return true;
    return false;
}

bool session_add_marker_type(struct session_import *import, const struct marker_type_entry *entry)
{
    struct session_process *process = &import->process;
    struct session_marker_type type = {
        .number = entry->type,
        .name = session_text(import, entry->name),
        .first_field = process->fields.count,
        .field_count = entry->field_count,
    };
    for (size_t i = 0; i < entry->field_count; i++) {
        struct session_field field = {.key = session_text(import, entry->fields[i].key),
                                      .input = (enum marker_input)entry->fields[i].input};
        if (!string_exists(field.key))
            return false;
        field.left_out = is_key_taken(import, type.first_field, field.key);
        if (!vec_push(&process->fields, field))
            return false;
    }
    if (!string_exists(type.name) || !vec_push(&process->types, type))
        return false;
    /* Processes of one program have the same types. */
    if (marker_schema_find(&import->profile->schemas, type.name))
        return true;
    struct value_bytes whole = {0};
    bool added = put_schema(import, &whole, entry, type.first_field) &&
                 marker_schema_list_add(&import->profile->schemas, &import->profile->strings, whole.bytes.items);
    value_bytes_free(&whole);
    return added;
}

/* ---- markers ---- */

static const struct session_marker_type *find_type(const struct session_process *process, uint32_t number)
{
    for (size_t i = 0; i < process->types.count; i++)
        if (process->types.items[i].number == number)
            return &process->types.items[i];
    return NULL;
}

static bool put_value(struct session_import *import, struct value_bytes *out, const struct marker_value *value)
{
    char text[32];
    switch (value->input) {
    case INPUT_TEXT:
        return value_put_string(out, session_text(import, value->text));
    case INPUT_SIGNED:
        return value_put_integer(out, value->integer);
    case INPUT_UNSIGNED:
        return value->number <= INT64_MAX ? value_put_integer(out, (int64_t)value->number)
                                          : value_put_number(out, (double)value->number);
    case INPUT_DOUBLE:
        return value_put_number(out, value->real);
    case INPUT_BOOLEAN:
        return value_put_boolean(out, value->boolean);
    case INPUT_TIME:
        return value_put_number(out, session_ms(import, value->number));
    case INPUT_FLOW:
        snprintf(text, sizeof text, "%" PRIx64, value->number);
        return value_put_string(out, session_text(import, slice_of(text)));
    case INPUT_COUNT:
        break;
    }
    return value_put_null(out);
}

static bool put_payload(struct session_import *import, struct value_bytes *out, const struct session_marker_type *type,
                        struct slice values)
{
    const struct session_field *fields = import->process.fields.items;
    size_t place = value_open(out);
    uint32_t count = 1;
    if (place == SIZE_MAX || !session_put_key(import, out, "type") || !value_put_string(out, type->name))
        return false;
    struct marker_value value;
    for (size_t i = type->first_field; i < type->first_field + type->field_count; i++) {
        if (!marker_value_read(&values, fields[i].input, &value))
            break;
        if (fields[i].left_out)
            continue;
        if (!value_put_key(out, fields[i].key) || !put_value(import, out, &value))
            return false;
        count++;
    }
    return value_close_object(out, place, count);
}

static bool put_cause(struct session_import *import, const struct marker_entry *entry, struct raw_marker *marker)
{
    bool bad = false;
    struct stack_path *path = &import->process.marker_path;
    uint32_t stack;
    if (!entry->has_stack)
        return true;
    if (!session_read_path(import, path, 0, &entry->stack, false, entry->stack_time, &bad) ||
        !session_stack_of_path(import, path, END_AT_CALL, &stack))
        return false;
    import->quality.bad_entries += bad;
    if (bad || stack == INDEX_NONE)
        return true;
    const struct session_thread *from = session_find_thread(import, entry->stack_thread);
    marker->cause_stack = stack_at(stack);
    marker->cause_time = session_ms(import, entry->stack_time);
    marker->cause_tid = from ? session_id(import, from->tid) : STRING_NONE;
    return !from || string_exists(marker->cause_tid);
}

static struct session_thread *thread_of_marker(struct session_import *import, uint32_t number)
{
    struct session_process *process = &import->process;
    if (number != 0)
        return session_find_thread(import, number);
    return process->threads.count > 0 ? &process->threads.items[0] : NULL;
}

/* What the Firefox Profiler sorts raw markers by. */
static double sort_key(const struct raw_marker *marker)
{
    return marker->end != 0 && !isnan(marker->end) ? marker->end : marker->start;
}

bool session_marker(struct session_import *import, const struct marker_entry *entry)
{
    struct session_process *process = &import->process;
    struct session_thread *staged = thread_of_marker(import, entry->thread);
    if (!staged)
        return true;
    size_t index = process->first_thread + (size_t)(staged - process->threads.items);
    struct marker_table *table = &import->profile->threads.items[index].markers;
    uint32_t subcategory = entry->subcategory;
    struct raw_marker marker = {
        .name = session_text(import, entry->name),
        .start = entry->phase == MARKER_END ? NAN : session_ms(import, entry->start),
        .end = entry->phase == MARKER_INTERVAL || entry->phase == MARKER_END ? session_ms(import, entry->end) : NAN,
        .phase = (enum marker_phase)entry->phase,
        .category = session_category(import, entry->category, &subcategory),
        .cause_stack = stack_none(),
        .cause_time = NAN,
        .cause_tid = STRING_NONE,
        .thread_id = STRING_NONE,
    };
    if (!string_exists(marker.name) || !put_cause(import, entry, &marker))
        return false;
    const struct session_marker_type *type = entry->type != 0 ? find_type(process, entry->type) : NULL;
    size_t payload = table->payloads.bytes.count;
    if (type && !put_payload(import, &table->payloads, type, entry->values))
        return false;
    if (type)
        marker.data = table->payloads.bytes.items + payload;
    marker_table_append(table, &marker);
    double key = sort_key(&marker);
    staged->markers_unsorted |= key < staged->last_marker;
    staged->last_marker = key;
    return true;
}

/* ---- order ---- */

struct marker_order {
    double key;
    uint32_t row;
};

static int compare_orders(const void *a, const void *b)
{
    const struct marker_order *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Markers of a thread come in order, but for those that other threads put on its track. */
bool session_sort_markers(struct session_import *import, const struct session_thread *staged, struct marker_table *table)
{
    size_t count = marker_count(table);
    if (!staged->markers_unsorted || count == 0)
        return true;
    struct marker_order *order = memory_array(count, sizeof *order);
    if (!order)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct raw_marker marker = marker_table_get(table, marker_at(i));
        order[i] = (struct marker_order){sort_key(&marker), (uint32_t)i};
    }
    qsort(order, count, sizeof *order, compare_orders);
    struct marker_table sorted;
    marker_table_init(&sorted, &import->profile->arena);
    sorted.payloads = table->payloads;
    for (size_t i = 0; i < count; i++) {
        struct raw_marker marker = marker_table_get(table, marker_at(order[i].row));
        marker_table_append(&sorted, &marker);
    }
    memory_release(order);
    table->payloads = (struct value_bytes){0};
    marker_table_free(table);
    *table = sorted;
    return true;
}
