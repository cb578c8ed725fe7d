#include "markers/pending.h"

#include "profile/value.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static size_t length_of(const uint8_t *key)
{
    return key ? (size_t)(value_skip(key) - key) : 0;
}

/* Equal values are packed into equal bytes. */
static struct pending *find(const struct pending_set *set, const uint8_t *key, size_t length, uint64_t hash)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&set->by_key, hash); map_probe_next(&probe, &row);) {
        struct pending *item = &set->items.items[row];
        if (item->key_length == length && (length == 0 || memcmp(item->key, key, length) == 0))
            return item;
    }
    return NULL;
}

static uint64_t hash_of(const uint8_t *key, size_t length)
{
    return length > 0 ? XXH3_64bits(key, length) : 0;
}

struct marker_index pending_take(struct pending_set *set, const uint8_t *key)
{
    size_t length = length_of(key);
    struct pending *item = find(set, key, length, hash_of(key, length));
    if (!item)
        return marker_none();
    struct marker_index row = item->row;
    item->row = marker_none();
    return row;
}

bool pending_put(struct pending_set *set, const uint8_t *key, struct marker_index row)
{
    size_t length = length_of(key);
    uint64_t hash = hash_of(key, length);
    struct pending *item = find(set, key, length, hash);
    if (!item) {
        struct pending fresh = {.key = key, .key_length = length, .row = row, .order = set->next_order++};
        return vec_push(&set->items, fresh) && map_insert(&set->by_key, hash, (uint32_t)set->items.count - 1);
    }
    if (!marker_exists(item->row))
        item->order = set->next_order++;
    item->row = row;
    return true;
}

static int compare_order(const void *a, const void *b)
{
    uint64_t x = ((const struct pending *)a)->order, y = ((const struct pending *)b)->order;
    return (x > y) - (x < y);
}

void pending_sort(struct pending_set *set)
{
    if (set->items.count > 1)
        qsort(set->items.items, set->items.count, sizeof *set->items.items, compare_order);
}

void pending_set_free(struct pending_set *set)
{
    vec_free(&set->items);
    map_free(&set->by_key);
}
