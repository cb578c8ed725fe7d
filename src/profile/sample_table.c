#include "profile/sample_table.h"

#include <math.h>

static const char *const weight_type_names[] = {"samples", "tracing-ms", "bytes", "blocks", "page faults"};

const char *weight_type_name(enum weight_type type)
{
    return weight_type_names[type];
}

bool weight_type_parse(struct slice name, enum weight_type *type)
{
    for (size_t i = 0; i < WEIGHT_BLOCKS; i++)
        if (slice_equal(name, slice_of(weight_type_names[i]))) {
            *type = (enum weight_type)i;
            return true;
        }
    return false;
}

void sample_table_init(struct sample_table *table, struct arena *arena)
{
    *table = (struct sample_table){.last_time = NAN, .weight_type = WEIGHT_SAMPLES};
    columns_init(table->columns, SAMPLE_INTEGER_COLUMNS, COLUMN_INTEGERS, arena);
    columns_init(table->columns + SAMPLE_INTEGER_COLUMNS, SAMPLE_COLUMNS - SAMPLE_INTEGER_COLUMNS, COLUMN_NUMBERS, arena);
}

void sample_table_free(struct sample_table *table)
{
    columns_free(table->columns, SAMPLE_COLUMNS);
}

bool sample_table_seal(struct sample_table *table)
{
    return columns_seal(table->columns, SAMPLE_COLUMNS);
}

size_t sample_table_bytes(const struct sample_table *table)
{
    return columns_bytes(table->columns, SAMPLE_COLUMNS);
}

void sample_table_read_times(const struct sample_table *table, double *out)
{
    column_read_times(&table->time, table->time_is_deltas, out);
}

/* All of a row's weight is CPU time, or none of it: no other tool weighs its rows like that. */
bool sample_table_weights_precede(const struct sample_table *table)
{
    if (table->weight_type != WEIGHT_TRACING_MS || !sample_table_has(&table->weight) || !sample_table_has(&table->cpu_delta))
        return false;
    for (size_t i = 0; i < sample_count(table); i++) {
        double weight = column_get_number(&table->weight, i), cpu = column_get_number(&table->cpu_delta, i);
        if (!(weight >= 0) || (cpu != 0 && !(fabs(cpu / 1e6 - weight) < 1e-5)))
            return false;
    }
    return true;
}

void sample_table_read_starts(const struct sample_table *table, double *out)
{
    sample_table_read_times(table, out);
    if (!sample_table_weights_precede(table))
        return;
    double before = -INFINITY;
    for (size_t i = 0; i < sample_count(table); i++) {
        double time = out[i];
        out[i] = fmax(before, time - column_get_number(&table->weight, i));
        before = time;
    }
}

bool sample_table_weights_follow(const struct sample_table *table)
{
    if (table->weight_type != WEIGHT_TRACING_MS || !sample_table_has(&table->weight))
        return false;
    double times[COLUMN_BLOCK_ROWS], weights[COLUMN_BLOCK_ROWS], sum = 0, before = NAN, weight = NAN;
    size_t row = 0;
    for (size_t n; (n = column_next_times(&table->time, table->time_is_deltas, row, &sum, times)) > 0; row += n) {
        column_read_numbers(&table->weight, row, n, weights);
        for (size_t i = 0; i < n; i++) {
            if (row + i > 0 && !(fabs(times[i] - before - weight) < 1e-5))
                return false;
            before = times[i];
            weight = weights[i];
        }
    }
    return true;
}

void sample_table_read_durations(const struct sample_table *table, double alone, double *out)
{
    size_t count = sample_count(table);
    if (table->weight_type == WEIGHT_TRACING_MS && sample_table_has(&table->weight)) {
        column_read_numbers(&table->weight, 0, count, out);
        return;
    }
    sample_table_read_times(table, out);
    if (count == 0)
        return;
    double last = count > 1 ? (out[count - 1] - out[0]) / (double)(count - 1) : alone;
    for (size_t i = 0; i + 1 < count; i++)
        out[i] = fmax(0, out[i + 1] - out[i]);
    out[count - 1] = fmax(0, last);
}
