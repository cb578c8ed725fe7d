#include "profile/marker_table.h"

void marker_table_init(struct marker_table *table, struct arena *arena)
{
    *table = (struct marker_table){0};
    struct column *integers[] = {&table->name,        &table->phase,     &table->category, &table->data,
                                 &table->cause_stack, &table->cause_tid, &table->thread_id};
    struct column *numbers[] = {&table->start, &table->end, &table->cause_time};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        column_init(integers[i], COLUMN_INTEGERS, arena);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        column_init(numbers[i], COLUMN_NUMBERS, arena);
}

#define ALL_COLUMNS(table)                                                                                                     \
    {                                                                                                                          \
        &(table)->name, &(table)->phase, &(table)->category, &(table)->data, &(table)->cause_stack, &(table)->cause_tid,       \
            &(table)->thread_id, &(table)->start, &(table)->end, &(table)->cause_time                                          \
    }
enum { COLUMN_TOTAL = 10 };

void marker_table_free(struct marker_table *table)
{
    struct column *columns[COLUMN_TOTAL] = ALL_COLUMNS(table);
    for (size_t i = 0; i < COLUMN_TOTAL; i++)
        column_free(columns[i]);
    value_bytes_free(&table->payloads);
}

bool marker_table_seal(struct marker_table *table)
{
    struct column *columns[COLUMN_TOTAL] = ALL_COLUMNS(table);
    bool sealed = true;
    for (size_t i = 0; i < COLUMN_TOTAL; i++)
        sealed &= column_seal(columns[i]);
    return sealed;
}

size_t marker_table_bytes(const struct marker_table *table)
{
    const struct column *columns[COLUMN_TOTAL] = ALL_COLUMNS(table);
    size_t bytes = table->payloads.bytes.capacity;
    for (size_t i = 0; i < COLUMN_TOTAL; i++)
        bytes += column_bytes(columns[i]);
    return bytes;
}

struct marker_index marker_table_append(struct marker_table *table, const struct raw_marker *marker)
{
    column_append_index(&table->name, marker->name.i);
    column_append_number(&table->start, marker->start);
    column_append_number(&table->end, marker->end);
    column_append(&table->phase, marker->phase);
    column_append_index(&table->category, marker->category.i);
    column_append_index(&table->cause_stack, marker->cause_stack.i);
    column_append_number(&table->cause_time, marker->cause_time);
    column_append_index(&table->cause_tid, marker->cause_tid.i);
    column_append_index(&table->thread_id, marker->thread_id.i);
    column_append(&table->data, marker->data ? marker->data - table->payloads.bytes.items : COLUMN_ABSENT);
    return marker_at(marker_count(table) - 1);
}

struct raw_marker marker_table_get(const struct marker_table *table, struct marker_index index)
{
    int64_t data = column_get(&table->data, index.i);
    return (struct raw_marker){
        .name = {column_get_index(&table->name, index.i)},
        .start = column_get_number(&table->start, index.i),
        .end = column_get_number(&table->end, index.i),
        .phase = (enum marker_phase)column_get(&table->phase, index.i),
        .category = {column_get_index(&table->category, index.i)},
        .cause_stack = {column_get_index(&table->cause_stack, index.i)},
        .cause_time = column_get_number(&table->cause_time, index.i),
        .cause_tid = {column_get_index(&table->cause_tid, index.i)},
        .thread_id = {column_get_index(&table->thread_id, index.i)},
        .data = data == COLUMN_ABSENT ? NULL : table->payloads.bytes.items + data,
    };
}
