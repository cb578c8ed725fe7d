#include "common/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

void *memory_huge(size_t size)
{
    void *block = memory_may_allocate() ? aligned_alloc(MEMORY_HUGE_PAGE, size) : NULL;
    if (block)
        madvise(block, size, MADV_HUGEPAGE); /* only a wish */
    return block;
}
