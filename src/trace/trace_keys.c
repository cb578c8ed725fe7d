#include "trace/trace_keys.h"

#include "common/count.h"

#define KEY(text, key)                                                                                                         \
    {                                                                                                                          \
        {text, sizeof text - 1}, key                                                                                           \
    }

static const struct {
    struct slice text;
    enum trace_key key;
} keys[] = {
    KEY("args", KEY_ARGS),
    KEY("beginData", KEY_BEGIN_DATA),
    KEY("callFrame", KEY_CALL_FRAME),
    KEY("cat", KEY_CAT),
    KEY("children", KEY_CHILDREN),
    KEY("columnNumber", KEY_COLUMN_NUMBER),
    KEY("columns", KEY_COLUMNS),
    KEY("cpuProfile", KEY_CPU_PROFILE),
    KEY("data", KEY_DATA),
    KEY("dataOrigin", KEY_DATA_ORIGIN),
    KEY("dur", KEY_DUR),
    KEY("endTime", KEY_END_TIME),
    KEY("frame", KEY_FRAME),
    KEY("frames", KEY_FRAMES),
    KEY("functionName", KEY_FUNCTION_NAME),
    KEY("global", KEY_GLOBAL),
    KEY("hitCount", KEY_HIT_COUNT),
    KEY("host", KEY_HOST),
    KEY("id", KEY_ID),
    KEY("id2", KEY_ID2),
    KEY("kind", KEY_KIND),
    KEY("labels", KEY_LABELS),
    KEY("lib", KEY_LIB),
    KEY("lineNumber", KEY_LINE_NUMBER),
    KEY("lines", KEY_LINES),
    KEY("local", KEY_LOCAL),
    KEY("metadata", KEY_METADATA),
    KEY("name", KEY_NAME),
    KEY("nodes", KEY_NODES),
    KEY("parent", KEY_PARENT),
    KEY("ph", KEY_PH),
    KEY("pid", KEY_PID),
    KEY("processId", KEY_PROCESS_ID),
    KEY("sampleTraceId", KEY_SAMPLE_TRACE_ID),
    KEY("samples", KEY_SAMPLES),
    KEY("scriptId", KEY_SCRIPT_ID),
    KEY("sort_index", KEY_SORT_INDEX),
    KEY("source", KEY_SOURCE),
    KEY("startTime", KEY_START_TIME),
    KEY("tid", KEY_TID),
    KEY("timeDeltas", KEY_TIME_DELTAS),
    KEY("traceEvents", KEY_TRACE_EVENTS),
    KEY("trace_ids", KEY_TRACE_IDS),
    KEY("ts", KEY_TS),
    KEY("url", KEY_URL),
};

enum trace_key trace_key_look_up(struct slice key)
{
    for (size_t i = 0; i < COUNT(keys); i++)
        if (slice_equal(key, keys[i].text))
            return keys[i].key;
    return KEY_UNKNOWN;
}
