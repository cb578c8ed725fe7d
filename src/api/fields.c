#include "api/fields.h"

#include "common/json_text.h"
#include "tree/search_terms.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

int fault_set(struct fault *fault, const char *code, const char *field, const char *format, ...)
{
    if (fault->code)
        return -EINVAL;
    va_list arguments;
    va_start(arguments, format);
    error_set_va(&fault->what, -EINVAL, format, arguments);
    va_end(arguments);
    fault->code = code;
    text_copy(fault->field, sizeof fault->field, field);
    return -EINVAL;
}

/* "asks[2].before" */
static void name_field(const struct fields *fields, char *name, size_t size)
{
    snprintf(name, size, "%s%s%s", fields->object, fields->object[0] && fields->key[0] ? "." : "", fields->key);
}

bool fields_next(struct fields *fields, struct slice *key)
{
    fields->key[0] = '\0';
    if (!json_next_key(fields->reader, key))
        return false;
    size_t length = key->length < sizeof fields->key ? key->length : sizeof fields->key - 1;
    if (length > 0)
        memcpy(fields->key, key->text, length);
    fields->key[length] = '\0';
    return true;
}

void fields_fail(struct fields *fields, const char *wanted)
{
    /* What is wrong with the JSON itself is said as such. */
    if (!json_ok(fields->reader))
        return;
    char name[80];
    name_field(fields, name, sizeof name);
    fault_set(fields->fault, "invalid", name, "%s: %s", name, wanted);
    json_fail(fields->reader, "stopped");
}

void fields_out_of_memory(struct fields *fields)
{
    json_fail_out_of_memory(fields->reader);
}

double fields_time(struct fields *fields)
{
    if (json_peek(fields->reader) != JSON_NUMBER) {
        fields_fail(fields, "a number is wanted");
        return 0;
    }
    double time = json_number(fields->reader);
    /* So that sums and differences of times stay far from what a double can hold. */
    if (!(fabs(time) <= 1e15)) {
        fields_fail(fields, "a time in ms is wanted, no more than 1e15");
        return 0;
    }
    return time;
}

int64_t fields_item(struct fields *fields, int64_t least, int64_t most)
{
    bool is_number = json_peek(fields->reader) == JSON_NUMBER;
    double number = is_number ? json_number(fields->reader) : 0;
    if (is_number && number >= (double)least && number <= (double)most && number == floor(number))
        return (int64_t)number;
    char wanted[80];
    snprintf(wanted, sizeof wanted, "a whole number from %lld to %lld is wanted", (long long)least, (long long)most);
    fields_fail(fields, wanted);
    return 0;
}

uint32_t fields_count(struct fields *fields, uint32_t least, uint32_t most)
{
    return (uint32_t)fields_item(fields, least, most);
}

bool fields_boolean(struct fields *fields)
{
    enum json_kind kind = json_peek(fields->reader);
    if (kind != JSON_TRUE && kind != JSON_FALSE) {
        fields_fail(fields, "true or false is wanted");
        return false;
    }
    return json_boolean(fields->reader);
}

struct slice fields_text(struct fields *fields, size_t most)
{
    if (json_peek(fields->reader) != JSON_STRING) {
        fields_fail(fields, "a text is wanted");
        return SLICE("");
    }
    struct slice text = json_string(fields->reader);
    if (text.length > most) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, "a text of at most %zu bytes is wanted", most);
        fields_fail(fields, wanted);
        return SLICE("");
    }
    char *copy = arena_copy(fields->arena, text.length > 0 ? text.text : "", text.length);
    if (!copy)
        fields_out_of_memory(fields);
    return copy ? (struct slice){copy, text.length} : SLICE("");
}

struct slice fields_search(struct fields *fields, size_t most)
{
    struct slice text = fields_text(fields, most);
    struct error error = {0};
    int status = search_terms_check(text, &error);
    if (status == -ENOMEM)
        fields_out_of_memory(fields);
    else if (status != 0)
        fields_fail(fields, error.message);
    return text;
}

/* "a, b or c is wanted" */
static void fail_choice(struct fields *fields, const char *const *names)
{
    char wanted[300];
    size_t length = 0;
    for (size_t i = 0; names[i] && length < sizeof wanted; i++) {
        const char *between = i == 0 ? "" : names[i + 1] ? ", " : " or ";
        length += (size_t)snprintf(wanted + length, sizeof wanted - length, "%s\"%s\"", between, names[i]);
    }
    if (length < sizeof wanted)
        snprintf(wanted + length, sizeof wanted - length, " is wanted");
    fields_fail(fields, wanted);
}

unsigned fields_choice(struct fields *fields, const char *const *names)
{
    struct slice text = json_peek(fields->reader) == JSON_STRING ? json_string(fields->reader) : SLICE("");
    for (unsigned i = 0; names[i]; i++)
        if (slice_equal(text, slice_of(names[i])))
            return i;
    fail_choice(fields, names);
    return 0;
}

void fields_funcs(struct fields *fields, struct path *path)
{
    if (json_peek(fields->reader) != JSON_ARRAY) {
        fields_fail(fields, "an array of functions is wanted");
        return;
    }
    json_begin_array(fields->reader);
    while (json_next_item(fields->reader)) {
        uint32_t func = (uint32_t)fields_item(fields, 0, UINT32_MAX - 1);
        if (!path_push(path, func))
            fields_out_of_memory(fields);
    }
}

void fields_range(struct fields *fields, struct time_range *range)
{
    if (json_null(fields->reader))
        return;
    double *const sides[] = {&range->start, &range->end};
    size_t count = 0;
    if (json_peek(fields->reader) != JSON_ARRAY) {
        fields_fail(fields, "[start, end] in ms is wanted");
        return;
    }
    json_begin_array(fields->reader);
    while (json_next_item(fields->reader)) {
        if (count == 2)
            fields_fail(fields, "[start, end] in ms is wanted");
        else if (!json_null(fields->reader))
            *sides[count] = fields_time(fields);
        count++;
    }
    if (count != 2)
        fields_fail(fields, "[start, end] in ms is wanted");
    if (range->start > range->end)
        fields_fail(fields, "the start is after the end");
}
