/* The markers of the state's threads that touch its range and match its search for markers, as a table. */
#include "api/export_rows.h"
#include "api/export_table.h"
#include "markers/label.h"
#include "markers/search.h"

#include <math.h>
#include <stdlib.h>

struct found_marker {
    uint32_t thread; /* place in `lists` */
    uint32_t index;  /* in the list of its thread */
    double start;
};

struct markers_export {
    struct asking *asking;
    struct marker_catalog catalog;
    VEC(struct marker_list) lists; /* of each thread of the state */
    VEC(struct found_marker) found;
    struct marker_labels labels;
    struct text_buffer label;
};

static double inner(double outer, double side, double (*choose)(double, double))
{
    return isnan(side) ? outer : choose(outer, side);
}

/* What both ranges of the state leave. */
static struct time_range seen_range(const struct asking *asking)
{
    const struct query *query = &asking->state.query;
    struct time_range range = {isnan(query->range.start) ? asking->root_start : query->range.start,
                               isnan(query->range.end) ? asking->root_end : query->range.end};
    return (struct time_range){inner(range.start, query->preview.start, fmax), inner(range.end, query->preview.end, fmin)};
}

static int find_in_thread(struct markers_export *markers, struct thread_index thread, struct marker_search *search,
                          struct error *error)
{
    uint32_t place = (uint32_t)markers->lists.count;
    if (!vec_push(&markers->lists, (struct marker_list){0}))
        return error_out_of_memory(error);
    struct marker_list *list = &markers->lists.items[place];
    struct time_range range = seen_range(markers->asking);
    int status = marker_list_build(list, &markers->catalog, thread, error);
    for (size_t i = 0; status == 0 && i < list->items.count; i++) {
        const struct marker *marker = &list->items.items[i];
        if (!marker_touches(marker, range.start, range.end) || !marker_search_matches(search, marker))
            continue;
        if (!vec_push(&markers->found, ((struct found_marker){place, (uint32_t)i, marker->start})))
            status = error_out_of_memory(error);
    }
    return search->failed ? error_out_of_memory(error) : status;
}

static int compare_found(const void *left, const void *right)
{
    const struct found_marker *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int find_all(struct markers_export *markers, struct error *error)
{
    const struct query *query = &markers->asking->state.query;
    struct marker_search search;
    int status = marker_search_init(&search, &markers->catalog, markers->asking->state.marker_search, error);
    for (size_t i = 0; status == 0 && i < query->thread_count; i++)
        status = find_in_thread(markers, query->threads[i], &search, error);
    marker_search_free(&search);
    if (markers->found.count > 1)
        qsort(markers->found.items, markers->found.count, sizeof *markers->found.items, compare_found);
    return status;
}

static void put_marker(struct export_table *table, struct markers_export *markers, const struct found_marker *found)
{
    const struct profile *profile = markers->asking->profile;
    const struct marker *marker = &markers->lists.items[found->thread].items.items[found->index];
    uint32_t thread = markers->asking->state.query.threads[found->thread].i;
    uint32_t category = marker->category.i;
    text_cut(&markers->label, 0);
    marker_label_add(&markers->labels, marker, &markers->label);
    export_table_count(table, thread);
    export_table_text(table, profile_text(profile, profile->threads.items[thread].name));
    export_table_text(table, marker_text(&markers->catalog.texts, marker->name));
    export_table_text(table, category < profile->categories.rows.count
                                 ? profile_text(profile, profile->categories.rows.items[category].name)
                                 : SLICE(""));
    export_table_number(table, marker->start - markers->asking->start);
    export_table_number(table, marker->end - markers->asking->start);
    export_table_number(table, marker->end - marker->start);
    export_table_text(table, text_slice(&markers->label));
}

static int put_all(struct markers_export *markers, const struct ask *ask, struct byte_sink *sink, struct error *error)
{
    static const char *const columns[] = {"thread", "thread_name", "name",    "category", "start",
                                          "end",    "duration",    "details", NULL};
    struct export_table table;
    int status = export_table_begin(&table, columns, ask->format == EXPORT_JSON, sink, error);
    if (status != 0)
        return status;
    if (table.json) {
        json_write_key(table.json, "of");
        json_write_text(table.json, "markers");
    }
    export_table_rows(&table);
    bool goes_on = true;
    for (size_t i = 0; i < markers->found.count && goes_on; i++) {
        put_marker(&table, markers, &markers->found.items[i]);
        goes_on = export_table_next(&table) && !markers->label.failed;
    }
    return export_table_end(&table, markers->label.failed ? error_out_of_memory(error) : 0);
}

int export_markers(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error)
{
    struct markers_export markers = {.asking = asking};
    int status = marker_catalog_init(&markers.catalog, asking->profile, error);
    if (status == 0)
        status = find_all(&markers, error);
    if (status == 0) {
        status = marker_labels_init(&markers.labels, &markers.catalog, LABEL_TABLE, LABELS_OF_PAGE, error);
        if (status == 0)
            status = put_all(&markers, ask, sink, error);
        marker_labels_free(&markers.labels);
    }
    text_free(&markers.label);
    for (size_t i = 0; i < markers.lists.count; i++)
        marker_list_free(&markers.lists.items[i]);
    vec_free(&markers.lists);
    vec_free(&markers.found);
    marker_catalog_free(&markers.catalog);
    return status;
}
