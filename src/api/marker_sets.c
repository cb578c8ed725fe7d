#include "api/marker_sets.h"

#include "markers/search.h"

#include <stdlib.h>

static void set_free(struct marker_set *set)
{
    text_free(&set->key);
    vec_free(&set->markers.items);
    name_order_free(&set->names);
    marker_layout_free(&set->layout);
    text_free(&set->arranged);
    marker_order_free(&set->order);
    memory_release(set);
}

void marker_sets_free(struct marker_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++)
        set_free(sets->items[i]);
    sets->count = 0;
}

/* ---- which markers ---- */

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

/* A marker with its start, which is far away otherwise. */
struct started {
    double start;
    struct marker_ref ref;
};

static int compare_starts(const void *a, const void *b)
{
    const struct started *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->ref.thread != y->ref.thread)
        return x->ref.thread < y->ref.thread ? -1 : 1;
    return (x->ref.index > y->ref.index) - (x->ref.index < y->ref.index);
}

static int sort_markers(const struct marker_store *store, struct marker_refs *markers, struct error *error)
{
    size_t count = markers->items.count;
    struct started *started = memory_array(count, sizeof *started);
    if (!started)
        return error_out_of_memory(error);
    for (size_t i = 0; i < count; i++)
        started[i] = (struct started){marker_store_get(store, markers->items.items[i])->start, markers->items.items[i]};
    qsort(started, count, sizeof *started, compare_starts);
    for (size_t i = 0; i < count; i++)
        markers->items.items[i] = started[i].ref;
    memory_release(started);
    return 0;
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
        status = sort_markers(store, markers, error);
    return status;
}

/* ---- what to keep ---- */

static void drop_oldest(struct marker_sets *sets)
{
    size_t oldest = 0;
    for (size_t i = 1; i < sets->count; i++)
        if (sets->items[i]->used < sets->items[oldest]->used)
            oldest = i;
    set_free(sets->items[oldest]);
    sets->items[oldest] = sets->items[--sets->count];
}

static size_t kept_markers(const struct marker_sets *sets)
{
    size_t count = 0;
    for (size_t i = 0; i < sets->count; i++)
        count += sets->items[i]->markers.items.count;
    return count;
}

/* Keeps a new set, whatever its size. */
static void keep_set(struct marker_sets *sets, struct marker_set *set)
{
    while (sets->count == MARKER_SETS_MOST ||
           (sets->count > 0 && kept_markers(sets) + set->markers.items.count > MARKER_SETS_MOST_MARKERS))
        drop_oldest(sets);
    sets->items[sets->count++] = set;
}

int marker_sets_get(struct marker_sets *sets, struct marker_store *store, const struct marker_wish *wish,
                    struct marker_set **set, struct error *error)
{
    struct text_buffer key = {0};
    make_key(&key, wish);
    sets->used++;
    for (size_t i = 0; i < sets->count && !key.failed; i++) {
        if (!slice_equal(text_slice(&sets->items[i]->key), text_slice(&key)))
            continue;
        text_free(&key);
        *set = sets->items[i];
        (*set)->used = sets->used;
        return 0;
    }
    struct marker_set *made = key.failed ? NULL : memory_zeroed(1, sizeof *made);
    if (!made) {
        text_free(&key);
        return error_out_of_memory(error);
    }
    made->key = key;
    made->used = sets->used;
    int status = find_markers(store, wish, &made->markers, error);
    if (status == 0)
        keep_set(sets, made);
    else
        set_free(made);
    *set = status == 0 ? made : NULL;
    return status;
}

/* ---- parts ---- */

static int name_set(const struct marker_store *store, struct marker_set *set, struct error *error)
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

static void add_texts(struct text_buffer *key, const struct slice *texts, size_t count)
{
    add_bytes(key, &count, sizeof count);
    for (size_t i = 0; i < count; i++) {
        add_bytes(key, &texts[i].length, sizeof texts[i].length);
        text_add(key, texts[i]);
    }
}

int marker_set_layout(const struct marker_store *store, struct marker_set *set, const struct marker_arrangement *arrangement,
                      const struct marker_layout **layout, struct error *error)
{
    struct text_buffer arranged = {0};
    *layout = &set->layout;
    add_texts(&arranged, arrangement->pinned, arrangement->pinned_count);
    add_texts(&arranged, arrangement->folded, arrangement->folded_count);
    if (arranged.failed || (set->laid_out && slice_equal(text_slice(&arranged), text_slice(&set->arranged)))) {
        bool failed = arranged.failed;
        text_free(&arranged);
        return failed ? error_out_of_memory(error) : 0;
    }
    if (set->laid_out)
        marker_layout_free(&set->layout);
    text_free(&set->arranged);
    set->arranged = arranged;
    set->laid_out = false;
    int status = name_set(store, set, error);
    if (status != 0)
        return status;
    status = marker_layout_make(&set->layout, store, &set->markers, &set->names, arrangement, error);
    if (status != 0)
        marker_layout_free(&set->layout);
    set->laid_out = status == 0;
    return status;
}

int marker_set_order(const struct marker_store *store, struct marker_set *set, const struct marker_sorting *sorting,
                     const struct marker_order **order, struct error *error)
{
    *order = &set->order;
    if (set->ordered && marker_sorting_equal(&set->order.sorting, sorting))
        return 0;
    marker_order_free(&set->order);
    set->ordered = false;
    int status = name_set(store, set, error);
    if (status == 0)
        status = marker_order_make(&set->order, store, &set->markers, &set->names, sorting, error);
    set->ordered = status == 0;
    return status;
}
