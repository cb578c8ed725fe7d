/* Payloads of markers: objects of any shape, most of them packed as they are. */
#include "import/gecko_state.h"

#include <math.h>

/* ---- types that need a second look ---- */

enum special_type {
    TYPE_PLAIN,
    TYPE_WITH_STRINGS, /* its schema has fields that are numbers of strings */
    TYPE_SCREENSHOT,
    TYPE_NETWORK,
    TYPE_GC_SLICE,
    TYPE_GC_MAJOR,
    TYPE_IPC,
    TYPE_JS_ALLOCATION,
    TYPE_NATIVE_ALLOCATION,
};

static const struct {
    struct slice name;
    enum special_type type;
} known_types[] = {
    {{"CompositorScreenshot", 20}, TYPE_SCREENSHOT},
    {{"Network", 7}, TYPE_NETWORK},
    {{"GCSlice", 7}, TYPE_GC_SLICE},
    {{"GCMajor", 7}, TYPE_GC_MAJOR},
    {{"IPC", 3}, TYPE_IPC},
    {{"JS allocation", 13}, TYPE_JS_ALLOCATION},
    {{"Native allocation", 17}, TYPE_NATIVE_ALLOCATION},
};

static bool mark_type(struct gecko *gecko, struct string_index type, enum special_type special)
{
    if (!string_exists(type))
        return true;
    if (!vec_reserve(&gecko->special_types, type.i + 1))
        return false;
    while (gecko->special_types.count <= type.i)
        gecko->special_types.items[gecko->special_types.count++] = TYPE_PLAIN;
    gecko->special_types.items[type.i] = (uint8_t)special;
    return true;
}

bool gecko_note_special_types(struct gecko *gecko)
{
    const struct marker_schema_list *schemas = &gecko->profile->schemas;
    for (size_t i = 0; i < schemas->rows.count; i++) {
        const struct marker_schema *schema = &schemas->rows.items[i];
        bool has_strings = false;
        for (size_t field = 0; field < schema->fields.count; field++)
            has_strings |= field_format_is_string_index(schema->fields.items[field].format);
        if (has_strings && !mark_type(gecko, schema->name, TYPE_WITH_STRINGS))
            return false;
    }
    for (size_t i = 0; i < sizeof known_types / sizeof *known_types; i++) {
        struct string_index type = string_table_add(&gecko->profile->strings, known_types[i].name);
        if (!string_exists(type) || !mark_type(gecko, type, known_types[i].type))
            return false;
    }
    return true;
}

static enum special_type special_type(const struct gecko *gecko, struct string_index type)
{
    return type.i < gecko->special_types.count ? (enum special_type)gecko->special_types.items[type.i] : TYPE_PLAIN;
}

/* ---- looking into packed values ---- */

static const uint8_t *find(const struct gecko *gecko, const uint8_t *object, const char *key)
{
    return value_find(object, string_table_find(&gecko->profile->strings, slice_of(key)));
}

static double find_number(const struct gecko *gecko, const uint8_t *object, const char *key, double absent)
{
    const uint8_t *at = find(gecko, object, key);
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    double number;
    return value_as_number(&value, &number) ? number : absent;
}

static struct string_index find_string(const struct gecko *gecko, const uint8_t *object, const char *key)
{
    const uint8_t *at = find(gecko, object, key);
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    return value.kind == VALUE_STRING ? value.string : STRING_NONE;
}

/* ---- the second look ---- */

