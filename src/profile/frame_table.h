/* Frames: a place inside a function. Several frames can belong to one func. */
#ifndef SONDE_PROFILE_FRAME_TABLE_H
#define SONDE_PROFILE_FRAME_TABLE_H

#include "common/column.h"
#include "profile/indices.h"

struct frame {
    int64_t address; /* relative to the library; COLUMN_ABSENT = none */
    struct lib_index lib;
    uint32_t inline_depth; /* 0 = not inlined */
    struct category_index category;
    uint32_t subcategory; /* INDEX_NONE = none */
    struct func_index func;
    struct native_symbol_index native_symbol;
    struct string_index implementation; /* how a script ran: "interpreter", "baseline", … */
    uint64_t inner_window_id;           /* 0 = none */
    uint32_t line, column;              /* INDEX_NONE = unknown */
    struct location_index original_location;
};

struct frame_table {
    union {
        struct {
            struct column address, lib, inline_depth, category, subcategory, func, native_symbol, implementation,
                inner_window_id, line, column, original_location;
        };
        struct column columns[12];
    };
};

static inline size_t frame_count(const struct frame_table *table)
{
    return column_count(&table->func);
}

struct frame_index frame_table_append(struct frame_table *table, const struct frame *frame);
struct frame frame_table_get(const struct frame_table *table, struct frame_index index);

static inline struct func_index frame_func(const struct frame_table *table, struct frame_index index)
{
    return func_at(column_get_index(&table->func, index.i));
}

#endif
