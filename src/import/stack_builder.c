#include "import/stack_builder.h"

uint32_t stack_builder_add(struct stack_builder *builder, uint32_t prefix, uint32_t frame)
{
    uint64_t hash = hash_u64((uint64_t)prefix << 32 | frame);
    uint32_t row;
    for (struct map_probe probe = map_probe(&builder->by_key, hash); map_probe_next(&probe, &row);)
        if (builder->rows.items[row].prefix == prefix && builder->rows.items[row].frame == frame)
            return row;
    size_t count = builder->rows.count;
    struct built_stack stack = {prefix, frame};
    if (count >= INDEX_NONE - 1 || !vec_push(&builder->rows, stack))
        return INDEX_NONE;
    if (!map_insert(&builder->by_key, hash, (uint32_t)count)) {
        builder->rows.count--;
        return INDEX_NONE;
    }
    return (uint32_t)count;
}

void stack_builder_append_to(const struct stack_builder *builder, uint32_t first_frame, struct stack_table *table)
{
    size_t first = stack_count(table);
    for (size_t i = 0; i < builder->rows.count; i++) {
        struct built_stack stack = builder->rows.items[i];
        stack_table_append(table, stack.prefix == INDEX_NONE ? stack_none() : stack_at(first + stack.prefix),
                           frame_at(first_frame + stack.frame));
    }
}

void stack_builder_free(struct stack_builder *builder)
{
    vec_free(&builder->rows);
    map_free(&builder->by_key);
}