static bool is_network_time(struct slice key)
{
    static const char *const keys[] = {"domainLookupStart", "domainLookupEnd",       "connectStart",
                                       "tcpConnectEnd",     "secureConnectionStart", "connectEnd",
                                       "requestStart",      "responseStart",         "responseEnd"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (slice_equal(key, slice_of(keys[i])))
            return true;
    return false;
}

static bool put_name(struct gecko *gecko, struct value_bytes *out, struct slice name)
{
    struct string_index key = string_table_add(&gecko->profile->strings, name);
    return string_exists(key) && value_put_key(out, key);
}

/* The numbers of an object times 1000: phase times come in milliseconds and are kept in microseconds. */
static bool put_phase_times(struct value_bytes *out, const uint8_t *at)
{
    struct value times = at ? value_read(at) : (struct value){.kind = VALUE_OBJECT, .count = 0};
    if (times.kind != VALUE_OBJECT)
        return value_put_copy(out, at);
    if (!value_put_object(out, times.count))
        return false;
    const uint8_t *item = times.rest;
    for (uint32_t i = 0; i < times.count; i++) {
        struct string_index key = value_read_key(&item);
        struct value value = value_read(item);
        double number;
        if (!value_put_key(out, key) ||
            !(value_as_number(&value, &number) ? value_put_number(out, number * 1000) : value_put_copy(out, item)))
            return false;
        item = value_skip(item);
    }
    return true;
}

/* The timings of a slice or of a whole collection: `times` or `totals` becomes `phase_times`, at the end. */
static bool put_gc_timings(struct gecko *gecko, struct value_bytes *out, const uint8_t *at, enum special_type type)
{
    struct value timings = value_read(at);
    if (timings.kind != VALUE_OBJECT)
        return value_put_copy(out, at);
    const char *times_key = type == TYPE_GC_MAJOR ? "totals" : "times";
    const uint8_t *times = find(gecko, at, times_key);
    struct string_index status = find_string(gecko, at, "status");
    if (type == TYPE_GC_MAJOR && slice_is(profile_text(gecko->profile, status), "aborted"))
        return value_put_object(out, 1) && put_name(gecko, out, SLICE("status")) && value_put_string(out, status);
    if (!value_put_object(out, timings.count + (times ? 0 : 1)))
        return false;
    const uint8_t *item = timings.rest;
    for (uint32_t i = 0; i < timings.count; i++, item = value_skip(item)) {
        struct string_index key = value_read_key(&item);
        struct slice name = profile_text(gecko->profile, key);
        struct value value = value_read(item);
        double number;
        if (item == times)
            continue;
        bool percent = type == TYPE_GC_MAJOR && (slice_is(name, "mmu_20ms") || slice_is(name, "mmu_50ms"));
        if (!value_put_key(out, key) ||
            !(percent && value_as_number(&value, &number) ? value_put_number(out, number / 100) : value_put_copy(out, item)))
            return false;
    }
    return put_name(gecko, out, SLICE("phase_times")) && put_phase_times(out, times);
}

static bool is_string_number(const struct gecko *gecko, const struct marker_schema *schema, enum special_type type,
                             struct string_index key)
{
    if (type == TYPE_SCREENSHOT && slice_is(profile_text(gecko->profile, key), "url"))
        return true;
    const struct schema_field *field = schema ? marker_schema_field(schema, key) : NULL;
    return field && field_format_is_string_index(field->format);
}

/* A place for the string that has this number in the thread; a number that is none stays. */
static bool put_string_number(struct gecko *gecko, struct value_bytes *out, double number)
{
    if (!(number >= 0 && number < INDEX_NONE && number == (double)(uint32_t)number))
        return value_put_number(out, number);
    struct string_reference reference = {.string = (uint32_t)number};
    return value_put_string_place(out, &reference.place) && vec_push(&gecko->thread.references, reference);
}

/* A member of a payload, brought to the form of the profile; strings are left open, their places relative to `out`. */
static bool put_member(struct gecko *gecko, struct value_bytes *out, enum special_type type, const struct marker_schema *schema,
                       struct string_index key, const uint8_t *at)
{
    struct slice name = profile_text(gecko->profile, key);
    struct value value = value_read(at);
    double number;
    if (value_as_number(&value, &number) && is_string_number(gecko, schema, type, key))
        return put_string_number(gecko, out, number);
    if (type == TYPE_NETWORK && is_network_time(name) && value_as_number(&value, &number))
        return value_put_number(out, number + gecko->process.shift);
    if ((type == TYPE_GC_SLICE || type == TYPE_GC_MAJOR) && slice_is(name, "timings"))
        return put_gc_timings(gecko, out, at, type);
    if (type == TYPE_IPC && slice_is(name, "otherPid") && value.kind == VALUE_INTEGER) {
        struct string_index pid = gecko_add_number(gecko, value.integer);
        return string_exists(pid) && value_put_string(out, pid);
    }
    return value_put_copy(out, at);
}

/* Packs the payload at `start`, the last in `payloads`, anew. */
static bool rewrite(struct gecko *gecko, struct value_bytes *payloads, size_t start, struct string_index type,
                    enum special_type special)
{
    struct value_bytes *out = &gecko->scratch;
    const struct marker_schema *schema = marker_schema_find(&gecko->profile->schemas, type);
    struct value payload = value_read(payloads->bytes.items + start);
    size_t first_reference = gecko->thread.references.count;
    out->bytes.count = 0;
    if (!value_put_object(out, payload.count))
        return false;
    const uint8_t *at = payload.rest;
    for (uint32_t i = 0; i < payload.count; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        if (!value_put_key(out, key) || !put_member(gecko, out, special, schema, key, at))
            return false;
    }
    for (size_t i = first_reference; i < gecko->thread.references.count; i++)
        gecko->thread.references.items[i].place += start;
    payloads->bytes.count = start;
    return value_put_bytes(payloads, out->bytes.items, out->bytes.count);
}

static bool take_allocation(struct gecko *gecko, const uint8_t *payload, enum special_type type, uint32_t stack)
{
    struct gecko_thread *staged = &gecko->thread;
    const uint8_t *in_nursery = find(gecko, payload, "inNursery");
    double thread_id = find_number(gecko, payload, "threadId", NAN);
    struct staged_allocation row = {
        .time = NAN,
        .weight = find_number(gecko, payload, "size", 0),
        .memory_address = find_number(gecko, payload, "memoryAddress", NAN),
        .thread_id = fabs(thread_id) < 9e15 ? (int64_t)thread_id : COLUMN_ABSENT,
        .stack = stack,
        .class_name = find_string(gecko, payload, "className"),
        .type_name = find_string(gecko, payload, "typeName"),
        .coarse_type = find_string(gecko, payload, "coarseType"),
        .in_nursery = in_nursery && value_read(in_nursery).kind == VALUE_TRUE,
    };
    if (type == TYPE_JS_ALLOCATION)
        return vec_push(&staged->js_allocations, row);
    if (staged->native_allocations.count == 0)
        staged->balanced = !isnan(row.memory_address);
    return vec_push(&staged->native_allocations, row);
}

/* ---- reading ---- */

static bool is_shifted(const struct gecko *gecko, struct string_index key)
{
    return gecko->process.is_child && (string_same(key, gecko->names.start_time) || string_same(key, gecko->names.end_time));
}

/* A payload while it is read. */
struct payload {
    size_t start; /* in the payloads */
    struct string_index type;
    const struct marker_schema *schema; /* of a type that has strings by number; they are put in place at once */
    bool late_type;                     /* something that may depend on the type came before it */
};

static void note_type(struct gecko *gecko, struct payload *payload, const struct value *value, bool first)
{
    payload->type = value->kind == VALUE_STRING ? value->string : STRING_NONE;
    payload->late_type = !first;
    if (special_type(gecko, payload->type) == TYPE_WITH_STRINGS)
        payload->schema = marker_schema_find(&gecko->profile->schemas, payload->type);
}

/* The value under `key`, packed; `first` says that it is the first member. */
static bool read_member(struct gecko *gecko, struct json_reader *r, struct value_bytes *payloads, struct string_index key,
                        struct payload *payload, bool first)
{
    if (payload->schema && is_string_number(gecko, payload->schema, TYPE_WITH_STRINGS, key) && json_peek(r) == JSON_NUMBER &&
        !payload->late_type)
        return put_string_number(gecko, payloads, json_number(r));
    if (is_shifted(gecko, key) && json_peek(r) == JSON_NUMBER)
        return value_put_number(payloads, json_number(r) + gecko->process.shift);
    size_t at = payloads->bytes.count;
    value_from_json(r, &gecko->profile->strings, payloads);
    if (!json_ok(r))
        return true;
    bool is_type = string_same(key, gecko->names.type);
    if (!is_type && !string_same(key, gecko->names.inner_window_id))
        return true;
    struct value value = value_read(payloads->bytes.items + at);
    double id;
    if (is_type)
        note_type(gecko, payload, &value, first);
    else if (value_as_number(&value, &id))
        return window_set_add(&gecko->thread.payload_windows, gecko_window(id));
    return true;
}

/* Packs the members of the object that `r` stands in: how many, or UINT32_MAX when the heap is empty. */
static uint32_t read_members(struct gecko *gecko, struct json_reader *r, struct value_bytes *payloads, struct payload *payload,
                             struct staged_marker *marker)
{
    uint32_t count = 0, repeats = 0;
    bool first = true; /* windows and stacks, which all types may have, do not count */
    for (struct slice text; json_next_key(r, &text);) {
        bool repeated = json_key_repeated(r);
        size_t at = payloads->bytes.count;
        struct string_index key = value_intern_key(r, text, &gecko->profile->strings);
        if (!string_exists(key) || !value_put_key(payloads, key))
            return UINT32_MAX;
        size_t value = payloads->bytes.count;
        bool is_stack = string_same(key, gecko->names.stack) && json_peek(r) == JSON_OBJECT;
        if (!(is_stack ? gecko_read_backtrace(gecko, r, payloads, marker)
                       : read_member(gecko, r, payloads, key, payload, first)))
            return UINT32_MAX;
        if (!json_ok(r))
            break;
        if (payloads->bytes.count == value) { /* the marker has it */
            payloads->bytes.count = at;
            continue;
        }
        count++;
        first &= string_same(key, gecko->names.inner_window_id);
        if (!repeated)
            continue;
        if (payload->schema) {
            /* Places of strings in it would move. Only payloads of garbage collections are known to repeat keys. */
            json_fail(r, "a key of a payload with strings occurs twice");
            break;
        }
        if (!value_merge_repeated_key(payloads, payload->start, &count, at))
            return UINT32_MAX;
        if (++repeats > VALUE_MAX_REPEATED_KEYS)
            json_fail(r, "too many repeated keys in one object");
    }
    return count;
}

bool gecko_read_payload(struct gecko *gecko, struct json_reader *r, struct value_bytes *payloads, struct staged_marker *marker)
{
    if (json_peek(r) != JSON_OBJECT) {
        json_skip(r);
        return true;
    }
    json_begin_object(r);
    struct payload payload = {.start = value_open(payloads), .type = STRING_NONE};
    size_t start = payload.start;
    uint32_t count = start != SIZE_MAX ? read_members(gecko, r, payloads, &payload, marker) : UINT32_MAX;
    if (count == UINT32_MAX || !value_close_object(payloads, start, count)) {
        json_fail_out_of_memory(r);
        return true;
    }
    if (!json_ok(r))
        return true;
    enum special_type special = special_type(gecko, payload.type);
    if (special == TYPE_JS_ALLOCATION || special == TYPE_NATIVE_ALLOCATION) {
        if (!take_allocation(gecko, payloads->bytes.items + start, special, marker->cause_stack))
            json_fail_out_of_memory(r);
        payloads->bytes.count = start;
        return false;
    }
    bool done = special == TYPE_PLAIN || (special == TYPE_WITH_STRINGS && !payload.late_type);
    if (!done && !rewrite(gecko, payloads, start, payload.type, special))
        json_fail_out_of_memory(r);
    marker->data = start;
    return true;
}
