/* Raw markers of a thread, as they were recorded: starts and ends are still apart. src/markers/ joins them. */
#ifndef SONDE_PROFILE_MARKER_TABLE_H
#define SONDE_PROFILE_MARKER_TABLE_H

#include "common/column.h"
#include "common/marker_phase.h"
#include "profile/indices.h"
#include "profile/value.h"

struct raw_marker {
    struct string_index name;
    double start, end; /* ms; NaN = none */
    enum marker_phase phase;
    struct category_index category;
    struct stack_index cause_stack; /* where the marker came from */
    double cause_time;              /* ms; NaN = none */
    struct string_index cause_tid;  /* as text; STRING_NONE = none */
    struct string_index thread_id;  /* as text: which thread it speaks of, where that is another one */
    const uint8_t *data;            /* the payload, a packed object without `cause`; NULL = none */
};

enum { MARKER_INTEGER_COLUMNS = 7, MARKER_COLUMNS = 10 };

struct marker_table {
    union {
        struct {
            struct column name, phase, category, data, cause_stack, cause_tid, thread_id; /* integers */
            struct column start, end, cause_time;                                         /* numbers */
        };
        struct column columns[MARKER_COLUMNS];
    };
    struct value_bytes payloads; /* `data` holds offsets into it */
};

void marker_table_init(struct marker_table *table, struct arena *arena);

/* For a table without rows, of a process that started `origin` ms after the first one: its times take less room then. */
void marker_table_set_origin(struct marker_table *table, double origin);
void marker_table_free(struct marker_table *table);
bool marker_table_seal(struct marker_table *table);
size_t marker_table_bytes(const struct marker_table *table);

static inline size_t marker_count(const struct marker_table *table)
{
    return column_count(&table->name);
}

/* Appends a row. `marker->data` is NULL, or points into `table->payloads` (pack the payload there first). */
struct marker_index marker_table_append(struct marker_table *table, const struct raw_marker *marker);

struct raw_marker marker_table_get(const struct marker_table *table, struct marker_index index);

#endif
