#include "common/memory.h"

#include <stdint.h>
#include <stdlib.h>

void *memory_resize(void *block, size_t size)
{
    return memory_may_allocate() ? realloc(block, size) : NULL;
}

void *memory_zeroed(size_t count, size_t size)
{
    return memory_may_allocate() ? calloc(count > 0 ? count : 1, size) : NULL;
}

void *memory_array(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return memory_resize(NULL, bytes > 0 ? bytes : 1);
}

void memory_release(void *block)
{
    free(block);
}
