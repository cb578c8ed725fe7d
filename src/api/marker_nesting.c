#include "api/marker_nesting.h"

#include "api/marker_ref.h"

#include <stdlib.h>

static int compare_starts(const void *a, const void *b, void *data)
{
    const struct nested_marker *x = a, *y = b;
    const struct marker_list *list = data;
    const struct marker *left = &list->items.items[x->index], *right = &list->items.items[y->index];
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    double over = marker_over(left), other = marker_over(right);
    if (over != other)
        return over > other ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* The first level on which nothing lasts any more; NESTING_LEVELS where there is none. */
static uint32_t free_level(const double *ends, double start)
{
    uint32_t level = 0;
    while (level < NESTING_LEVELS && ends[level] > start)
        level++;
    return level;
}

int marker_nesting_make(struct marker_nesting *nesting, const struct marker_list *list, struct error *error)
{
    *nesting = (struct marker_nesting){0};
    for (size_t i = 0; i < list->items.count; i++) {
        const struct marker *marker = &list->items.items[i];
        if (isfinite(marker->start) && marker_exists(marker->row) &&
            !vec_push(&nesting->items, ((struct nested_marker){(uint32_t)i, 0})))
            return error_out_of_memory(error);
    }
    struct nested_marker *items = nesting->items.items;
    if (nesting->items.count > 1)
        qsort_r(items, nesting->items.count, sizeof *items, compare_starts, (void *)list);
    double ends[NESTING_LEVELS] = {-INFINITY, -INFINITY, -INFINITY};
    size_t kept = 0;
    for (size_t i = 0; i < nesting->items.count; i++) {
        const struct marker *marker = &list->items.items[items[i].index];
        uint32_t level = free_level(ends, marker->start);
        if (level == NESTING_LEVELS)
            continue;
        ends[level] = marker_over(marker);
        items[kept++] = (struct nested_marker){items[i].index, level};
    }
    nesting->items.count = kept;
    vec_trim(&nesting->items);
    return 0;
}

void marker_nesting_free(struct marker_nesting *nesting)
{
    vec_free(&nesting->items);
}
