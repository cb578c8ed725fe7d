#include "cli/during.h"

#include "cli/nearest.h"
#include "markers/marker_list.h"

#include <errno.h>
#include <stdio.h>

struct all_threads {
    VEC(struct thread_index) items;
};

static int find_in(const struct profile *profile, const struct thread_index *threads, size_t count, struct slice text,
                   struct time_ranges *ranges, struct error *error)
{
    int status = marker_ranges_named(profile, threads, count, text, ranges, error);
    if (status == 0 && ranges->items.count == 0)
        status = marker_ranges_find(profile, threads, count, text, ranges, error);
    return status;
}

/* The name of a marker that is nearest to what was typed. */
static void add_similar(const struct profile *profile, const char *text, struct error *error)
{
    struct nearest nearest;
    nearest_start(&nearest, slice_of(text));
    for (size_t i = 0; i < profile->threads.count; i++) {
        const struct marker_table *markers = &profile->threads.items[i].markers;
        for (size_t k = 0; k < marker_count(markers); k++)
            nearest_offer(&nearest, profile_text(profile, string_at(column_get_index(&markers->name, k))));
    }
    size_t used = strlen(error->message);
    if (nearest.best.text && !slice_equal(nearest.best, slice_of(text)))
        snprintf(error->message + used, sizeof error->message - used, "; did you mean '%.*s'?", (int)nearest.best.length,
                 nearest.best.text);
}

int during_find(const struct profile *profile, const struct thread_list *threads, const char *text, struct time_ranges *ranges,
                struct error *error)
{
    struct all_threads all = {0};
    int status = find_in(profile, threads->items.items, threads->items.count, slice_of(text), ranges, error);
    for (size_t i = 0; status == 0 && ranges->items.count == 0 && i < profile->threads.count; i++)
        if (!vec_push(&all.items, thread_at(i)))
            status = error_out_of_memory(error);
    if (status == 0 && ranges->items.count == 0)
        status = find_in(profile, all.items.items, all.items.count, slice_of(text), ranges, error);
    vec_free(&all.items);
    if (status != 0 || ranges->items.count > 0)
        return status;
    error_set(error, -ENOENT, "--during '%s': no marker that lasts is called or found so ('sonde markers' lists them)", text);
    add_similar(profile, text, error);
    return error->code;
}

bool during_touches(const struct time_ranges *ranges, const struct marker *marker)
{
    for (size_t i = 0; i < ranges->items.count; i++)
        if (marker_touches(marker, ranges->items.items[i].start, ranges->items.items[i].end))
            return true;
    return false;
}
