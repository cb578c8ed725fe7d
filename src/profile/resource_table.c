#include "profile/resource_table.h"

static uint64_t key_hash(enum resource_type type, struct string_index name)
{
    return hash_combine((uint64_t)type, name.i);
}

struct resource_index resource_table_append(struct resource_table *table, const struct resource *resource)
{
    size_t row = table->rows.count;
    if (!map_reserve(&table->by_key, row + 1) || !vec_push(&table->rows, *resource))
        return resource_none();
    map_insert(&table->by_key, key_hash(resource->type, resource->name), (uint32_t)row);
    return resource_at(row);
}

struct resource_index resource_table_add(struct resource_table *table, const struct resource *resource)
{
    uint32_t row;
    struct map_probe probe = map_probe(&table->by_key, key_hash(resource->type, resource->name));
    while (map_probe_next(&probe, &row)) {
        const struct resource *known = &table->rows.items[row];
        if (known->type == resource->type && string_same(known->name, resource->name))
            return resource_at(row);
    }
    return resource_table_append(table, resource);
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
