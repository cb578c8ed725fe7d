/* The arguments of trace events as payloads of markers.
 *
 *     "args": {"data": {"url": "a.js", "type": "x"}, "beginData": {"frame": "F1"}}
 *       ──▶   {"type": "EventName", "url": "a.js", "type2": "x", "beginData.frame": "F1"}
 *
 * The type of a payload is the name of its event, and has a schema with all the fields that occur, so that the Firefox Profiler
 * shows them; objects in `args` are made flat for it. Of events that belong together by an id (phases b, n and e) the id is
 * kept as `asyncId`, so that exporting them writes such events again. */
#ifndef SONDE_IMPORT_TRACE_PAYLOAD_H
#define SONDE_IMPORT_TRACE_PAYLOAD_H

#include "common/error.h"
#include "profile/profile.h"

/* What the values of a field were. */
enum trace_field_kinds {
    TRACE_FIELD_TEXT = 1, /* or true or false */
    TRACE_FIELD_INTEGER = 2,
    TRACE_FIELD_NUMBER = 4,
    TRACE_FIELD_LIST = 8,
    TRACE_FIELD_OTHER = 16, /* what cannot be shown in a line */
};

struct trace_field {
    uint32_t type; /* row */
    struct string_index key;
    unsigned kinds;
    uint32_t next;    /* of the same type; INDEX_NONE = last */
    uint64_t payload; /* number of the last one that has it */
};

struct trace_type {
    struct string_index event; /* its name */
    struct string_index name;  /* the `type` of payloads */
    uint32_t first, last;      /* fields */
};

/* A key below another one. */
struct trace_path {
    struct string_index outer, key, joined;
};

struct trace_payloads {
    struct profile *profile;
    struct value_bytes arguments; /* of all events, packed */
    size_t *places;               /* by row of trace.arguments: where in `arguments` */
    VEC(struct trace_type) types;
    VEC(struct trace_field) fields;
    VEC(struct trace_path) paths;
    struct map type_rows, field_rows, path_rows;
    struct string_index type_key, type_key_2, cause_key, cause_key_2, data_key, async_key;
    uint64_t count; /* of payloads so far */
};

/* `payloads` is zeroed, and to be freed in any case. False when the heap is empty. */
bool trace_payloads_init(struct trace_payloads *payloads, struct profile *profile);

/* Packs the arguments of a trace, `count` JSON texts. 0 or a negative errno. */
int trace_payloads_pack(struct trace_payloads *payloads, const struct slice *texts, size_t count, struct error *error);
void trace_payloads_free(struct trace_payloads *payloads);

/* The packed arguments of a row; NULL for INDEX_NONE. */
static inline const uint8_t *trace_payloads_arguments(const struct trace_payloads *payloads, uint32_t row)
{
    return row == INDEX_NONE ? NULL : payloads->arguments.bytes.items + payloads->places[row];
}

/* Packs the payload of an event of this name at the end of `out`, with its id (STRING_NONE = none) and the arguments of up to
 * two rows; where both have a key that of the first counts. Nothing where there are none (`*has` says it). False when the heap
 * is empty. */
bool trace_payloads_put(struct trace_payloads *payloads, struct value_bytes *out, struct string_index event,
                        struct string_index async_id, uint32_t first, uint32_t second, bool *has);

/* Adds the schemas of all types so far to the profile. False when the heap is empty. */
bool trace_payloads_add_schemas(struct trace_payloads *payloads);

#endif
