/* The keys of traces and CPU profiles that mean something to the reader, as numbers.
 *
 * An event or a node says the same keys as the one before it. The JSON reader remembers keys, and lets us note the number of
 * each beside it, so that the text is compared once and not a million times. */
#ifndef SONDE_TRACE_TRACE_KEYS_H
#define SONDE_TRACE_TRACE_KEYS_H

#include "common/json_reader.h"

enum trace_key {
    KEY_UNKNOWN = 1, /* 0 is what the JSON reader says of a key with no note */
    KEY_ARGS,
    KEY_BEGIN_DATA,
    KEY_CALL_FRAME,
    KEY_CAT,
    KEY_CHILDREN,
    KEY_COLUMN_NUMBER,
    KEY_COLUMNS,
    KEY_CPU_PROFILE,
    KEY_DATA,
    KEY_DATA_ORIGIN,
    KEY_DUR,
    KEY_END_TIME,
    KEY_FRAME,
    KEY_FRAMES,
    KEY_FUNCTION_NAME,
    KEY_GLOBAL,
    KEY_HIT_COUNT,
    KEY_HOST,
    KEY_ID,
    KEY_ID2,
    KEY_KIND,
    KEY_LABELS,
    KEY_LIB,
    KEY_LINE_NUMBER,
    KEY_LINES,
    KEY_LOCAL,
    KEY_METADATA,
    KEY_NAME,
    KEY_NODES,
    KEY_PARENT,
    KEY_PH,
    KEY_PID,
    KEY_PROCESS_ID,
    KEY_SAMPLE_TRACE_ID,
    KEY_SAMPLES,
    KEY_SCRIPT_ID,
    KEY_SORT_INDEX,
    KEY_SOURCE,
    KEY_START_TIME,
    KEY_TID,
    KEY_TIME_DELTAS,
    KEY_TRACE_EVENTS,
    KEY_TRACE_IDS,
    KEY_TS,
    KEY_URL,
};

enum trace_key trace_key_look_up(struct slice key);

/* The next key of an object as a number; 0 at its end, or after an error. */
static inline enum trace_key trace_next_key(struct json_reader *json)
{
    struct slice text;
    if (!json_next_key(json, &text))
        return 0;
    uint32_t *note = json_key_note(json, (const void *)trace_key_look_up);
    uint32_t known = note ? *note : 0;
    if (known != 0)
        return (enum trace_key)known;
    enum trace_key key = trace_key_look_up(text);
    if (note)
        *note = key;
    return key;
}

#endif
