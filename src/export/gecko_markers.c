#include "export/gecko_markers.h"

#include "common/marker_phase.h"
#include "export/gecko_samples.h"
#include "export/gecko_table.h"
#include "export/gecko_time.h"

#include <errno.h>

#define MARKER_SCHEMA SLICE("{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4,\"data\":5}")

/* ---- collecting ---- */

/* A row is flags (the phase, MARKER_HAS_STACK and MARKER_LEFT_OUT; one byte), the name, the category, the row of the type + 1,
 * the times that the phase has, the stack (row, tid, time) if it has one, and its values behind their length. */
enum { MARKER_PHASE = 3, MARKER_HAS_STACK = 4, MARKER_LEFT_OUT = 8, MARKER_MAX = 9 * LEB128_MAX_BYTES };

static bool has_start(unsigned phase)
{
    return phase != MARKER_END;
}

static bool has_end(unsigned phase)
{
    return phase == MARKER_INTERVAL || phase == MARKER_END;
}

/* False when the heap is empty; `*has_stack` says whether there was one that could be read. */
static bool add_stack(struct gecko_stacks *stacks, const struct marker_entry *entry, uint32_t *stack, bool *has_stack)
{
    *has_stack = false;
    if (!entry->has_stack)
        return true;
    struct gecko_path path = {0};
    int result = gecko_stacks_add(stacks, &path, 0, &entry->stack, entry->stack_time, stack);
    vec_free(&path.stacks);
    *has_stack = result == 0;
    return result != -ENOMEM;
}

static bool open_start(struct gecko_markers *markers, uint32_t name, uint8_t *row)
{
    while (markers->newest_open.count <= name)
        if (!vec_push(&markers->newest_open, UINT32_MAX))
            return false;
    struct gecko_open_start start = {row, markers->newest_open.items[name]};
    markers->newest_open.items[name] = (uint32_t)markers->open.count;
    return vec_push(&markers->open, start);
}

/* An end belongs to the newest start of its name that is open. */
static void end_start(struct gecko_markers *markers, const struct gecko_stacks *stacks, struct slice name)
{
    struct string_index index = string_table_find(&stacks->strings, name);
    if (!string_exists(index) || index.i >= markers->newest_open.count || markers->newest_open.items[index.i] == UINT32_MAX)
        return;
    const struct gecko_open_start *start = &markers->open.items[markers->newest_open.items[index.i]];
    *start->row |= MARKER_LEFT_OUT;
    markers->left_out++;
    markers->newest_open.items[index.i] = start->before;
}

bool gecko_markers_add(struct gecko_markers *markers, struct gecko_stacks *stacks, struct gecko_types *types,
                       const struct marker_entry *entry, int32_t tid, uint64_t since)
{
    unsigned phase = entry->phase & MARKER_PHASE;
    bool early = gecko_time(has_end(phase) ? entry->end : entry->start) < since;
    if (early && phase == MARKER_END)
        end_start(markers, stacks, entry->name);
    if (early && phase != MARKER_START)
        return true;
    uint32_t type = entry->type > 0 ? gecko_types_find(types, entry->type) : UINT32_MAX;
    uint32_t stack = 0;
    bool has_stack;
    /* The root comes first whatever the first text is. */
    if (!gecko_stacks_begin(stacks) || !add_stack(stacks, entry, &stack, &has_stack))
        return false;
    struct string_index name = string_table_add(&stacks->strings, entry->name);
    struct slice values = type != UINT32_MAX ? entry->values : SLICE("");
    uint8_t *const row = gecko_rows_reserve(&markers->rows, MARKER_MAX + values.length);
    if (!string_exists(name) || !row)
        return false;
    uint8_t *out = row;
    gecko_put(&out, phase | (has_stack ? MARKER_HAS_STACK : 0));
    gecko_put(&out, name.i);
    gecko_put(&out, entry->category);
    gecko_put(&out, (uint64_t)(uint32_t)(type + 1));
    if (has_start(phase))
        gecko_put(&out, gecko_time(entry->start));
    if (has_end(phase))
        gecko_put(&out, gecko_time(entry->end));
    if (has_stack) {
        gecko_put(&out, stack);
        gecko_put(&out, (uint32_t)tid);
        gecko_put(&out, gecko_time(entry->stack_time));
    }
    gecko_put(&out, values.length);
    memcpy(out, values.text, values.length);
    gecko_rows_commit(&markers->rows, (size_t)(out - row) + values.length);
    if (type != UINT32_MAX)
        types->rows.items[type].used = true;
    else
        types->no_payload_used |= has_stack;
    return !early || open_start(markers, name.i, row);
}

