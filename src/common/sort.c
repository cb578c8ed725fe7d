#include "common/sort.h"

#include <string.h>

static void swap(char *a, char *b, size_t size)
{
    char held[SORT_ITEM_MAX];
    memcpy(held, a, size);
    memcpy(a, b, size);
    memcpy(b, held, size);
}

/* Item `at` sinks in the heap below it until no child is larger. */
static void sink(char *items, size_t at, size_t count, size_t size, bool (*less)(const void *, const void *))
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && less(items + child * size, items + (child + 1) * size))
            child++;
        if (!less(items + at * size, items + child * size))
            return;
        swap(items + at * size, items + child * size, size);
    }
}

void sort_items(void *items, size_t count, size_t size, bool (*less)(const void *a, const void *b))
{
    for (size_t i = count / 2; i-- > 0;)
        sink(items, i, count, size, less);
    for (size_t last = count; last-- > 1;) {
        swap(items, (char *)items + last * size, size);
        sink(items, 0, last, size, less);
    }
}
