/* An open-addressing hash map from hashes to row numbers.
 *
 * The keys stay where the rows are; the map only knows hashes, so one map serves every kind of key:
 *
 *     for (struct map_probe probe = map_probe(&map, hash); map_probe_next(&probe, &row);)
 *         if (rows[row] equals the key)
 *             return row;
 *     map_insert(&map, hash, new_row);
 */
#ifndef SONDE_COMMON_MAP_H
#define SONDE_COMMON_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
    uint32_t row_plus_1; /* 0 = free */
    uint32_t hash;       /* the upper half, which also gives the slot its place */
};

struct map {
    struct map_slot *slots;
    size_t mask; /* number of slots - 1; 0 while there are none */
    size_t count;
};

/* A zeroed `struct map` is an empty map. */

struct map_probe {
    const struct map *map;
    size_t at;
    uint32_t hash;
};

/* Spreads a 64-bit key over 64 bits; for keys that are numbers, not text. */
static inline uint64_t hash_u64(uint64_t key)
{
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15u;
    return key ^ key >> 32;
}

/* The hash of two parts of a key. */
static inline uint64_t hash_combine(uint64_t a, uint64_t b)
{
    return hash_u64(a ^ hash_u64(b + 0x632be59bd9b4e019u));
}

static inline struct map_probe map_probe(const struct map *map, uint64_t hash)
{
    uint32_t kept = (uint32_t)(hash >> 32);
    return (struct map_probe){map, kept & map->mask, kept};
}

/* The next row whose hash is the one looked for; false when there are no more. */
static inline bool map_probe_next(struct map_probe *probe, uint32_t *row)
{
    if (!probe->map->slots)
        return false;
    for (;;) {
        struct map_slot slot = probe->map->slots[probe->at];
        if (slot.row_plus_1 == 0)
            return false;
        probe->at = (probe->at + 1) & probe->map->mask;
        if (slot.hash == probe->hash) {
            *row = slot.row_plus_1 - 1;
            return true;
        }
    }
}

/* Adds a row; rows up to 2^32 - 2. False when the heap is empty. */
bool map_insert(struct map *map, uint64_t hash, uint32_t row);

/* Room for `count` rows without growing. */
bool map_reserve(struct map *map, size_t count);

void map_clear(struct map *map); /* keeps the memory */
void map_free(struct map *map);

#endif