void gecko_markers_free(struct gecko_markers *markers)
{
    gecko_rows_free(&markers->rows);
    vec_free(&markers->open);
    vec_free(&markers->newest_open);
}

/* ---- values ---- */

struct marker_writer {
    struct json_writer *w;
    struct gecko_stacks *stacks;
    const struct gecko_marker_context *context;
    bool failed; /* the heap is empty */
};

static struct slice flow_text(uint64_t flow, char text[static 16])
{
    for (int i = 15; i >= 0; i--, flow >>= 4)
        text[i] = "0123456789abcdef"[flow & 15];
    return (struct slice){text, 16};
}

static void write_string_index(struct marker_writer *m, struct slice text)
{
    struct string_index index = string_table_add(&m->stacks->strings, text);
    if (!string_exists(index))
        m->failed = true;
    json_write_integer(m->w, index.i);
}

static void write_unsigned(struct json_writer *w, uint64_t number)
{
    if (number <= INT64_MAX)
        json_write_integer(w, (int64_t)number);
    else
        json_write_number(w, (double)number);
}

static void write_nanoseconds(struct json_writer *w, uint64_t time, enum gecko_value_form form)
{
    if (form == FORM_PLAIN)
        write_unsigned(w, time);
    else
        json_write_decimal(w, (int64_t)gecko_time(time), form == FORM_MICROSECONDS ? 3 : 6);
}

static void write_value(struct marker_writer *m, const struct marker_value *value, enum gecko_value_form form)
{
    struct json_writer *w = m->w;
    char flow[16];
    switch (value->input) {
    case INPUT_TEXT:
    case INPUT_FLOW: {
        struct slice text = value->input == INPUT_FLOW ? flow_text(value->number, flow) : value->text;
        if (form == FORM_STRING_INDEX)
            write_string_index(m, text);
        else
            json_write_string(w, text);
        break;
    }
    case INPUT_SIGNED:
        json_write_integer(w, value->integer);
        break;
    case INPUT_UNSIGNED:
        write_unsigned(w, value->number);
        break;
    case INPUT_DOUBLE:
        json_write_number(w, value->real);
        break;
    case INPUT_BOOLEAN:
        json_write_boolean(w, value->boolean);
        break;
    case INPUT_TIME:
        write_nanoseconds(w, value->number, form);
        break;
    case INPUT_COUNT:
        json_write_null(w);
        break;
    }
}

static void write_values(struct marker_writer *m, const struct gecko_type *type, struct slice values)
{
    struct marker_value value;
    for (size_t i = 0; i < type->field_count && marker_value_read(&values, type->fields[i].input, &value); i++) {
        if (type->fields[i].left_out)
            continue;
        json_write_key_slice(m->w, type->fields[i].key);
        write_value(m, &value, type->fields[i].form);
    }
}

/* ---- rows ---- */

