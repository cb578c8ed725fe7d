/* Memory for the library's own data, straight from the kernel: the program's allocator is the program's, and may be what
 * is being recorded, replaced, or locked. common/memory.h stands on it in the libraries inside recorded programs. */
#ifndef SONDE_CAPTURE_CORE_PAGES_H
#define SONDE_CAPTURE_CORE_PAGES_H

#include <stddef.h>

/* Zeroed memory of at least `size` bytes in whole pages; NULL when there is none. Not touched before it is used. */
void *pages_map(size_t size);

/* The same, for what every recorded process has, and has once: it may come with the library, and then is no mapping of its own
 * that could be moved, nor given out again. */
void *pages_map_lasting(size_t size);

/* Either's. */
void pages_unmap(void *pages, size_t size);

/* Around fork, in this order, so that the child finds the lists of free blocks whole. */
void memory_fork_prepare(void);
void memory_fork_done(void);

#endif
