/* Sorting in place: qsort of libc may allocate. */
#ifndef SONDE_COMMON_SORT_H
#define SONDE_COMMON_SORT_H

#include <stdbool.h>
#include <stddef.h>

enum { SORT_ITEM_MAX = 512 };

/* `size` of an item is at most SORT_ITEM_MAX. Items that are equal may change places. */
void sort_items(void *items, size_t count, size_t size, bool (*less)(const void *a, const void *b));

#endif
