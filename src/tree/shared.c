#include "tree/shared.h"

#include "common/memory.h"

#include <stdint.h>

/* In front of the items; as large as the strictest alignment, so that the items are aligned, too. */
union owners {
    size_t count;
    max_align_t alignment;
};

void *shared_array(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - sizeof(union owners))
        return NULL;
    union owners *owners = memory_array(1, sizeof *owners + bytes);
    if (!owners)
        return NULL;
    owners->count = 1;
    return owners + 1;
}

void *shared_keep(void *items)
{
    if (items)
        ((union owners *)items)[-1].count++;
    return items;
}

bool shared_drop(void *items)
{
    if (!items || --((union owners *)items)[-1].count > 0)
        return false;
    memory_release((union owners *)items - 1);
    return true;
}
