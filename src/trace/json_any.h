/* Values from traces, where anything may stand anywhere: what is not of the kind that is wanted is passed over and said so. */
#ifndef SONDE_TRACE_JSON_ANY_H
#define SONDE_TRACE_JSON_ANY_H

#include "common/json_reader.h"

/* False, and `*value` as it was, where something else than a number comes. */
static inline bool any_number(struct json_reader *json, double *value)
{
    if (__builtin_expect(json_peek(json) != JSON_NUMBER, 0)) {
        json_skip(json);
        return false;
    }
    *value = json_number(json);
    return true;
}

static inline bool any_string(struct json_reader *json, struct slice *text)
{
    if (__builtin_expect(json_peek(json) != JSON_STRING, 0)) {
        json_skip(json);
        return false;
    }
    *text = json_string(json);
    return true;
}

static inline bool any_object(struct json_reader *json)
{
    if (__builtin_expect(json_peek(json) != JSON_OBJECT, 0)) {
        json_skip(json);
        return false;
    }
    return json_begin_object(json);
}

static inline bool any_array(struct json_reader *json)
{
    if (__builtin_expect(json_peek(json) != JSON_ARRAY, 0)) {
        json_skip(json);
        return false;
    }
    return json_begin_array(json);
}

#endif
