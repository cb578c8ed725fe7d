#include "common/vec.h"

#include <stdint.h>

void *vec_grown(void *items, size_t *capacity, size_t need, size_t item_size)
{
    size_t grown = *capacity < 8 ? 8 : *capacity;
    while (grown < need) {
        if (grown > SIZE_MAX / 2)
            return NULL;
        grown *= 2;
    }
    size_t bytes;
    if (__builtin_mul_overflow(grown, item_size, &bytes))
        return NULL;
    void *moved = memory_resize(items, bytes);
    if (moved)
        *capacity = grown;
    return moved;
}

void *vec_trimmed(void *items, size_t *capacity, size_t count, size_t item_size)
{
    if (count == 0 || count == *capacity)
        return items;
    void *moved = memory_resize(items, count * item_size);
    if (moved)
        *capacity = count;
    return moved ? moved : items;
}
