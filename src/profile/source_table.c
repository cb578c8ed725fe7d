#include "profile/source_table.h"

static uint64_t key_hash(const struct source *source)
{
    return string_exists(source->id) ? hash_combine(1, source->id.i) : hash_combine(2, source->filename.i);
}

struct source_index source_table_append(struct source_table *table, const struct source *source)
{
    if (!vec_push(&table->rows, *source))
        return source_none();
    return source_at(table->rows.count - 1);
}

struct source_index source_table_add(struct source_table *table, const struct source *source)
{
    uint64_t hash = key_hash(source);
    uint32_t row;
    for (struct map_probe probe = map_probe(&table->by_key, hash); map_probe_next(&probe, &row);) {
        const struct source *known = &table->rows.items[row];
        if (string_same(known->id, source->id) && (string_exists(source->id) || string_same(known->filename, source->filename)))
            return source_at(row);
    }
    if (!map_reserve(&table->by_key, table->by_key.count + 1))
        return source_none();
    struct source_index added = source_table_append(table, source);
    if (source_exists(added))
        map_insert(&table->by_key, hash, added.i);
    return added;
}

void source_table_free(struct source_table *table)
{
    vec_free(&table->rows);
    map_free(&table->by_key);
}
