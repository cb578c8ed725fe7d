#include "export/gecko_types.h"

#include "common/json_text.h"
#include "common/number_text.h"
#include "export/gecko_text.h"

/* ---- fields ---- */

/* What a field gets that says nothing of its format. */
static struct slice default_format(enum marker_input input)
{
    switch (input) {
    case INPUT_SIGNED:
    case INPUT_UNSIGNED:
        return SLICE("integer");
    case INPUT_DOUBLE:
        return SLICE("decimal");
    case INPUT_TIME:
        return SLICE("time");
    case INPUT_FLOW:
        return SLICE("flow-id");
    case INPUT_TEXT:
    case INPUT_BOOLEAN:
    case INPUT_COUNT:
        break;
    }
    return SLICE("string");
}

static bool is_string_index(struct slice format)
{
    return slice_is(format, "unique-string") || slice_is(format, "flow-id") || slice_is(format, "terminating-flow-id");
}

static bool has_text(enum marker_input input)
{
    return input == INPUT_TEXT || input == INPUT_FLOW;
}

static enum gecko_value_form value_form(enum marker_input input, struct slice format)
{
    if (is_string_index(format))
        return FORM_STRING_INDEX;
    if (input != INPUT_TIME || slice_is(format, "nanoseconds"))
        return FORM_PLAIN;
    return slice_is(format, "microseconds") ? FORM_MICROSECONDS : FORM_MILLISECONDS;
}

/* Since version 36 readers take these for indices whatever the schema says. */
static bool is_always_string_index(struct slice type, struct slice key)
{
    return slice_is(key, "name") ? slice_is(type, "Text") || slice_is(type, "TextStack")
                                 : slice_is(key, "message") && slice_is(type, "Log");
}

static struct slice field_format(struct slice type, const struct marker_field *field)
{
    if (field->input == INPUT_TEXT && is_always_string_index(type, field->key))
        return SLICE("unique-string");
    /* A number under such a format would be read as the index of some string. */
    if (field->format.length == 0 || (is_string_index(field->format) && !has_text(field->input)))
        return default_format(field->input);
    return field->format;
}

static bool is_utf8(struct slice text)
{
    return utf8_check(text.text, text.text + text.length) == text.text + text.length;
}

/* The object of the payload has each key once, also after what is not UTF-8 was replaced. */
static bool is_key_taken(const struct gecko_type *type, struct slice key)
{
    if (key.length == 0 || !is_utf8(key))
        return true;
    if (slice_is(key, "type") || slice_is(key, "stack") || slice_is(key, "innerWindowID"))
        return true;
    for (size_t i = 0; i < type->field_count; i++)
        if (slice_equal(type->fields[i].key, key))
            return true;
    return false;
}

/* ---- types ---- */

static bool keep_field(struct arena *arena, struct gecko_type *type, const struct marker_field *entry)
{
    struct gecko_field field = {
        .key = entry->key,
        .label = entry->label,
        .format = field_format(type->name, entry),
        .input = (enum marker_input)entry->input,
        .hidden = entry->hidden,
        .left_out = is_key_taken(type, entry->key),
    };
    field.form = value_form(field.input, field.format);
    if (!gecko_keep(arena, &field.key) || !gecko_keep(arena, &field.label) || !gecko_keep(arena, &field.format))
        return false;
    type->fields[type->field_count++] = field;
    return true;
}

static bool field_equal(const struct gecko_field *a, const struct gecko_field *b)
{
    return slice_equal(a->key, b->key) && slice_equal(a->format, b->format) && a->form == b->form && a->left_out == b->left_out;
}

/* So far alike that one schema serves both. */
static bool type_equal(const struct gecko_type *a, const struct gecko_type *b)
{
    if (a->field_count != b->field_count)
        return false;
    for (size_t i = 0; i < a->field_count; i++)
        if (!field_equal(&a->fields[i], &b->fields[i]))
            return false;
    return true;
}

static bool is_name_taken(const struct gecko_types *types, const struct gecko_type *type)
{
    for (size_t i = 0; i < types->rows.count; i++) {
        const struct gecko_type *other = &types->rows.items[i];
        if (slice_equal(other->name, type->name))
            return !type_equal(other, type);
    }
    return slice_equal(type->name, GECKO_NO_PAYLOAD) && type->field_count > 0;
}

/* Readers know types by name alone. One that has the name of another but not its fields gets its number behind it. */
static bool make_name_unique(const struct gecko_types *types, struct gecko_type *type, struct arena *arena)
{
    struct slice name = type->name;
    for (uint64_t number = type->number; is_name_taken(types, type); number++) {
        char *text = arena_bytes(arena, name.length + 1 + NUMBER_TEXT_SIZE);
        if (!text)
            return false;
        memcpy(text, name.text, name.length);
        text[name.length] = ' ';
        type->name = (struct slice){text, name.length + 1 + integer_text((int64_t)number, text + name.length + 1)};
    }
    return true;
}

