/* Markers of processed profiles and their payloads.
 *
 * Payloads are packed as they are read. What refers to a string by its index becomes the string itself, and the cause, which
 * refers to a stack, moves to columns of its own. */
#include "import/processed_table.h"

#include <math.h>

/* What the reader of payloads knows: where they go, and the words it looks for. */
struct payload_reader {
    struct thread *thread;
    int64_t stack_base;
    struct string_index type, cause;
    uint32_t row;
    /* Payloads have the same few keys again and again, often with the text they had last: those are found here, without a look
     * into the table of all strings. */
    struct remembered {
        struct string_index key, text;
    } remembered[64];
};

static struct value_bytes *payloads_of(struct payload_reader *reader)
{
    return &reader->thread->markers.payloads;
}

static struct remembered *remembered_place(struct payload_reader *reader, struct slice key)
{
    size_t hash = key.length;
    if (key.length > 0)
        hash += (unsigned char)key.text[0] * 7u + (unsigned char)key.text[key.length - 1] * 31u;
    return &reader->remembered[hash % 64];
}

/* The index of `text`, which is likely to be `likely`; STRING_NONE when the heap is empty. */
static struct string_index intern_likely(struct string_table *strings, struct slice text, struct string_index likely)
{
    if (string_exists(likely) && slice_equal(text, string_table_get(strings, likely)))
        return likely;
    return string_table_add(strings, text);
}

/* ---- causes ---- */

struct cause {
    int64_t stack;
    double time;
    struct string_index tid;
};

static void read_cause(struct processed *p, const struct payload_reader *reader, struct cause *cause)
{
    if (json_null(p->r) || !json_begin_object(p->r))
        return;
    for (struct slice key; json_next_key(p->r, &key);) {
        if (slice_is(key, "stack")) {
            int64_t stack = json_integer_or_null(p->r, -1);
            cause->stack = stack < 0 || stack >= INDEX_NONE ? COLUMN_ABSENT : stack + reader->stack_base;
            if (stack >= INDEX_NONE)
                processed_fail(p, "marker %u: the stack %lld of its cause is none", reader->row, (long long)stack);
        } else if (slice_is(key, "time")) {
            cause->time = json_number_or_null(p->r, (double)NAN);
        } else if (slice_is(key, "tid")) {
            cause->tid = processed_read_name(p, NULL);
        } else {
            json_skip(p->r);
        }
    }
}

/* ---- strings by index ---- */

/* The string of a file's index; numbers that are no index stay numbers. */
static bool put_indexed(const struct processed *p, struct value_bytes *out, double index)
{
    if (index >= 0 && index < (double)p->strings.count && index == rint(index))
        return value_put_string(out, string_at(p->strings.items[(size_t)index]));
    return value_put_number(out, index);
}

/* Packs the payload at `start` again, with strings instead of indices; for payloads that say their type last. */
static bool repack_indexed(struct processed *p, struct value_bytes *payloads, size_t start,
                           const struct string_fields_of_type *indexed)
{
    struct value_bytes *copy = &p->payload_scratch;
    copy->bytes.count = 0;
    if (!value_put_copy(copy, payloads->bytes.items + start))
        return false;
    struct value object = value_read(copy->bytes.items);
    const uint8_t *at = object.rest;
    payloads->bytes.count = start;
    bool done = value_put_object(payloads, object.count);
    for (uint32_t i = 0; i < object.count && done; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        struct value value = value_read(at);
        double number;
        done = value_put_key(payloads, key) &&
               (string_fields_have(indexed, key) && value_as_number(&value, &number) ? put_indexed(p, payloads, number)
                                                                                     : value_put_copy(payloads, at));
    }
    return done;
}

/* ---- one payload ---- */

