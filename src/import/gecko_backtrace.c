/* The stack of a payload: a profile of one sample, {tid, samples: {schema, data: [[stack, time]]}, …}. */
#include "import/gecko_state.h"

/* Where a schema has a column; UINT32_MAX = nowhere. */
static uint32_t find_cell(const uint8_t *schema, struct string_index column)
{
    const uint8_t *at = value_find(schema, column);
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    return value.kind == VALUE_INTEGER && value.integer >= 0 && value.integer < GECKO_MAX_CELLS ? (uint32_t)value.integer
                                                                                                : UINT32_MAX;
}

struct backtrace {
    bool taken;   /* it has a sample: what else there is need not be kept */
    size_t cells; /* of its first row */
    double row[GECKO_MAX_CELLS];
    struct string_index tid;
    uint32_t stack_cell, time_cell;
};

static void read_backtrace_row(struct json_reader *r, struct backtrace *backtrace)
{
    backtrace->taken = true;
    json_begin_array(r);
    while (json_next_item(r)) {
        enum json_kind kind = json_peek(r);
        double cell = NAN;
        if (kind == JSON_NUMBER)
            cell = json_number(r);
        else
            json_skip(r);
        if (backtrace->cells < GECKO_MAX_CELLS)
            backtrace->row[backtrace->cells++] = cell;
    }
}

/* `data`, packed as long as there is nothing in it. */
static bool read_backtrace_rows(struct json_reader *r, struct value_bytes *out, struct backtrace *backtrace)
{
    json_begin_array(r);
    while (json_next_item(r))
        if (!backtrace->taken && json_peek(r) == JSON_ARRAY)
            read_backtrace_row(r, backtrace);
        else
            json_skip(r);
    return value_put_array(out, 0);
}

static bool read_backtrace_samples(struct gecko *gecko, struct json_reader *r, struct value_bytes *out,
                                   struct backtrace *backtrace)
{
    const struct gecko_names *names = &gecko->names;
    uint32_t count = 0;
    size_t place = value_open(out);
    if (place == SIZE_MAX || !json_begin_object(r))
        return false;
    for (struct slice text; json_next_key(r, &text); count++) {
        struct string_index key = value_intern_key(r, text, &gecko->profile->strings);
        if (!string_exists(key) || !value_put_key(out, key))
            return false;
        size_t at = out->bytes.count;
        if (string_same(key, names->data) && json_peek(r) == JSON_ARRAY) {
            if (!read_backtrace_rows(r, out, backtrace))
                return false;
            continue;
        }
        value_from_json(r, &gecko->profile->strings, out);
        if (string_same(key, names->schema) && json_ok(r)) {
            backtrace->stack_cell = find_cell(out->bytes.items + at, names->stack);
            backtrace->time_cell = find_cell(out->bytes.items + at, names->time);
        }
    }
    return value_close_object(out, place, count);
}

/* The cause of the marker, if there is one: a stack that is null says nothing. */
static void use_backtrace(struct gecko *gecko, struct json_reader *r, const struct backtrace *backtrace,
                          struct staged_marker *marker)
{
    double stack = backtrace->stack_cell < backtrace->cells ? backtrace->row[backtrace->stack_cell] : NAN;
    double time = backtrace->time_cell < backtrace->cells ? backtrace->row[backtrace->time_cell] : NAN;
    if (isnan(stack))
        return;
    if (!(stack >= 0 && stack < INDEX_NONE && stack == (double)(uint32_t)stack)) {
        json_fail(r, "%g is no index of a stack", stack);
        return;
    }
    marker->cause_stack = (uint32_t)stack;
    marker->cause_time = time + gecko->process.shift;
    marker->cause_tid = backtrace->tid;
}

bool gecko_read_backtrace(struct gecko *gecko, struct json_reader *r, struct value_bytes *out, struct staged_marker *marker)
{
    struct backtrace backtrace = {.tid = STRING_NONE, .stack_cell = 0, .time_cell = 1};
    uint32_t count = 0;
    size_t place = value_open(out);
    if (place == SIZE_MAX || !json_begin_object(r))
        return false;
    for (struct slice text; json_next_key(r, &text); count++) {
        struct string_index key = value_intern_key(r, text, &gecko->profile->strings);
        if (!string_exists(key) || !value_put_key(out, key))
            return false;
        enum json_kind kind = json_peek(r);
        if (string_same(key, gecko->names.samples) && kind == JSON_OBJECT) {
            if (!read_backtrace_samples(gecko, r, out, &backtrace))
                return false;
        } else if (string_same(key, gecko->names.tid)) {
            size_t at = out->bytes.count;
            value_from_json(r, &gecko->profile->strings, out);
            if (!json_ok(r))
                break;
            struct value tid = value_read(out->bytes.items + at);
            if (tid.kind == VALUE_STRING)
                backtrace.tid = tid.string;
            else if (tid.kind == VALUE_INTEGER)
                backtrace.tid = gecko_add_number(gecko, tid.integer);
        } else if (backtrace.taken) {
            json_skip(r);
        } else {
            value_from_json(r, &gecko->profile->strings, out);
        }
    }
    if (!json_ok(r))
        return true;
    if (!backtrace.taken)
        return value_close_object(out, place, count);
    out->bytes.count = place;
    use_backtrace(gecko, r, &backtrace, marker);
    return true;
}
