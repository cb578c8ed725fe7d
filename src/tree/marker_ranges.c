#include "tree/marker_ranges.h"

#include "markers/jank.h"
#include "markers/search.h"

#include <stdlib.h>

static int compare_ranges(const void *a, const void *b)
{
    const struct time_range *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* Sorts by start and joins what touches or overlaps. */
static void time_ranges_join(struct time_ranges *ranges)
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

static int add_thread(const struct marker_catalog *catalog, struct marker_search *search, struct thread_index thread,
                      struct time_ranges *ranges, struct error *error)
{
    /* All jank is alike, so the samples are looked at only where the search wants it. */
    struct marker jank = jank_marker(catalog, 0, 0);
    struct marker_list list;
    int status = marker_list_collect(&list, catalog, thread, marker_search_matches(search, &jank), error);
    for (size_t i = 0; i < list.items.count && status == 0; i++) {
        const struct marker *marker = &list.items.items[i];
        if (!marker_has_end(marker) || !marker_search_matches(search, marker))
            continue;
        if (!vec_push(&ranges->items, ((struct time_range){marker->start, marker->end})))
            status = error_out_of_memory(error);
    }
    marker_list_free(&list);
    return status;
}

int marker_ranges_find(const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                       struct slice terms, struct time_ranges *ranges, struct error *error)
{
    struct marker_catalog catalog;
    struct marker_search search = {0};
    int status = marker_catalog_init(&catalog, profile, error);
    if (status == 0)
        status = marker_search_init(&search, &catalog, terms, error);
    for (size_t i = 0; i < thread_count && status == 0; i++)
        status = add_thread(&catalog, &search, threads[i], ranges, error);
    if (status == 0 && search.failed)
        status = error_out_of_memory(error);
    marker_search_free(&search);
    marker_catalog_free(&catalog);
    time_ranges_join(ranges);
    return status;
}