/* Before PROCESSED_TRACING_SCHEMA, payloads of the type "tracing" were told apart by their category. */
static bool upgrade_tracing(struct processed *p, struct value_bytes *payloads, size_t start)
{
    const struct string_table *strings = &p->profile->strings;
    const uint8_t *payload = payloads->bytes.items + start;
    const uint8_t *category = value_find(payload, string_table_find(strings, SLICE("category")));
    struct value value = category ? value_read(category) : (struct value){.kind = VALUE_NULL};
    if (value.kind != VALUE_STRING || string_table_get(strings, value.string).length == 0)
        return true;
    p->saw_tracing = true;
    if (!p->has_cc_schema || !slice_is(string_table_get(strings, value.string), "CC"))
        return true;
    p->saw_tracing_cc = true;
    struct string_index type = string_table_find(strings, SLICE("type"));
    struct string_index interval = string_table_find(strings, SLICE("interval"));
    struct string_index new_type = processed_intern(p, SLICE("tracingCCFrom52Upgrader"));
    struct value_bytes *copy = &p->payload_scratch;
    copy->bytes.count = 0;
    if (!value_put_copy(copy, payload))
        return false;
    struct value object = value_read(copy->bytes.items);
    bool has_interval = value_find(copy->bytes.items, interval) != NULL;
    const uint8_t *at = object.rest;
    payloads->bytes.count = start;
    bool done = value_put_object(payloads, object.count - has_interval);
    for (uint32_t i = 0; i < object.count && done; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        if (has_interval && string_same(key, interval))
            continue;
        done = value_put_key(payloads, key) &&
               (string_same(key, type) ? value_put_string(payloads, new_type) : value_put_copy(payloads, at));
    }
    return done;
}

/* Reads the payload and its cause: false when the heap is empty. */
static bool read_payload(struct processed *p, struct payload_reader *reader, struct cause *cause)
{
    struct value_bytes *out = payloads_of(reader);
    struct string_table *strings = &p->profile->strings;
    size_t start = value_open(out);
    const struct string_fields_of_type *indexed = NULL;
    struct string_index type = STRING_NONE;
    uint32_t count = 0;
    bool repack = false;
    if (start == SIZE_MAX || !json_begin_object(p->r))
        return start != SIZE_MAX;
    for (struct slice name; json_next_key(p->r, &name); count++) {
        struct remembered *remembered = remembered_place(reader, name);
        struct string_index key = intern_likely(strings, name, remembered->key);
        if (!string_exists(key))
            return false;
        remembered->key = key;
        if (string_same(key, reader->cause)) {
            read_cause(p, reader, cause);
            count--;
            continue;
        }
        if (!value_put_key(out, key))
            return false;
        enum json_kind kind = json_peek(p->r);
        if (kind == JSON_STRING) {
            struct string_index text = intern_likely(strings, json_string(p->r), remembered->text);
            remembered->text = text;
            if (!string_exists(text) || !value_put_string(out, text))
                return false;
            if (string_same(key, reader->type)) {
                type = text;
                indexed = string_fields_of(&p->string_fields, type);
                repack = count > 0 && indexed;
            }
        } else if (indexed && kind == JSON_NUMBER && string_fields_have(indexed, key)) {
            if (!put_indexed(p, out, json_number(p->r)))
                return false;
        } else {
            value_from_json(p->r, strings, out);
        }
    }
    if (!json_ok(p->r))
        return true;
    if (!value_close_object(out, start, count) || (repack && !repack_indexed(p, out, start, indexed)))
        return false;
    if (p->version < PROCESSED_TRACING_SCHEMA && slice_is(string_table_get(strings, type), "tracing"))
        return upgrade_tracing(p, out, start);
    return true;
}

static void read_data_cell(struct processed *p, void *data)
{
    struct payload_reader *reader = data;
    struct marker_table *markers = &reader->thread->markers;
    struct cause cause = {COLUMN_ABSENT, (double)NAN, STRING_NONE};
    int64_t offset = COLUMN_ABSENT;
    if (!json_null(p->r)) {
        offset = (int64_t)payloads_of(reader)->bytes.count;
        if (!read_payload(p, reader, &cause))
            processed_out_of_memory(p);
    }
    column_append(&markers->data, offset);
    column_append(&markers->cause_stack, cause.stack);
    column_append_number(&markers->cause_time, cause.stack == COLUMN_ABSENT ? (double)NAN : cause.time);
    column_append_index(&markers->cause_tid, cause.stack == COLUMN_ABSENT ? INDEX_NONE : cause.tid.i);
    reader->row++;
}

