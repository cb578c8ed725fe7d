#include "trace/profile_read.h"

#include "common/number_text.h"
#include "trace/json_any.h"

#include <math.h>

static const double MAX_WHOLE = 9007199254740992; /* 2^53: up to here every whole number is a double */

static struct string_index keep(struct profile_reader *reader, struct slice text)
{
    struct string_index string = string_table_add(reader->strings, text);
    if (!string_exists(string))
        json_fail_out_of_memory(reader->json);
    return string;
}

bool profile_read_numbers(struct json_reader *json, struct numbers *numbers, double other)
{
    numbers->count = 0;
    if (!any_array(json))
        return false;
    while (json_next_item(json)) {
        double number = other;
        any_number(json, &number);
        if (!vec_push(numbers, number)) {
            json_fail_out_of_memory(json);
            return false;
        }
    }
    return true;
}

/* ---- nodes ---- */

/* Of which `callFrame` says nothing. */
static const struct trace_function NO_FRAME = {-1, -1, {INDEX_NONE}, {INDEX_NONE}, {INDEX_NONE}, {INDEX_NONE}, {INDEX_NONE}};

static struct string_index read_text(struct profile_reader *reader)
{
    struct slice text;
    return any_string(reader->json, &text) ? keep(reader, text) : STRING_NONE;
}

/* V8 writes it as text in profiles and as a number in traces. */
static struct string_index read_script_id(struct profile_reader *reader)
{
    if (json_peek(reader->json) != JSON_NUMBER)
        return read_text(reader);
    char text[NUMBER_TEXT_SIZE];
    size_t length = number_text(json_number(reader->json), text);
    return keep(reader, (struct slice){text, length});
}

static struct string_index read_url(struct profile_reader *reader)
{
    struct slice text;
    return any_string(reader->json, &text) && text.length > 0 ? keep(reader, text) : STRING_NONE;
}

static bool read_frame_key(struct profile_reader *reader, struct trace_function *frame, enum trace_key key)
{
    switch (key) {
    case KEY_FUNCTION_NAME:
        frame->name = read_text(reader);
        return true;
    case KEY_SCRIPT_ID:
        frame->script_id = read_script_id(reader);
        return true;
    case KEY_URL:
        frame->url = read_url(reader);
        return true;
    case KEY_KIND:
        frame->kind = read_text(reader);
        return true;
    case KEY_LIB:
        frame->lib = read_text(reader);
        return true;
    case KEY_LINE_NUMBER:
        any_number(reader->json, &frame->line);
        return true;
    case KEY_COLUMN_NUMBER:
        any_number(reader->json, &frame->column);
        return true;
    default:
        return false;
    }
}

static bool read_frame(struct profile_reader *reader, struct trace_function *frame)
{
    *frame = NO_FRAME;
    if (!any_object(reader->json))
        return false;
    for (enum trace_key key; (key = trace_next_key(reader->json)) != 0;)
        if (!read_frame_key(reader, frame, key))
            json_skip(reader->json);
    return true;
}

/* The ids of a node's children follow those of the nodes before it. */
static void read_children(struct profile_reader *reader, struct trace_profile *profile, struct trace_node *node)
{
    struct json_reader *json = reader->json;
    struct numbers *children = &profile->children;
    if (!any_array(json))
        return;
    size_t first = children->count;
    while (json_next_item(json)) {
        double id;
        if (!any_number(json, &id))
            continue;
        if (children->count >= INDEX_NONE - 1 || !vec_push(children, id)) {
            json_fail_out_of_memory(json);
            return;
        }
    }
    node->first_child = (uint32_t)first;
    node->child_count = (uint32_t)(children->count - first);
}

