/* Stacks: a frame and the stack it was called from. Parents stand before their children, so one forward pass sees every
 * parent first and one backward pass sees every child first. */
#ifndef SONDE_PROFILE_STACK_TABLE_H
#define SONDE_PROFILE_STACK_TABLE_H

#include "common/column.h"
#include "profile/indices.h"

struct stack_table {
    union {
        struct {
            /* `up` is how many rows before this one the parent stands, 0 for a root: a chain of calls is a run of ones,
             * which packs to nothing, where parent numbers would need three bytes each. */
            struct column up, frame;
        };
        struct column columns[2];
    };
};

static inline size_t stack_count(const struct stack_table *table)
{
    return column_count(&table->frame);
}

/* `prefix` is stack_none() for a root, else a row that exists. */
static inline struct stack_index stack_table_append(struct stack_table *table, struct stack_index prefix,
                                                    struct frame_index frame)
{
    size_t row = stack_count(table);
    column_append(&table->up, stack_exists(prefix) ? (int64_t)(row - prefix.i) : 0);
    column_append_index(&table->frame, frame.i);
    return stack_at(row);
}

static inline struct stack_index stack_prefix(const struct stack_table *table, struct stack_index index)
{
    int64_t up = column_get(&table->up, index.i);
    return up == 0 ? stack_none() : stack_at(index.i - (size_t)up);
}

static inline struct frame_index stack_frame(const struct stack_table *table, struct stack_index index)
{
    return frame_at(column_get_index(&table->frame, index.i));
}

/* All prefixes as plain numbers, INDEX_NONE for roots; `out` has room for stack_count() of them. */
void stack_table_read_prefixes(const struct stack_table *table, uint32_t *out);

#endif
