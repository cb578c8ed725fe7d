#include "profile/sample_table.h"

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
    *table = (struct sample_table){.weight_type = WEIGHT_SAMPLES};
    column_init(&table->stack, COLUMN_INTEGERS, arena);
    column_init(&table->time, COLUMN_NUMBERS, arena);
    column_init(&table->weight, COLUMN_NUMBERS, arena);
    column_init(&table->cpu_delta, COLUMN_NUMBERS, arena);
    column_init(&table->event_delay, COLUMN_NUMBERS, arena);
    column_init(&table->argument_values, COLUMN_INTEGERS, arena);
}

void sample_table_free(struct sample_table *table)
{
    column_free(&table->stack);
    column_free(&table->time);
    column_free(&table->weight);
    column_free(&table->cpu_delta);
    column_free(&table->event_delay);
    column_free(&table->argument_values);
}

bool sample_table_seal(struct sample_table *table)
{
    return column_seal(&table->stack) & column_seal(&table->time) & column_seal(&table->weight) &
           column_seal(&table->cpu_delta) & column_seal(&table->event_delay) & column_seal(&table->argument_values);
}

size_t sample_table_bytes(const struct sample_table *table)
{
    return column_bytes(&table->stack) + column_bytes(&table->time) + column_bytes(&table->weight) +
           column_bytes(&table->cpu_delta) + column_bytes(&table->event_delay) + column_bytes(&table->argument_values);
}

void sample_table_read_times(const struct sample_table *table, double *out)
{
    size_t count = sample_count(table);
    column_read_numbers(&table->time, 0, count, out);
    if (!table->time_is_deltas)
        return;
    double time = 0;
    for (size_t i = 0; i < count; i++)
        out[i] = time += out[i];
}