/* ---- the table ---- */

void processed_read_markers(struct processed *p, struct thread *thread, int64_t stack_base)
{
    struct marker_table *markers = &thread->markers;
    marker_table_set_origin(markers, thread->process_startup_time);
    struct payload_reader reader = {
        .thread = thread,
        .stack_base = stack_base,
        .type = processed_intern(p, SLICE("type")),
        .cause = processed_intern(p, SLICE("cause")),
    };
    for (size_t i = 0; i < 64; i++)
        reader.remembered[i] = (struct remembered){STRING_NONE, STRING_NONE};
    struct file_column columns[] = {
        {"name", &markers->name, .cell = CELL_STRING, .required = true},
        {"startTime", &markers->start, .cell = CELL_NUMBER, .required = true},
        {"endTime", &markers->end, .cell = CELL_NUMBER},
        {"phase", &markers->phase, .cell = CELL_INTEGER, .required = true},
        {"category", &markers->category, .cell = CELL_INDEX},
        {"data", &markers->data, .cell = CELL_CUSTOM, .read = read_data_cell, .data = &reader},
        {"threadId", &markers->thread_id, .cell = CELL_TEXT},
    };
    size_t rows = processed_read_table(p, "markers", columns, sizeof columns / sizeof *columns);
    if (!json_ok(p->r))
        return;
    column_fill_numbers(&markers->end, rows, (double)NAN);
    column_fill(&markers->category, rows, COLUMN_ABSENT);
    column_fill(&markers->data, rows, COLUMN_ABSENT);
    column_fill(&markers->cause_stack, rows, COLUMN_ABSENT);
    column_fill_numbers(&markers->cause_time, rows, (double)NAN);
    column_fill(&markers->cause_tid, rows, COLUMN_ABSENT);
    column_fill(&markers->thread_id, rows, COLUMN_ABSENT);
    if (!column_cut(&markers->cause_stack, rows) || !column_cut(&markers->cause_time, rows) ||
        !column_cut(&markers->cause_tid, rows))
        processed_out_of_memory(p);
}

/* ---- PROCESSED_PRIVATE_FIELDS: the texts of markers about extensions are taken apart ---- */

/* The extension and the rest of the text of a marker called `name`; false when it has no such text. */
static bool split_extension_text(struct slice name, struct slice text, struct slice *extension, struct slice *rest)
{
    static const char *const calls[] = {", api_call: ", ", api_event: "};
    if (slice_is(name, "Extension Suspend")) {
        const char *by = memmem(text.text, text.length, " by ", 4);
        if (!by)
            return false;
        *rest = slice_until(text, (size_t)(by - text.text));
        *extension = slice_from(text, (size_t)(by - text.text) + 4);
        /* What follows must be one line. */
        return !memchr(extension->text, '\n', extension->length);
    }
    /* The last of them counts, if it is on the first line. */
    const char *newline = memchr(text.text, '\n', text.length);
    size_t first_line = newline ? (size_t)(newline - text.text) : text.length;
    for (size_t at = first_line; at-- > 0;)
        for (size_t i = 0; i < 2; i++)
            if (slice_starts_with(slice_from(text, at), slice_of(calls[i]))) {
                *extension = slice_until(text, at);
                *rest = slice_from(text, at + 2);
                return true;
            }
    return false;
}