bool gecko_types_add(struct gecko_types *types, const struct marker_type_entry *entry, struct arena *arena)
{
    if (entry->type == 0 || gecko_types_find(types, entry->type) != UINT32_MAX)
        return true;
    struct gecko_type type = {
        .number = entry->type,
        .name = is_utf8(entry->name) ? entry->name : SLICE("Marker"),
        .description = entry->description,
        .chart_label = entry->chart_label,
        .tooltip_label = entry->tooltip_label,
        .table_label = entry->table_label,
        .colour_field = entry->colour_field,
        .display = entry->display.length > 0 ? entry->display : SLICE("marker-chart,marker-table"),
        .stack_based = entry->stack_based,
        .fields = arena_allocate(arena, entry->field_count * sizeof *type.fields + 1),
    };
    struct slice *const texts[] = {&type.name,        &type.description,  &type.chart_label, &type.tooltip_label,
                                   &type.table_label, &type.colour_field, &type.display};
    if (!type.fields)
        return false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!gecko_keep(arena, texts[i]))
            return false;
    for (size_t i = 0; i < entry->field_count; i++)
        if (!keep_field(arena, &type, &entry->fields[i]))
            return false;
    return make_name_unique(types, &type, arena) && vec_push(&types->rows, type) &&
           map_insert(&types->by_number, hash_u64(type.number), (uint32_t)types->rows.count - 1);
}

uint32_t gecko_types_find(const struct gecko_types *types, uint32_t number)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&types->by_number, hash_u64(number)); map_probe_next(&probe, &row);)
        if (types->rows.items[row].number == number)
            return row;
    return UINT32_MAX;
}

void gecko_types_free(struct gecko_types *types)
{
    vec_free(&types->rows);
    map_free(&types->by_number);
}

/* ---- schemas ---- */

static void write_if_any(struct json_writer *w, const char *key, struct slice text)
{
    if (text.length == 0)
        return;
    json_write_key(w, key);
    json_write_string(w, text);
}

static void write_field(struct json_writer *w, const struct gecko_field *field)
{
    json_write_begin_object(w);
    json_write_key(w, "key");
    json_write_string(w, field->key);
    write_if_any(w, "label", field->label);
    json_write_key(w, "format");
    json_write_string(w, field->format);
    if (field->hidden) {
        json_write_key(w, "hidden");
        json_write_boolean(w, true);
    }
    json_write_end_object(w);
}

static void write_schema(struct json_writer *w, const struct gecko_type *type)
{
    json_write_begin_object(w);
    json_write_key(w, "name");
    json_write_string(w, type->name);
    write_if_any(w, "chartLabel", type->chart_label);
    write_if_any(w, "tooltipLabel", type->tooltip_label);
    write_if_any(w, "tableLabel", type->table_label);
    if (type->stack_based) {
        json_write_key(w, "isStackBased");
        json_write_boolean(w, true);
    }
    write_if_any(w, "colorField", type->colour_field);
    json_write_key(w, "display");
    gecko_write_list(w, type->display);
    json_write_key(w, "data");
    json_write_begin_array(w);
    for (size_t i = 0; i < type->field_count; i++)
        if (!type->fields[i].left_out)
            write_field(w, &type->fields[i]);
    if (type->description.length > 0) {
        json_write_begin_object(w);
        json_write_key(w, "label");
        json_write_text(w, "Description");
        json_write_key(w, "value");
        json_write_string(w, type->description);
        json_write_end_object(w);
    }
    json_write_end_array(w);
    json_write_end_object(w);
}

/* Types that have one name have one schema. */
static bool is_written(const struct gecko_types *types, size_t before, struct slice name)
{
    for (size_t i = 0; i < before; i++)
        if (types->rows.items[i].used && slice_equal(types->rows.items[i].name, name))
            return true;
    return false;
}

void gecko_types_write(const struct gecko_types *types, struct json_writer *w)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < types->rows.count; i++) {
        const struct gecko_type *type = &types->rows.items[i];
        if (type->used && !is_written(types, i, type->name))
            write_schema(w, type);
    }
    if (types->no_payload_used && !is_written(types, types->rows.count, GECKO_NO_PAYLOAD))
        write_schema(w, &(struct gecko_type){.name = GECKO_NO_PAYLOAD, .display = SLICE("marker-chart,marker-table")});
    json_write_end_array(w);
}
