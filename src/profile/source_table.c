#include "profile/source_table.h"

static uint64_t key_hash(const struct source *source)
{
    return string_exists(source->id) ? hash_combine(1, source->id.i) : hash_combine(2, source->filename.i);
}

struct source_index source_table_append(struct source_table *table, const struct source *source)
{
    size_t row = table->rows.count;
    if (!map_reserve(&table->by_key, row + 1) || !vec_push(&table->rows, *source))
        return source_none();
    map_insert(&table->by_key, key_hash(source), (uint32_t)row);
    return source_at(row);
}

struct source_index source_table_add(struct source_table *table, const struct source *source)
{
    uint32_t row;
    struct map_probe probe = map_probe(&table->by_key, key_hash(source));
    while (map_probe_next(&probe, &row)) {
        const struct source *known = &table->rows.items[row];
        if (string_same(known->id, source->id) && (string_exists(source->id) || string_same(known->filename, source->filename)))
            return source_at(row);
    }
    return source_table_append(table, source);
}

void source_table_free(struct source_table *table)
{
    vec_free(&table->rows);
    map_free(&table->by_key);
}
