#include "api/marker_store.h"

#include "markers/search.h"

#include <stdlib.h>

void marker_store_init(struct marker_store *store, const struct profile *profile)
{
    *store = (struct marker_store){.profile = profile};
}

static void set_free(struct marker_set *set)
{
    text_free(&set->key);
    vec_free(&set->markers.items);
    name_order_free(&set->names);
    marker_layout_free(&set->layout);
    marker_order_free(&set->order);
    memory_release(set);
}

static void thread_markers_free(struct thread_markers *of)
{
    if (of->made)
        marker_list_free(&of->list);
    marker_nesting_free(&of->nesting);
}

void marker_store_free(struct marker_store *store)
{
    for (size_t i = 0; i < store->set_count; i++)
        set_free(store->sets[i]);
    for (size_t i = 0; store->threads && i < store->profile->threads.count; i++)
        thread_markers_free(&store->threads[i]);
    memory_release(store->threads);
    for (enum label_kind kind = 0; kind < LABEL_KINDS; kind++)
        if (store->labels_made[kind])
            marker_labels_free(&store->labels[kind]);
    if (store->opened)
        marker_catalog_free(&store->catalog);
    marker_store_init(store, store->profile);
}

/* ---- what all sets share ---- */

int marker_store_open(struct marker_store *store, struct error *error)
{
    if (store->opened)
        return 0;
    size_t count = store->profile->threads.count;
    if (!store->threads)
        store->threads = memory_zeroed(count > 0 ? count : 1, sizeof *store->threads);
    int status = store->threads ? marker_catalog_init(&store->catalog, store->profile, error) : error_out_of_memory(error);
    store->opened = status == 0;
    if (status != 0 && store->threads)
        marker_catalog_free(&store->catalog);
    return status;
}

int marker_store_thread(struct marker_store *store, struct thread_index thread, const struct marker_list **list,
                        struct error *error)
{
    struct thread_markers *of = &store->threads[thread.i];
    *list = &of->list;
    if (of->made)
        return 0;
    int status = marker_list_build(&of->list, &store->catalog, thread, error);
    if (status != 0)
        marker_list_free(&of->list);
    of->made = status == 0;
    return status;
}

int marker_store_nesting(struct marker_store *store, struct thread_index thread, const struct marker_nesting **nesting,
                         struct error *error)
{
    struct thread_markers *of = &store->threads[thread.i];
    *nesting = &of->nesting;
    if (of->nested)
        return 0;
    int status = marker_nesting_make(&of->nesting, &of->list, error);
    if (status != 0)
        marker_nesting_free(&of->nesting);
    of->nested = status == 0;
    return status;
}

int marker_store_labels(struct marker_store *store, enum label_kind kind, const struct marker_labels **labels,
                        struct error *error)
{
    *labels = &store->labels[kind];
    if (store->labels_made[kind])
        return 0;
    int status = marker_labels_init(&store->labels[kind], &store->catalog, kind, LABELS_OF_PAGE, error);
    if (status != 0)
        marker_labels_free(&store->labels[kind]);
    store->labels_made[kind] = status == 0;
    return status;
}

/* ---- sets ---- */

static void add_bytes(struct text_buffer *key, const void *bytes, size_t length)
{
    text_add(key, (struct slice){bytes, length});
}

static void make_key(struct text_buffer *key, const struct marker_wish *wish)
{
    add_bytes(key, &wish->range, sizeof wish->range);
    for (size_t i = 0; i < wish->thread_count; i++)
        add_bytes(key, &wish->threads[i].i, sizeof wish->threads[i].i);
    /* Apart from the threads, however many there are. */
    add_bytes(key, &wish->thread_count, sizeof wish->thread_count);
    text_add(key, wish->search);
}

static int add_thread(struct marker_store *store, const struct marker_wish *wish, struct thread_index thread,
                      struct marker_search *search, struct marker_refs *markers, struct error *error)
{
    const struct marker_list *list;
    int status = marker_store_thread(store, thread, &list, error);
    for (size_t i = 0; status == 0 && i < list->items.count; i++) {
        const struct marker *marker = &list->items.items[i];
        if (marker_touches(marker, wish->range.start, wish->range.end) && marker_search_matches(search, marker) &&
            !vec_push(&markers->items, ((struct marker_ref){thread.i, (uint32_t)i})))
            status = error_out_of_memory(error);
    }
    return status;
}

