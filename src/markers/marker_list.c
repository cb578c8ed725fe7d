#include "markers/marker_list.h"

#include "markers/derive.h"
#include "markers/jank.h"

struct sort_key {
    double start;
    uint32_t index;
};

static bool is_sorted(const struct marker_list *list)
{
    for (size_t i = 1; i < list->items.count; i++)
        if (list->items.items[i].start < list->items.items[i - 1].start)
            return false;
    return true;
}

/* Merges from[left..middle) and from[middle..right) to `to`; what is equal is taken from the left first. */
static void merge(const struct sort_key *from, struct sort_key *to, size_t left, size_t middle, size_t right)
{
    for (size_t a = left, b = middle, out = left; out < right; out++)
        to[out] = b == right || (a < middle && from[a].start <= from[b].start) ? from[a++] : from[b++];
}

/* Leaves the sorted keys in one of the two arrays and returns it. */
static struct sort_key *merge_sort(struct sort_key *from, struct sort_key *to, size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t left = 0; left < count; left += 2 * width) {
            size_t middle = left + width < count ? left + width : count;
            merge(from, to, left, middle, left + 2 * width < count ? left + 2 * width : count);
        }
        struct sort_key *swapped = from;
        from = to;
        to = swapped;
    }
    return from;
}

bool marker_list_sort(struct marker_list *list)
{
    if (is_sorted(list))
        return true;
    size_t count = list->items.count;
    struct sort_key *keys = memory_array(count, 2 * sizeof *keys);
    struct marker *sorted = memory_array(count, sizeof *sorted);
    bool ok = keys && sorted;
    if (ok) {
        for (size_t i = 0; i < count; i++)
            keys[i] = (struct sort_key){list->items.items[i].start, (uint32_t)i};
        const struct sort_key *order = merge_sort(keys, keys + count, count);
        for (size_t i = 0; i < count; i++)
            sorted[i] = list->items.items[order[i].index];
        memcpy(list->items.items, sorted, count * sizeof *sorted);
    }
    memory_release(sorted);
    memory_release(keys);
    return ok;
}

int marker_list_collect(struct marker_list *list, const struct marker_catalog *catalog, struct thread_index index,
                        bool with_jank, struct error *error)
{
    const struct thread *thread = &catalog->texts.profile->threads.items[index.i];
    *list = (struct marker_list){.raw = &thread->markers};
    if (!markers_derive(list, catalog, index, thread_root_span(thread, catalog->texts.profile->meta.interval)) ||
        (with_jank && !jank_find(list, catalog, thread)))
        return error_out_of_memory(error);
    return 0;
}

int marker_list_build(struct marker_list *list, const struct marker_catalog *catalog, struct thread_index index,
                      struct error *error)
{
    int status = marker_list_collect(list, catalog, index, true, error);
    return status != 0 || marker_list_sort(list) ? status : error_out_of_memory(error);
}

void marker_list_free(struct marker_list *list)
{
    vec_free(&list->items);
    arena_free(&list->arena);
}

static bool has_cause(const struct marker_list *list, struct marker_index row)
{
    return marker_exists(row) && column_get(&list->raw->cause_stack, row.i) != COLUMN_ABSENT;
}

struct marker_index marker_cause_row(const struct marker_list *list, const struct marker *marker)
{
    struct marker_index first = marker->cause_of_start ? marker->start_row : marker->row;
    struct marker_index second = marker->cause_of_start ? marker->row : marker->start_row;
    return has_cause(list, first) ? first : has_cause(list, second) ? second : marker_none();
}
