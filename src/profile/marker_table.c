#include "profile/marker_table.h"

void marker_table_init(struct marker_table *table, struct arena *arena)
{
    *table = (struct marker_table){.payloads = {{0}}};
    columns_init(table->columns, MARKER_INTEGER_COLUMNS, COLUMN_INTEGERS, arena);
    columns_init(table->columns + MARKER_INTEGER_COLUMNS, MARKER_COLUMNS - MARKER_INTEGER_COLUMNS, COLUMN_NUMBERS, arena);
}

void marker_table_set_origin(struct marker_table *table, double origin)
{
    column_set_origin(&table->start, origin);
    column_set_origin(&table->end, origin);
    column_set_origin(&table->cause_time, origin);
}

void marker_table_free(struct marker_table *table)
{
    columns_free(table->columns, MARKER_COLUMNS);
    value_bytes_free(&table->payloads);
}

bool marker_table_seal(struct marker_table *table)
{
    vec_trim(&table->payloads.bytes);
    return columns_seal(table->columns, MARKER_COLUMNS);
}

size_t marker_table_bytes(const struct marker_table *table)
{
    return columns_bytes(table->columns, MARKER_COLUMNS) + table->payloads.bytes.capacity;
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
