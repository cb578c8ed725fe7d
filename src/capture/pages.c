#include "capture/pages.h"

#include <sys/mman.h>

void *pages_map(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void pages_unmap(void *pages, size_t size)
{
    if (pages)
        munmap(pages, size);
}
