#include "unwind/lazy_copy.h"

#include "unwind/memory.h"

static bool has_page(const struct lazy_copy *copy, size_t page)
{
    /* Acquire: with the flag come the bytes. */
    if (atomic_load_explicit(&copy->is_there[page], memory_order_acquire))
        return true;
    uint64_t from = copy->address + page * LAZY_COPY_PAGE;
    size_t length = copy->end - from < LAZY_COPY_PAGE ? (size_t)(copy->end - from) : LAZY_COPY_PAGE;
    if (unwind_memory_copy(copy->bytes + page * LAZY_COPY_PAGE, from, length) != length)
        return false;
    /* Release: as above. */
    atomic_store_explicit(&copy->is_there[page], true, memory_order_release);
    return true;
}

bool lazy_copy_has(const struct lazy_copy *copy, const void *at, size_t length)
{
    size_t offset = (size_t)((const uint8_t *)at - copy->bytes);
    if (length == 0)
        return true;
    for (size_t page = offset / LAZY_COPY_PAGE; page <= (offset + length - 1) / LAZY_COPY_PAGE; page++)
        if (!has_page(copy, page))
            return false;
    return true;
}

void lazy_copy_complete(const struct lazy_copy *copy)
{
    for (size_t page = 0; page < lazy_copy_pages(copy->address, copy->end); page++)
        (void)has_page(copy, page);
}