/* A profile of one sample: its stack is one of the thread that the marker is in. */
static void write_stack(struct marker_writer *m, const uint8_t **at)
{
    struct json_writer *w = m->w;
    uint32_t stack = (uint32_t)gecko_take(at), tid = (uint32_t)gecko_take(at);
    uint64_t time = gecko_take(at);
    json_write_begin_object(w);
    json_write_key(w, "processType");
    json_write_text(w, m->context->process_type);
    json_write_key(w, "name");
    json_write_text(w, "");
    json_write_key(w, "registerTime");
    json_write_null(w);
    json_write_key(w, "unregisterTime");
    json_write_null(w);
    json_write_key(w, "samples");
    gecko_table_begin(w, GECKO_SAMPLE_SCHEMA);
    json_write_begin_array(w);
    json_write_integer(w, stack);
    gecko_write_time(w, time);
    json_write_end_array(w);
    gecko_table_end(w);
    json_write_key(w, "markers");
    gecko_table_begin(w, MARKER_SCHEMA);
    gecko_table_end(w);
    json_write_key(w, "pid");
    json_write_integer(w, m->context->pid);
    json_write_key(w, "tid");
    json_write_integer(w, (int32_t)tid);
    json_write_end_object(w);
}

static void write_payload(struct marker_writer *m, bool has_stack, uint32_t type_plus_1, const uint8_t **at)
{
    struct json_writer *w = m->w;
    const struct gecko_type *type = type_plus_1 > 0 ? &m->context->types->rows.items[type_plus_1 - 1] : NULL;
    if (has_stack || type) {
        json_write_begin_object(w);
        if (has_stack) {
            json_write_key(w, "stack");
            write_stack(m, at);
        }
        json_write_key(w, "type");
        json_write_string(w, type ? type->name : GECKO_NO_PAYLOAD);
    }
    size_t length = gecko_take(at);
    if (type)
        write_values(m, type, (struct slice){(const char *)*at, length});
    *at += length;
    if (has_stack || type)
        json_write_end_object(w);
}

/* A time that is not there is null: 0 would be a moment. */
static void write_time_if(struct json_writer *w, bool there, const uint8_t **at)
{
    if (there)
        gecko_write_time(w, gecko_take(at));
    else
        json_write_null(w);
}

static void skip_row(unsigned flags, const uint8_t **at)
{
    unsigned phase = flags & MARKER_PHASE;
    int numbers = has_start(phase) + has_end(phase) + (flags & MARKER_HAS_STACK ? 3 : 0);
    for (int i = 0; i < numbers; i++)
        gecko_take(at);
    size_t length = gecko_take(at);
    *at += length;
}

static void write_row(struct marker_writer *m, const uint8_t **at)
{
    unsigned flags = (unsigned)gecko_take(at), phase = flags & MARKER_PHASE;
    uint32_t name = (uint32_t)gecko_take(at), category = (uint32_t)gecko_take(at), type_plus_1 = (uint32_t)gecko_take(at);
    if (flags & MARKER_LEFT_OUT) {
        skip_row(flags, at);
        return;
    }
    json_write_begin_array(m->w);
    json_write_integer(m->w, name);
    write_time_if(m->w, has_start(phase), at);
    write_time_if(m->w, has_end(phase), at);
    json_write_integer(m->w, phase);
    json_write_integer(m->w, gecko_category_or_default(m->context->categories, category));
    write_payload(m, flags & MARKER_HAS_STACK, type_plus_1, at);
    json_write_end_array(m->w);
}

bool gecko_markers_write(const struct gecko_markers *markers, struct gecko_stacks *stacks,
                         const struct gecko_marker_context *context, struct gecko_progress *progress, struct json_writer *w)
{
    struct marker_writer m = {w, stacks, context, false};
    struct gecko_place place = gecko_rows_front(&markers->rows);
    uint64_t rows = 0;
    gecko_table_begin(w, MARKER_SCHEMA);
    for (const uint8_t *at; (at = gecko_place_next(&place)) != NULL && !m.failed; gecko_place_move(&place, at)) {
        write_row(&m, &at);
        if (++rows % GECKO_PROGRESS_ROWS == 0) {
            gecko_progress_written(progress, GECKO_PROGRESS_ROWS);
            if (!json_writer_ok(w))
                break;
        }
    }
    gecko_progress_written(progress, rows % GECKO_PROGRESS_ROWS);
    gecko_table_end(w);
    return !m.failed;
}
