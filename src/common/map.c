#include "common/map.h"

#include "common/memory.h"

#include <string.h>

enum { FIRST_SLOTS = 16 };

static void slots_place(struct map_slot *slots, size_t mask, struct map_slot slot)
{
    size_t at = slot.hash & mask;
    while (slots[at].row_plus_1 != 0)
        at = (at + 1) & mask;
    slots[at] = slot;
}

bool map_reserve(struct map *map, size_t count)
{
    size_t slot_count = map->slots ? map->mask + 1 : 0;
    if (count <= slot_count / 4 * 3)
        return true;
    size_t grown = slot_count > 0 ? slot_count : FIRST_SLOTS;
    while (count > grown / 4 * 3) {
        if (grown > SIZE_MAX / 2)
            return false;
        grown *= 2;
    }
    struct map_slot *slots = memory_zeroed(grown, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < slot_count; i++)
        if (map->slots[i].row_plus_1 != 0)
            slots_place(slots, grown - 1, map->slots[i]);
    memory_release(map->slots);
    map->slots = slots;
    map->mask = grown - 1;
    return true;
}

bool map_insert(struct map *map, uint64_t hash, uint32_t row)
{
    if (!map_reserve(map, map->count + 1))
        return false;
    slots_place(map->slots, map->mask, (struct map_slot){row + 1, (uint32_t)(hash >> 32)});
    map->count++;
    return true;
}

void map_clear(struct map *map)
{
    if (map->slots)
        memset(map->slots, 0, (map->mask + 1) * sizeof *map->slots);
    map->count = 0;
}

void map_free(struct map *map)
{
    memory_release(map->slots);
    *map = (struct map){0};
}