static void read_node(struct profile_reader *reader, struct trace_profile *profile)
{
    struct json_reader *json = reader->json;
    struct trace_node node = {.id = NAN, .parent = NAN, .child_count = INDEX_NONE};
    double hits = NAN;
    struct trace_function frame, own = NO_FRAME;
    bool has_frame = false;
    if (!any_object(json))
        return;
    for (enum trace_key key; (key = trace_next_key(json)) != 0;)
        switch (key) {
        case KEY_ID:
            any_number(json, &node.id);
            break;
        case KEY_PARENT:
            any_number(json, &node.parent);
            break;
        case KEY_HIT_COUNT:
            any_number(json, &hits);
            break;
        case KEY_CALL_FRAME:
            has_frame = read_frame(reader, &frame);
            break;
        case KEY_CHILDREN:
            read_children(reader, profile, &node);
            break;
        default:
            if (!read_frame_key(reader, &own, key))
                json_skip(json);
        }
    if (!has_frame) {
        /* An older form, where lines and columns count from 1. */
        frame = own;
        frame.line = own.line > 0 ? own.line - 1 : -1;
        frame.column = own.column > 0 ? own.column - 1 : -1;
    }
    if (!json_ok(json))
        return;
    node.function = trace_profile_add_function(profile, &frame);
    if (node.function == INDEX_NONE || profile->nodes.count >= INDEX_NONE - 1 || !vec_push(&profile->nodes, node) ||
        !vec_push(&profile->hits, hits))
        json_fail_out_of_memory(json);
}

static void read_nodes(struct profile_reader *reader, struct trace_profile *profile)
{
    profile->nodes.count = profile->functions.count = profile->hits.count = profile->children.count = 0;
    map_clear(&profile->function_rows);
    if (any_array(reader->json))
        while (json_next_item(reader->json))
            read_node(reader, profile);
}

/* ---- the object ---- */

/* `{"1234": 5, …}`: trace id → node. The engine looks ids up by the text of a number, so that only keys which are the text of
 * a whole number can be found; those beyond 2^53 are never meant by an event. */
static bool parse_trace_id(struct slice text, double *id)
{
    if (text.length == 0 || text.length > 16 || (text.text[0] == '0' && text.length > 1))
        return false;
    double value = 0;
    for (size_t i = 0; i < text.length; i++) {
        unsigned digit = json_digit(text.text[i]);
        if (digit > 9)
            return false;
        value = value * 10 + digit;
    }
    *id = value;
    return value <= MAX_WHOLE;
}

static void read_stacks(struct json_reader *json, struct trace_profile *profile)
{
    profile->stacks.count = 0;
    if (!any_object(json))
        return;
    for (struct slice key; json_next_key(json, &key);) {
        struct trace_stack stack;
        bool is_id = parse_trace_id(key, &stack.trace_id);
        if (any_number(json, &stack.node) && is_id && !vec_push(&profile->stacks, stack)) {
            json_fail_out_of_memory(json);
            return;
        }
    }
}

bool profile_read_key(struct profile_reader *reader, struct trace_profile *profile, enum trace_key key)
{
    struct json_reader *json = reader->json;
    switch (key) {
    case KEY_NODES:
        profile->has_nodes = true;
        read_nodes(reader, profile);
        return true;
    case KEY_SAMPLES:
        profile->has_samples = profile_read_numbers(json, &profile->samples, NAN);
        return true;
    case KEY_TIME_DELTAS:
        profile->has_deltas = profile_read_numbers(json, &profile->deltas, 0);
        return true;
    case KEY_LINES:
        profile_read_numbers(json, &profile->lines, 0);
        return true;
    case KEY_COLUMNS:
        profile_read_numbers(json, &profile->columns, 0);
        return true;
    case KEY_KIND:
        profile->is_timed = slice_is(string_table_get(reader->strings, read_text(reader)), "time");
        return true;
    case KEY_START_TIME:
        any_number(json, &profile->start);
        return true;
    case KEY_END_TIME:
        any_number(json, &profile->end);
        return true;
    case KEY_TRACE_IDS:
        read_stacks(json, profile);
        return true;
    default:
        return false;
    }
}

void profile_clear(struct trace_profile *profile)
{
    profile->start = profile->end = 0;
    profile->nodes.count = 0;
    profile->functions.count = 0;
    profile->hits.count = 0;
    map_clear(&profile->function_rows);
    profile->children.count = 0;
    profile->samples.count = 0;
    profile->deltas.count = 0;
    profile->lines.count = 0;
    profile->columns.count = 0;
    profile->stacks.count = 0;
    map_clear(&profile->stack_of_trace_id);
    profile->has_nodes = profile->has_samples = profile->has_deltas = profile->is_timed = false;
}

bool profile_read(struct profile_reader *reader, struct trace_profile *profile)
{
    profile_clear(profile);
    if (!any_object(reader->json))
        return false;
    for (enum trace_key key; (key = trace_next_key(reader->json)) != 0;)
        if (!profile_read_key(reader, profile, key))
            json_skip(reader->json);
    return true;
}
