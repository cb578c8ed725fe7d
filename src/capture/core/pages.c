#include "capture/core/pages.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

/* What every recorded process needs comes with the library, and is given out once: a mapping less to make, and to take down at
 * the end. All of the library's own memory stays below 2 MiB, or the kernel could take a huge page for it and clear that. */
enum { PAGE_BYTES = 4096, FIRST_BYTES = 560 << 10, HUGE_LEAST = 2 << 20 };
_Alignas(PAGE_BYTES) static char first[FIRST_BYTES];
static _Atomic size_t first_taken; /* relaxed: only numbers */

static void *take_first(size_t size)
{
    size_t taken = atomic_load_explicit(&first_taken, memory_order_relaxed);
    do
        if (size > FIRST_BYTES - taken)
            return NULL;
    while (!atomic_compare_exchange_weak_explicit(&first_taken, &taken,
                                                  taken + (size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES,
                                                  memory_order_relaxed, memory_order_relaxed));
    return first + taken;
}

/* Little of what is large is used: where the kernel takes huge pages unasked, the first signal of a thread would clear one. */
static void refuse_huge_pages(void *pages, size_t size)
{
    int saved_errno = errno;
    madvise(pages, size, MADV_NOHUGEPAGE); /* fails where there are none */
    errno = saved_errno;
}

void *pages_map(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    if (size >= HUGE_LEAST)
        refuse_huge_pages(pages, size);
    return pages;
}

void *pages_map_lasting(size_t size)
{
    void *pages = take_first(size);
    return pages ? pages : pages_map(size);
}

void pages_unmap(void *pages, size_t size)
{
    if (pages && ((uintptr_t)pages < (uintptr_t)first || (uintptr_t)pages >= (uintptr_t)first + FIRST_BYTES))
        munmap(pages, size);
}
