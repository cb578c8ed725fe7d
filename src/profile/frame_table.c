#include "profile/frame_table.h"

struct frame_index frame_table_append(struct frame_table *table, const struct frame *frame)
{
    column_append(&table->address, frame->address);
    column_append_index(&table->lib, frame->lib.i);
    column_append(&table->inline_depth, frame->inline_depth);
    column_append_index(&table->category, frame->category.i);
    column_append_index(&table->subcategory, frame->subcategory);
    column_append_index(&table->func, frame->func.i);
    column_append_index(&table->native_symbol, frame->native_symbol.i);
    column_append_index(&table->implementation, frame->implementation.i);
    column_append(&table->inner_window_id, frame->inner_window_id ? (int64_t)frame->inner_window_id : COLUMN_ABSENT);
    column_append_index(&table->line, frame->line);
    column_append_index(&table->column, frame->column);
    column_append_index(&table->original_location, frame->original_location.i);
    return frame_at(frame_count(table) - 1);
}

struct frame frame_table_get(const struct frame_table *table, struct frame_index index)
{
    int64_t inner_window_id = column_get(&table->inner_window_id, index.i);
    return (struct frame){
        .address = column_get(&table->address, index.i),
        .lib = {column_get_index(&table->lib, index.i)},
        .inline_depth = (uint32_t)column_get(&table->inline_depth, index.i),
        .category = {column_get_index(&table->category, index.i)},
        .subcategory = column_get_index(&table->subcategory, index.i),
        .func = {column_get_index(&table->func, index.i)},
        .native_symbol = {column_get_index(&table->native_symbol, index.i)},
        .implementation = {column_get_index(&table->implementation, index.i)},
        .inner_window_id = inner_window_id == COLUMN_ABSENT ? 0 : (uint64_t)inner_window_id,
        .line = column_get_index(&table->line, index.i),
        .column = column_get_index(&table->column, index.i),
        .original_location = {column_get_index(&table->original_location, index.i)},
    };
}
