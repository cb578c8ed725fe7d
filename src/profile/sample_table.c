#include "profile/sample_table.h"

#include <math.h>

static const char *const weight_type_names[] = {"samples", "tracing-ms", "bytes"};

const char *weight_type_name(enum weight_type type)
{
    return weight_type_names[type];
}

bool weight_type_parse(struct slice name, enum weight_type *type)
{
    for (size_t i = 0; i < sizeof weight_type_names / sizeof *weight_type_names; i++)
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
