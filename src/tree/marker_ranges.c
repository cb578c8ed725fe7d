#include "tree/marker_ranges.h"

#include "markers/jank.h"
#include "markers/search.h"
#include "tree/shared.h"

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

/* What markers are looked for: by terms, or by name. */
struct wanted {
    struct marker_catalog catalog;
    struct marker_search search;
    bool by_name;
    struct slice name;
};

static bool is_wanted(struct wanted *wanted, const struct marker *marker)
{
    return wanted->by_name ? slice_equal(marker_text(&wanted->catalog.texts, marker->name), wanted->name)
                           : marker_search_matches(&wanted->search, marker);
}

static int add_thread(struct wanted *wanted, struct thread_index thread, struct time_ranges *ranges, struct error *error)
{
    /* All jank is alike, so the samples are looked at only where it is wanted. */
    struct marker jank = jank_marker(&wanted->catalog, 0, 0);
    struct marker_list list;
    int status = marker_list_collect(&list, &wanted->catalog, thread, is_wanted(wanted, &jank), error);
    for (size_t i = 0; i < list.items.count && status == 0; i++) {
        const struct marker *marker = &list.items.items[i];
        if (!marker_has_end(marker) || !is_wanted(wanted, marker))
            continue;
        if (!vec_push(&ranges->items, ((struct time_range){marker->start, marker->end})))
            status = error_out_of_memory(error);
    }
    marker_list_free(&list);
    return status;
}

static int find(struct wanted *wanted, const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                struct slice terms, struct time_ranges *ranges, struct error *error)
{
    int status = marker_catalog_init(&wanted->catalog, profile, error);
    if (status == 0)
        status = marker_search_init(&wanted->search, &wanted->catalog, terms, error);
    for (size_t i = 0; i < thread_count && status == 0; i++)
        status = add_thread(wanted, threads[i], ranges, error);
    if (status == 0 && wanted->search.failed)
        status = error_out_of_memory(error);
    marker_search_free(&wanted->search);
    marker_catalog_free(&wanted->catalog);
    time_ranges_join(ranges);
    return status;
}

int marker_ranges_find(const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                       struct slice terms, struct time_ranges *ranges, struct error *error)
{
    struct wanted wanted = {0};
    return find(&wanted, profile, threads, thread_count, terms, ranges, error);
}

int marker_ranges_named(const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                        struct slice name, struct time_ranges *ranges, struct error *error)
{
    struct wanted wanted = {.by_name = true, .name = name};
    return find(&wanted, profile, threads, thread_count, SLICE(""), ranges, error);
}

int time_ranges_filter(const struct view *from, const struct time_ranges *ranges, bool outside, struct view *to,
                       struct error *error)
{
    size_t count = ranges->items.count;
    struct time_filter *filter = shared_array(1, sizeof *filter + count * sizeof *filter->ranges);
    *to = (struct view){0};
    if (!filter)
        return error_out_of_memory(error);
    *to = view_share(from);
    filter->before = to->times;
    filter->outside = outside;
    filter->range_count = count;
    for (size_t i = 0; i < count; i++)
        filter->ranges[i] = ranges->items.items[i];
    to->times = filter;
    return 0;
}
