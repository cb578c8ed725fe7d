/* A copy of memory that may go away, made page by page as the pages are needed.
 *
 * Of the unwind tables of a program and its libraries, hundreds of pages, a process that lives for a tenth of a second needs
 * some dozens. Any thread may be the one that needs a page, also in a signal handler; two that need the same one copy the same
 * bytes to the same place. What was copied stays when the original is gone, the rest cannot be had any more. */
#ifndef SONDE_UNWIND_LAZY_COPY_H
#define SONDE_UNWIND_LAZY_COPY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAZY_COPY_PAGE = 4096 };

struct lazy_copy {
    uint64_t address;       /* of the original, a multiple of the page … */
    uint64_t end;           /* … and where it ends */
    uint8_t *bytes;         /* of the copy */
    _Atomic bool *is_there; /* each page */
};

static inline size_t lazy_copy_pages(uint64_t address, uint64_t end)
{
    return (size_t)((end - address + LAZY_COPY_PAGE - 1) / LAZY_COPY_PAGE);
}

/* Whether `length` bytes at `at`, which is in the copy, can be read from now on. */
bool lazy_copy_has(const struct lazy_copy *copy, const void *at, size_t length);

/* Copies what is not there yet: where the kernel cannot be asked later. */
void lazy_copy_complete(const struct lazy_copy *copy);

#endif
