#include "common/memory.h"

#include <stdlib.h>

/* WebAssembly has pages of one size. */
void *memory_huge(size_t size)
{
    return memory_may_allocate() ? aligned_alloc(MEMORY_HUGE_PAGE, size) : NULL;
}
