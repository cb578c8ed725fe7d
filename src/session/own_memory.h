/* Memory straight from the kernel: the allocator is the recorded program's, and may be what is being recorded, or locked. */
#ifndef SONDE_SESSION_OWN_MEMORY_H
#define SONDE_SESSION_OWN_MEMORY_H

#include <stddef.h>
#include <sys/mman.h>

/* Zeroed memory, in whole pages; NULL when there is none. */
static inline void *own_memory_map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* `memory` may be NULL. */
static inline void own_memory_unmap(void *memory, size_t size)
{
    if (memory)
        munmap(memory, size);
}

/* What `memory` (NULL: nothing) held is at the start of the new one, which is larger; NULL: there is none, the old one stays.
 */
static inline void *own_memory_grow(void *memory, size_t old_size, size_t size)
{
    if (!memory)
        return own_memory_map(size);
    void *moved = mremap(memory, old_size, size, MREMAP_MAYMOVE);
    return moved == MAP_FAILED ? NULL : moved;
}

#endif
