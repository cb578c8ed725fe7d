/* zlib's memory comes through the same door as all other. */
#ifndef SONDE_COMMON_ZLIB_MEMORY_H
#define SONDE_COMMON_ZLIB_MEMORY_H

#include "common/memory.h"

static inline void *zlib_allocate(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return memory_zeroed(count, size);
}

static inline void zlib_release(void *opaque, void *block)
{
    (void)opaque;
    memory_release(block);
}

#endif
