/* The markers of a profile, as asks need them: their texts and labels, and those of each thread, derived when they are first
 * asked for and then kept. */
#ifndef SONDE_API_MARKER_STORE_H
#define SONDE_API_MARKER_STORE_H

#include "api/marker_nesting.h"
#include "api/marker_ref.h"
#include "markers/label.h"

struct thread_markers {
    bool made, nested;
    struct marker_list list;
    struct marker_nesting nesting;
};

struct marker_store {
    const struct profile *profile;
    bool opened;
    struct marker_catalog catalog;
    bool labels_made[LABEL_KINDS];
    struct marker_labels labels[LABEL_KINDS];
    struct thread_markers *threads; /* one for each of the profile */
};

/* Nothing is read before it is asked for. */
void marker_store_init(struct marker_store *store, const struct profile *profile);
void marker_store_free(struct marker_store *store);

/* Makes the catalog, whose texts all markers have. 0 or -ENOMEM, like all below. */
int marker_store_open(struct marker_store *store, struct error *error);

/* The list of a thread, which stays as it is. */
int marker_store_thread(struct marker_store *store, struct thread_index thread, const struct marker_list **list,
                        struct error *error);

/* Its levels; the list was asked for before. */
int marker_store_nesting(struct marker_store *store, struct thread_index thread, const struct marker_nesting **nesting,
                         struct error *error);

/* Labels of a kind. */
int marker_store_labels(struct marker_store *store, enum label_kind kind, const struct marker_labels **labels,
                        struct error *error);

/* A marker of a thread whose list was asked for. */
static inline const struct marker *marker_store_get(const struct marker_store *store, struct marker_ref ref)
{
    return &store->threads[ref.thread].list.items.items[ref.index];
}

#endif
