#include "profile/func_table.h"

static uint64_t key_hash(const struct func *func)
{
    uint64_t hash = hash_combine(func->name.i, (uint64_t)func->resource.i << 32 | func->source.i);
    return hash_combine(hash, (uint64_t)func->line << 32 | func->column) ^ (uint64_t)(func->is_js * 3 + func->relevant_for_js)
                                                                               << 33;
}

static bool key_equal(const struct func *a, const struct func *b)
{
    return string_same(a->name, b->name) && a->is_js == b->is_js && a->relevant_for_js == b->relevant_for_js &&
           resource_same(a->resource, b->resource) && source_same(a->source, b->source) && a->line == b->line &&
           a->column == b->column;
}

struct func_index func_table_append(struct func_table *table, const struct func *func)
{
    column_append_index(&table->name, func->name.i);
    column_append(&table->flags, (func->is_js ? FUNC_IS_JS : 0) | (func->relevant_for_js ? FUNC_RELEVANT_FOR_JS : 0));
    column_append_index(&table->resource, func->resource.i);
    column_append_index(&table->source, func->source.i);
    column_append_index(&table->line, func->line);
    column_append_index(&table->column, func->column);
    column_append_index(&table->original_location, func->original_location.i);
    return func_at(func_count(table) - 1);
}

struct func_index func_table_add(struct func_table *table, const struct func *func)
{
    uint64_t hash = key_hash(func);
    uint32_t row;
    for (struct map_probe probe = map_probe(&table->by_key, hash); map_probe_next(&probe, &row);) {
        struct func known = func_table_get(table, func_at(row));
        if (key_equal(&known, func))
            return func_at(row);
    }
    if (!map_insert(&table->by_key, hash, (uint32_t)func_count(table)))
        return func_none();
    return func_table_append(table, func);
}

struct func func_table_get(const struct func_table *table, struct func_index index)
{
    int64_t flags = column_get(&table->flags, index.i);
    return (struct func){
        .name = {column_get_index(&table->name, index.i)},
        .is_js = flags & FUNC_IS_JS,
        .relevant_for_js = flags & FUNC_RELEVANT_FOR_JS,
        .resource = {column_get_index(&table->resource, index.i)},
        .source = {column_get_index(&table->source, index.i)},
        .line = column_get_index(&table->line, index.i),
        .column = column_get_index(&table->column, index.i),
        .original_location = {column_get_index(&table->original_location, index.i)},
    };
}
