#include "trace/node_ids.h"

static uint64_t id_hash(double id)
{
    double positive = id + 0.0; /* -0 is 0 */
    uint64_t bits;
    memcpy(&bits, &positive, sizeof bits);
    return hash_u64(bits);
}

static uint32_t find_by_hash(const struct node_ids *ids, double id)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&ids->by_hash, id_hash(id)); map_probe_next(&probe, &row);)
        if (ids->profile->nodes.items[row].id == id)
            return row;
    return INDEX_NONE;
}

/* How long the array has to be; 0 where an array is not the thing. */
static size_t array_size(const struct trace_profile *profile)
{
    size_t limit = 4 * profile->nodes.count + 64;
    size_t size = 1;
    for (size_t row = 0; row < profile->nodes.count; row++) {
        double id = profile->nodes.items[row].id;
        if (!(id >= 0 && id < (double)limit) || (double)(size_t)id != id)
            return 0;
        if ((size_t)id >= size)
            size = (size_t)id + 1;
    }
    return size;
}

bool node_ids_build(struct node_ids *ids, const struct trace_profile *profile)
{
    ids->profile = profile;
    size_t count = profile->nodes.count;
    size_t size = array_size(profile);
    if (size > 0) {
        if (!vec_reserve(&ids->row_of_id, size))
            return false;
        ids->row_of_id.count = size;
        memset(ids->row_of_id.items, 0xff, size * sizeof *ids->row_of_id.items);
        for (size_t row = 0; row < count; row++)
            ids->row_of_id.items[(size_t)profile->nodes.items[row].id] = (uint32_t)row;
        return true;
    }
    if (!map_reserve(&ids->by_hash, count))
        return false;
    for (size_t row = count; row-- > 0;) {
        double id = profile->nodes.items[row].id;
        if (find_by_hash(ids, id) == INDEX_NONE && !map_insert(&ids->by_hash, id_hash(id), (uint32_t)row))
            return false;
    }
    return true;
}

void node_ids_free(struct node_ids *ids)
{
    vec_free(&ids->row_of_id);
    map_free(&ids->by_hash);
}

uint32_t node_ids_find(const struct node_ids *ids, double id)
{
    if (ids->row_of_id.count == 0)
        return find_by_hash(ids, id);
    if (!(id >= 0 && id < (double)ids->row_of_id.count))
        return INDEX_NONE;
    size_t whole = (size_t)id;
    return (double)whole == id ? ids->row_of_id.items[whole] : INDEX_NONE;
}
