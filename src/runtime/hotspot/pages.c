#include "runtime/hotspot/pages.h"

#include <string.h>

/* NULL: it cannot be read. */
static const uint8_t *find_page(struct hotspot_pages *pages, struct unwind_memory *memory, uint64_t number)
{
    size_t place = number % HOTSPOT_PAGES;
    if (number == 0)
        return NULL;
    if (pages->number[place] == number)
        return pages->bytes[place];
    pages->number[place] = 0;
    if (unwind_memory_copy_of(memory->pid, pages->bytes[place], number * HOTSPOT_PAGE_BYTES, HOTSPOT_PAGE_BYTES,
                              &memory->error) != HOTSPOT_PAGE_BYTES)
        return NULL;
    pages->number[place] = number;
    return pages->bytes[place];
}

bool hotspot_pages_read(struct hotspot_pages *pages, struct unwind_memory *memory, uint64_t address, void *out, size_t length)
{
    for (size_t done = 0, piece; done < length; done += piece) {
        uint64_t from = address + done;
        const uint8_t *page = find_page(pages, memory, from / HOTSPOT_PAGE_BYTES);
        if (!page)
            return false;
        piece = HOTSPOT_PAGE_BYTES - from % HOTSPOT_PAGE_BYTES;
        if (piece > length - done)
            piece = length - done;
        memcpy((uint8_t *)out + done, page + from % HOTSPOT_PAGE_BYTES, piece);
    }
    return true;
}
