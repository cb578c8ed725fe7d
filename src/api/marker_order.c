#include "api/marker_order.h"

#include "api/marker_layout.h"

#include <stdlib.h>

/* A row with what it is sorted by first. */
struct sorted_marker {
    double key;
    uint32_t place;
};

struct sorting {
    const struct marker_store *store;
    const struct marker_refs *markers;
    const struct name_order *names;
    const struct marker_sort *sort;
    double *keys; /* for each marker, by the columns of the sort */
};

/* What a column counts in the order. Of the place of a category a double loses what tells those of one name apart, no more. */
static double key_of(const struct sorting *sorting, uint32_t place, enum marker_column column)
{
    struct marker_ref ref = sorting->markers->items.items[place];
    const struct marker *marker = marker_store_get(sorting->store, ref);
    const struct profile *profile = sorting->store->profile;
    switch (column) {
    case MARKER_BY_START:
        return marker->start;
    case MARKER_BY_DURATION:
        return marker_has_end(marker) ? marker_over(marker) - marker->start : -1;
    case MARKER_BY_NAME:
        return name_order_rank(sorting->names, marker->name);
    case MARKER_BY_THREAD:
        return ref.thread;
    case MARKER_BY_CATEGORY:
        return (double)category_place(profile, sorting->names, marker_category(profile, marker));
    case MARKER_SORT_COLUMNS:
        break;
    }
    return 0;
}

static int compare_keys(double left, double right, bool descending)
{
    int order = (left > right) - (left < right);
    return descending ? -order : order;
}

static int compare_rows(const void *a, const void *b, void *data)
{
    const struct sorted_marker *x = a, *y = b;
    const struct sorting *sorting = data;
    const struct marker_sort *sort = sorting->sort;
    const double *left = &sorting->keys[x->place * sort->count], *right = &sorting->keys[y->place * sort->count];
    int order = compare_keys(x->key, y->key, sort->columns[0].descending);
    for (size_t i = 1; i < sort->count && order == 0; i++)
        order = compare_keys(left[i], right[i], sort->columns[i].descending);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

/* The set is in this order already. */
static bool is_sorted(const struct marker_sort *sort)
{
    return sort->columns[0].column == MARKER_BY_START && !sort->columns[0].descending && sort->count == 1;
}

/* The markers that touch the preview range; the rows have room for all of them. */
static size_t choose_rows(const struct sorting *sorting, struct time_span preview, struct sorted_marker *rows)
{
    size_t count = 0, columns = sorting->sort->count;
    for (uint32_t place = 0; place < sorting->markers->items.count; place++) {
        if (!marker_touches(marker_store_get(sorting->store, sorting->markers->items.items[place]), preview.start, preview.end))
            continue;
        for (size_t i = 0; i < columns; i++)
            sorting->keys[place * columns + i] = key_of(sorting, place, sorting->sort->columns[i].column);
        rows[count++] = (struct sorted_marker){sorting->keys[place * columns], place};
    }
    return count;
}

static struct string_index type_of(const struct marker_store *store, struct marker_ref ref)
{
    return marker_payload_type(&store->catalog.texts, marker_store_get(store, ref)->data);
}

static struct string_index common_type(const struct marker_store *store, const struct marker_refs *rows)
{
    size_t count = rows->items.count;
    struct string_index type = count > 0 ? type_of(store, rows->items.items[0]) : STRING_NONE;
    for (size_t i = 1; i < count && string_exists(type); i++)
        if (!string_same(type_of(store, rows->items.items[i]), type))
            return STRING_NONE;
    return type;
}

int marker_order_make(struct marker_order *order, const struct marker_store *store, const struct marker_refs *markers,
                      const struct name_order *names, const struct marker_sorting *sorting, struct error *error)
{
    *order = (struct marker_order){.sorting = *sorting};
    struct sorting by = {store, markers, names, &sorting->sort, NULL};
    struct sorted_marker *rows = memory_array(markers->items.count + 1, sizeof *rows);
    by.keys = memory_array(markers->items.count + 1, sorting->sort.count * sizeof *by.keys);
    size_t count = rows && by.keys ? choose_rows(&by, sorting->preview, rows) : 0;
    bool fits = rows && by.keys && vec_reserve(&order->rows.items, count);
    if (fits && count > 1 && !is_sorted(&sorting->sort))
        qsort_r(rows, count, sizeof *rows, compare_rows, &by);
    for (size_t i = 0; i < count && fits; i++)
        order->rows.items.items[i] = markers->items.items[rows[i].place];
    order->rows.items.count = fits ? count : 0;
    order->type = common_type(store, &order->rows);
    memory_release(by.keys);
    memory_release(rows);
    return fits ? 0 : error_out_of_memory(error);
}

void marker_order_free(struct marker_order *order)
{
    vec_free(&order->rows.items);
}

bool marker_sorting_equal(const struct marker_sorting *left, const struct marker_sorting *right)
{
    bool equal = left->preview.start == right->preview.start && left->preview.end == right->preview.end &&
                 left->sort.count == right->sort.count;
    for (size_t i = 0; i < left->sort.count && equal; i++)
        equal = left->sort.columns[i].column == right->sort.columns[i].column &&
                left->sort.columns[i].descending == right->sort.columns[i].descending;
    return equal;
}
