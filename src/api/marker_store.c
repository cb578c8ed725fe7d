#include "api/marker_store.h"

void marker_store_init(struct marker_store *store, const struct profile *profile)
{
    *store = (struct marker_store){.profile = profile};
}

static void thread_markers_free(struct thread_markers *of)
{
    if (of->made)
        marker_list_free(&of->list);
    marker_nesting_free(&of->nesting);
}

void marker_store_free(struct marker_store *store)
{
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
