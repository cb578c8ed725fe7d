#include "tree/marker_ranges.h"

#include <errno.h>
#include <stdlib.h>

static int compare_ranges(const void *a, const void *b)
{
    const struct time_range *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

void time_ranges_join(struct time_ranges *ranges)
{
    size_t kept = 0;
    if (ranges->items.count > 1)
        qsort(ranges->items.items, ranges->items.count, sizeof *ranges->items.items, compare_ranges);
    for (size_t i = 0; i < ranges->items.count; i++) {
        struct time_range range = ranges->items.items[i];
        struct time_range *last = kept > 0 ? &ranges->items.items[kept - 1] : NULL;
        if (last && range.start <= last->end)
            last->end = range.end > last->end ? range.end : last->end;
        else if (range.end > range.start)
            ranges->items.items[kept++] = range;
    }
    ranges->items.count = kept;
}

int marker_ranges_find(const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                       struct slice search, struct time_ranges *ranges, struct error *error)
{
    (void)profile, (void)threads, (void)thread_count, (void)search, (void)ranges;
    return error_set(error, -ENOTSUP, "markers");
}
