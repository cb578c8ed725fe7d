#include "cli/markers_found.h"

#include "cli/during.h"
#include "cli/selection_output.h"
#include "markers/search.h"
#include "markers/self_time.h"
#include "print/number.h"
#include "profile/time_span.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- finding them ---- */

/* Without --range it is what the Firefox Profiler takes for the whole. */
static struct time_span shown_span(const struct selection *selection)
{
    struct time_span span = profile_root_span(&selection->profile);
    if (!isnan(selection->query.range.start))
        span.start = selection->query.range.start;
    if (!isnan(selection->query.range.end))
        span.end = selection->query.range.end;
    return span;
}

/* Those of a thread that --search finds: the moments among them, and the others with the time that they take themselves. */
struct found_markers {
    VEC(struct nested_interval) intervals;
    VEC(uint32_t) moments;
};

static bool search_thread(const struct marker_list *list, struct marker_search *search, struct found_markers *found)
{
    for (size_t i = 0; i < list->items.count; i++) {
        const struct marker *marker = &list->items.items[i];
        if (!marker_search_matches(search, marker))
            continue;
        struct nested_interval interval = {.start = marker->start, .end = marker->end, .index = (uint32_t)i};
        if (marker_has_end(marker) ? !vec_push(&found->intervals, interval) : !vec_push(&found->moments, (uint32_t)i))
            return false;
    }
    nested_intervals_measure(found->intervals.items, found->intervals.count);
    return !search->failed;
}

static bool is_looked_at(const struct markers *markers, const struct marker *marker)
{
    const struct optional_number *least = &markers->options->min_duration;
    const struct time_ranges *during = markers->options->common.during ? &markers->selection.during : NULL;
    struct time_span span = shown_span(&markers->selection);
    if (least->given && !(marker->end - marker->start >= least->value))
        return false;
    return marker_touches(marker, span.start, span.end) && (!during || during_touches(during, marker));
}

static bool show_marker(struct markers *markers, uint32_t place, uint32_t index, double self)
{
    const struct marker *marker = &markers->threads.items[place].list.items.items[index];
    return !is_looked_at(markers, marker) ||
           vec_push(&markers->shown, ((struct shown_marker){place, index, marker->start, self}));
}

static int find_in_thread(struct markers *markers, struct thread_index thread, struct marker_search *search)
{
    struct error *error = &markers->selection.error;
    uint32_t place = (uint32_t)markers->threads.count;
    if (!vec_push(&markers->threads, (struct thread_markers){.thread = thread}))
        return error_out_of_memory(error);
    struct marker_list *list = &markers->threads.items[place].list;
    struct found_markers found = {0};
    int status = marker_list_build(list, &markers->catalog, thread, error);
    bool ok = status == 0 && search_thread(list, search, &found);
    for (size_t i = 0; ok && i < found.intervals.count; i++)
        ok = show_marker(markers, place, found.intervals.items[i].index, found.intervals.items[i].self);
    for (size_t i = 0; ok && i < found.moments.count; i++)
        ok = show_marker(markers, place, found.moments.items[i], NAN);
    vec_free(&found.intervals);
    vec_free(&found.moments);
    return ok || status != 0 ? status : error_out_of_memory(error);
}

static int compare_shown(const void *left, const void *right)
{
    const struct shown_marker *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

int markers_find(struct markers *markers)
{
    struct selection *selection = &markers->selection;
    const char *terms = markers->options->common.search;
    struct marker_search search = {0};
    struct time_span span = shown_span(selection);
    markers->zero = selection_zero(selection);
    markers->whole = span.end > span.start ? span.end - span.start : 0;
    int status = marker_catalog_init(&markers->catalog, &selection->profile, &selection->error);
    if (status == 0)
        status = marker_search_init(&search, &markers->catalog, slice_of(terms ? terms : ""), &selection->error);
    for (size_t i = 0; i < selection->threads.items.count && status == 0; i++)
        status = find_in_thread(markers, selection->threads.items.items[i], &search);
    marker_search_free(&search);
    if (markers->shown.count > 1)
        qsort(markers->shown.items, markers->shown.count, sizeof *markers->shown.items, compare_shown);
    return status;
}

void markers_free(struct markers *markers)
{
    for (size_t i = 0; i < markers->threads.count; i++)
        marker_list_free(&markers->threads.items[i].list);
    vec_free(&markers->threads);
    vec_free(&markers->shown);
    marker_catalog_free(&markers->catalog);
}

double markers_least(const struct markers *markers)
{
    const struct optional_number *min = &markers->options->common.min;
    return min->given ? min->value / 100 * markers->whole : 0;
}

struct slice marker_category_name(const struct markers *markers, const struct marker *marker)
{
    const struct category_list *categories = &markers->selection.profile.categories;
    if (marker->category.i >= categories->rows.count)
        return SLICE("Other");
    return profile_text(&markers->selection.profile, categories->rows.items[marker->category.i].name);
}

/* ---- printing ---- */

void json_put_markers(struct json_output *output, const struct markers *markers, bool truncated)
{
    json_put_text(output, "file", markers->options->common.file);
    json_put_threads(output, &markers->selection.profile, &markers->selection.threads);
    json_put_number(output, "markerCount", (double)markers->shown.count);
    json_put_boolean(output, "truncated", truncated);
}

void print_markers_cut(const struct markers *markers, size_t shown, size_t all)
{
    if (shown == all)
        return;
    printf("\n… %s more", number_grouped((double)(all - shown), 0).text);
    if (!markers->options->common.min.given)
        printf(" (--limit %zu shows all)", all);
    putchar('\n');
}

void print_markers_head(const struct markers *markers, const struct terminal *terminal)
{
    print_selection(&markers->selection, NULL, terminal);
    if (markers->options->min_duration.given)
        printf("filter   --min-duration %s\n", number_duration(markers->options->min_duration.value).text);
    printf("total    %s marker%s\n\n", number_grouped((double)markers->shown.count, 0).text,
           markers->shown.count == 1 ? "" : "s");
}

void table_add_duration(struct table *table, double ms)
{
    if (isnan(ms))
        table_add(table, SLICE("-"), STYLE_DIM);
    else
        table_print(table, STYLE_PLAIN, "%s", number_duration(ms).text);
}

void table_add_copy(struct table *table, struct slice text)
{
    char *copy = arena_copy(&table->arena, text.text, text.length);
    if (copy)
        table_add(table, (struct slice){copy, text.length}, STYLE_PLAIN);
    else
        table->failed = true;
}
