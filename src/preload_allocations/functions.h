/* The functions that the program finds instead of those of its allocator. */
#ifndef SONDE_PRELOAD_ALLOCATIONS_FUNCTIONS_H
#define SONDE_PRELOAD_ALLOCATIONS_FUNCTIONS_H

#include <stddef.h>
#include <stdlib.h>

void *memalign(size_t alignment, size_t size);
void *valloc(size_t size);
void *pvalloc(size_t size);
void free_sized(void *block, size_t size);
void free_aligned_sized(void *block, size_t alignment, size_t size);

#endif