static int compare_starts(const void *a, const void *b, void *data)
{
    const struct marker_ref *x = a, *y = b;
    double left = marker_store_get(data, *x)->start, right = marker_store_get(data, *y)->start;
    if (left != right)
        return left < right ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int find_markers(struct marker_store *store, const struct marker_wish *wish, struct marker_refs *markers,
                        struct error *error)
{
    struct marker_search search;
    int status = marker_search_init(&search, &store->catalog, wish->search, error);
    for (size_t i = 0; i < wish->thread_count && status == 0; i++)
        status = add_thread(store, wish, wish->threads[i], &search, markers, error);
    if (status == 0 && search.failed)
        status = error_out_of_memory(error);
    marker_search_free(&search);
    if (status == 0 && wish->thread_count > 1 && markers->items.count > 1)
        qsort_r(markers->items.items, markers->items.count, sizeof *markers->items.items, compare_starts, store);
    return status;
}

static void drop_oldest(struct marker_store *store)
{
    size_t oldest = 0;
    for (size_t i = 1; i < store->set_count; i++)
        if (store->sets[i]->used < store->sets[oldest]->used)
            oldest = i;
    set_free(store->sets[oldest]);
    store->sets[oldest] = store->sets[--store->set_count];
}

static size_t kept_markers(const struct marker_store *store)
{
    size_t count = 0;
    for (size_t i = 0; i < store->set_count; i++)
        count += store->sets[i]->markers.items.count;
    return count;
}

/* Keeps a new set, whatever its size. */
static void keep_set(struct marker_store *store, struct marker_set *set)
{
    while (store->set_count == MARKER_SETS_MOST ||
           (store->set_count > 0 && kept_markers(store) + set->markers.items.count > MARKER_SETS_MOST_MARKERS))
        drop_oldest(store);
    store->sets[store->set_count++] = set;
}

int marker_store_set(struct marker_store *store, const struct marker_wish *wish, struct marker_set **set, struct error *error)
{
    struct text_buffer key = {0};
    make_key(&key, wish);
    store->used++;
    for (size_t i = 0; i < store->set_count && !key.failed; i++) {
        if (!slice_equal(text_slice(&store->sets[i]->key), text_slice(&key)))
            continue;
        text_free(&key);
        *set = store->sets[i];
        (*set)->used = store->used;
        return 0;
    }
    struct marker_set *made = key.failed ? NULL : memory_zeroed(1, sizeof *made);
    if (!made) {
        text_free(&key);
        return error_out_of_memory(error);
    }
    made->key = key;
    made->used = store->used;
    int status = find_markers(store, wish, &made->markers, error);
    if (status == 0)
        keep_set(store, made);
    else
        set_free(made);
    *set = status == 0 ? made : NULL;
    return status;
}

/* ---- parts ---- */

int marker_set_names(struct marker_store *store, struct marker_set *set, struct error *error)
{
    if (set->named)
        return 0;
    name_order_free(&set->names);
    bool fits = true;
    for (size_t i = 0; i < set->markers.items.count && fits; i++)
        fits = name_order_add(&set->names, marker_store_get(store, set->markers.items.items[i])->name);
    const struct category_list *categories = &store->profile->categories;
    for (size_t i = 0; i < categories->rows.count && fits; i++)
        fits = name_order_add(&set->names, categories->rows.items[i].name);
    set->named = fits && name_order_finish(&set->names, &store->catalog.texts);
    return set->named ? 0 : error_out_of_memory(error);
}

int marker_set_layout(struct marker_store *store, struct marker_set *set, const struct marker_layout **layout,
                      struct error *error)
{
    *layout = &set->layout;
    if (set->laid_out)
        return 0;
    int status = marker_set_names(store, set, error);
    if (status != 0)
        return status;
    status = marker_layout_make(&set->layout, store, &set->markers, &set->names, error);
    if (status != 0)
        marker_layout_free(&set->layout);
    set->laid_out = status == 0;
    return status;
}

int marker_set_order(struct marker_store *store, struct marker_set *set, const struct marker_sorting *sorting,
                     const struct marker_order **order, struct error *error)
{
    *order = &set->order;
    if (set->ordered && marker_sorting_equal(&set->order.sorting, sorting))
        return 0;
    marker_order_free(&set->order);
    set->ordered = false;
    int status = marker_set_names(store, set, error);
    if (status == 0)
        status = marker_order_make(&set->order, store, &set->markers, &set->names, sorting, error);
    set->ordered = status == 0;
    return status;
}
