/* Samples of a thread: which stack it was on, and when. */
#ifndef SONDE_PROFILE_SAMPLE_TABLE_H
#define SONDE_PROFILE_SAMPLE_TABLE_H

#include "common/column.h"
#include "profile/indices.h"

/* What a weight counts. */
enum weight_type {
    WEIGHT_SAMPLES,
    WEIGHT_TRACING_MS,
    WEIGHT_BYTES,
    WEIGHT_BLOCKS, /* allocations: in no file … */
    WEIGHT_FAULTS, /* … nor are page faults */
};

/* "samples", "tracing-ms", "bytes", "blocks", "page faults" */
const char *weight_type_name(enum weight_type type);
bool weight_type_parse(struct slice name, enum weight_type *type);

enum { SAMPLE_INTEGER_COLUMNS = 2, SAMPLE_COLUMNS = 6 };

struct sample_table {
    /* An optional column is either as long as the table or has no rows at all. */
    union {
        struct {
            struct column stack;           /* integers; absent = nothing known of this moment */
            struct column argument_values; /* integers, optional: handed on only */
            struct column time;            /* numbers: times, or time deltas, in ms */
            struct column weight;          /* numbers, optional: without it each sample weighs 1 */
            struct column cpu_delta;       /* numbers, optional: CPU time since the sample before, in meta.cpu_unit */
            struct column event_delay;     /* numbers, optional: how long an event would have waited, in ms */
        };
        struct column columns[SAMPLE_COLUMNS];
    };
    double last_time; /* what all deltas add up to, where the importer knows it; NaN otherwise */
    enum weight_type weight_type;
    bool times_ascend;                  /* the importer saw that no delta but the first is below zero, and knows `last_time` */
    bool time_is_deltas;                /* each row of `time` is the difference to the row before it (to 0 for the first) */
    bool event_delay_is_responsiveness; /* its name in older profiles, with another meaning of small values */
};

void sample_table_init(struct sample_table *table, struct arena *arena);
void sample_table_free(struct sample_table *table);
bool sample_table_seal(struct sample_table *table);
size_t sample_table_bytes(const struct sample_table *table);

static inline size_t sample_count(const struct sample_table *table)
{
    return column_count(&table->stack);
}

static inline bool sample_table_has(const struct column *optional)
{
    return column_count(optional) > 0;
}

/* All times in ms; `out` has room for sample_count() of them. */
void sample_table_read_times(const struct sample_table *table, double *out);

/* Mostly a thread is on the stack of a row from its time on, until the next row. But rows of Sonde's own recordings stand for
 * the time before them, which is their weight. */
bool sample_table_weights_precede(const struct sample_table *table);

/* When what each row stands for began, in ms. */
void sample_table_read_starts(const struct sample_table *table, double *out);

/* Whether the weight of each row is the time until the next, as that of V8's samples. */
bool sample_table_weights_follow(const struct sample_table *table);

/* How long each row stands for, in ms: its weight where that is a time, else until the next row; the last one the mean of
 * those before it, a single one `alone`. */
void sample_table_read_durations(const struct sample_table *table, double alone, double *out);

#endif
