#include "profile/resource_table.h"

static uint64_t key_hash(const struct resource *resource)
{
    return hash_combine((uint64_t)resource->type, resource->name.i);
}

struct resource_index resource_table_append(struct resource_table *table, const struct resource *resource)
{
    if (!vec_push(&table->rows, *resource))
        return resource_none();
    return resource_at(table->rows.count - 1);
}

struct resource_index resource_table_add(struct resource_table *table, const struct resource *resource)
{
    uint64_t hash = key_hash(resource);
    uint32_t row;
    for (struct map_probe probe = map_probe(&table->by_key, hash); map_probe_next(&probe, &row);) {
        const struct resource *known = &table->rows.items[row];
        if (known->type == resource->type && string_same(known->name, resource->name))
            return resource_at(row);
    }
    if (!map_reserve(&table->by_key, table->by_key.count + 1))
        return resource_none();
    struct resource_index added = resource_table_append(table, resource);
    if (resource_exists(added))
        map_insert(&table->by_key, hash, added.i);
    return added;
}

bool resource_is_script(enum resource_type type)
{
    return type == RESOURCE_ADDON || type == RESOURCE_WEBHOST || type == RESOURCE_OTHERHOST || type == RESOURCE_URL;
}

void resource_table_free(struct resource_table *table)
{
    vec_free(&table->rows);
    map_free(&table->by_key);
}
