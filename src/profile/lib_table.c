#include "profile/lib_table.h"

static uint64_t key_hash(const struct lib *lib)
{
    return hash_combine(lib->debug_name.i, lib->breakpad_id.i);
}

struct lib_index lib_table_append(struct lib_table *table, const struct lib *lib)
{
    if (!vec_push(&table->rows, *lib))
        return lib_none();
    return lib_at(table->rows.count - 1);
}

struct lib_index lib_table_add(struct lib_table *table, const struct lib *lib)
{
    uint64_t hash = key_hash(lib);
    uint32_t row;
    for (struct map_probe probe = map_probe(&table->by_key, hash); map_probe_next(&probe, &row);) {
        const struct lib *known = &table->rows.items[row];
        if (string_same(known->debug_name, lib->debug_name) && string_same(known->breakpad_id, lib->breakpad_id))
            return lib_at(row);
    }
    if (!map_reserve(&table->by_key, table->by_key.count + 1))
        return lib_none();
    struct lib_index added = lib_table_append(table, lib);
    if (lib_exists(added))
        map_insert(&table->by_key, hash, added.i);
    return added;
}

void lib_table_free(struct lib_table *table)
{
    vec_free(&table->rows);
    map_free(&table->by_key);
}
