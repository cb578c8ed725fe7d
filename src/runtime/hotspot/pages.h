/* Copies of pages that the VM's tables are in. These are thousands of short texts close to each other: a page is copied through
 * the kernel once, and not once for each of them. For memory that stays as it is meanwhile. */
#ifndef SONDE_RUNTIME_HOTSPOT_PAGES_H
#define SONDE_RUNTIME_HOTSPOT_PAGES_H

#include "unwind/memory.h"

/* Enough for a table and the texts that its rows point to. */
enum { HOTSPOT_PAGES = 64, HOTSPOT_PAGE_BYTES = 4096 };

struct hotspot_pages {
    uint64_t number[HOTSPOT_PAGES]; /* of the page in this place: its address / HOTSPOT_PAGE_BYTES; 0 = none */
    uint8_t bytes[HOTSPOT_PAGES][HOTSPOT_PAGE_BYTES];
};

/* All `length` bytes, or false. `pages` begins as zeros, and belongs to one caller. */
bool hotspot_pages_read(struct hotspot_pages *pages, struct unwind_memory *memory, uint64_t address, void *out, size_t length);

#endif