/* A payload of type "Text" as one of type "ExtensionText", at the end of the payloads. */
static bool put_extension_text(struct processed *p, struct value_bytes *payloads, size_t start, struct slice extension,
                               struct slice rest)
{
    struct string_table *strings = &p->profile->strings;
    struct string_index type = string_table_find(strings, SLICE("type")), name = string_table_find(strings, SLICE("name"));
    struct string_index id_key = processed_intern(p, SLICE("extensionId"));
    struct string_index id = processed_intern(p, extension), text = processed_intern(p, rest);
    struct string_index new_type = processed_intern(p, SLICE("ExtensionText"));
    struct value_bytes *copy = &p->payload_scratch;
    copy->bytes.count = 0;
    if (!json_ok(p->r) || !value_put_copy(copy, payloads->bytes.items + start))
        return false;
    struct value object = value_read(copy->bytes.items);
    bool had_id = value_find(copy->bytes.items, id_key) != NULL;
    const uint8_t *at = object.rest;
    bool done = value_put_object(payloads, object.count + !had_id);
    for (uint32_t i = 0; i < object.count && done; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        done = value_put_key(payloads, key);
        if (string_same(key, type))
            done = done && value_put_string(payloads, new_type);
        else if (string_same(key, name))
            done = done && value_put_string(payloads, text);
        else if (string_same(key, id_key))
            done = done && value_put_string(payloads, id);
        else
            done = done && value_put_copy(payloads, at);
    }
    return done && (had_id || (value_put_key(payloads, id_key) && value_put_string(payloads, id)));
}

/* The text of a payload of type "Text", or STRING_NONE. */
static struct string_index text_payload(const struct string_table *strings, const uint8_t *payload)
{
    const uint8_t *type = value_find(payload, string_table_find(strings, SLICE("type")));
    const uint8_t *name = value_find(payload, string_table_find(strings, SLICE("name")));
    if (!type || !name || value_read(type).kind != VALUE_STRING || value_read(name).kind != VALUE_STRING ||
        !slice_is(string_table_get(strings, value_read(type).string), "Text"))
        return STRING_NONE;
    return value_read(name).string;
}

/* Where the payload of a marker about an extension is now; `offset` itself for all others. */
static int64_t upgraded_offset(struct processed *p, struct thread *thread, struct slice name, int64_t offset)
{
    struct value_bytes *payloads = &thread->markers.payloads;
    struct string_index text = text_payload(&p->profile->strings, payloads->bytes.items + offset);
    struct slice extension, rest;
    if (!string_exists(text) || !split_extension_text(name, profile_text(p->profile, text), &extension, &rest))
        return offset;
    size_t start = payloads->bytes.count;
    if (!put_extension_text(p, payloads, (size_t)offset, extension, rest))
        processed_out_of_memory(p);
    p->saw_extension_text = true;
    return (int64_t)start;
}

void processed_upgrade_markers(struct processed *p, struct thread *thread)
{
    static const char *const names[] = {"ExtensionParent", "ExtensionChild", "Extension Suspend"};
    struct marker_table *markers = &thread->markers;
    struct string_index found[3];
    bool any = false;
    for (size_t i = 0; i < 3; i++) {
        found[i] = string_table_find(&p->profile->strings, slice_of(names[i]));
        any |= string_exists(found[i]);
    }
    if (p->version >= PROCESSED_PRIVATE_FIELDS || !any || !json_ok(p->r))
        return;
    struct column data;
    column_init(&data, COLUMN_INTEGERS, &p->profile->arena);
    size_t rows = marker_count(markers);
    for (size_t i = 0; i < rows && json_ok(p->r); i++) {
        struct string_index name = string_at(column_get_index(&markers->name, i));
        int64_t offset = column_get(&markers->data, i);
        for (size_t f = 0; offset != COLUMN_ABSENT && f < 3; f++)
            if (string_same(name, found[f])) {
                offset = upgraded_offset(p, thread, slice_of(names[f]), offset);
                break;
            }
        column_append(&data, offset);
    }
    if (data.failed)
        processed_out_of_memory(p);
    column_free(&markers->data);
    markers->data = data;
}
