/* The markers of a profile, as asks need them: those of each thread, derived once, and the last sets of them that were asked
 * for.
 *
 * A set is what a state shows: the markers of its threads that touch its committed range and match its search. It has with it
 * what was derived from it: the rows of the chart, and the order of the table. */
#ifndef SONDE_API_MARKER_STORE_H
#define SONDE_API_MARKER_STORE_H

#include "api/marker_layout.h"
#include "api/marker_nesting.h"
#include "api/marker_order.h"
#include "markers/label.h"
#include "tree/view.h"

/* Kept at most: so many sets, and so many markers in all of them; the last one always. */
enum { MARKER_SETS_MOST = 8, MARKER_SETS_MOST_MARKERS = 4 << 20 };

struct marker_set {
    struct text_buffer key;
    uint64_t used; /* when, by the count of requests for sets */
    struct marker_refs markers;
    bool named, laid_out, ordered;
    struct name_order names; /* of markers and categories */
    struct marker_layout layout;
    struct marker_order order; /* the last one that was asked for */
};

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
    struct marker_set *sets[MARKER_SETS_MOST];
    size_t set_count;
    uint64_t used;
};

/* What a set is made of; times on the profile's own clock. */
struct marker_wish {
    const struct thread_index *threads;
    size_t thread_count;
    struct time_range range; /* both ends included */
    struct slice search;     /* markers/search.h */
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

/* A set; it lives until another one is asked for. */
int marker_store_set(struct marker_store *store, const struct marker_wish *wish, struct marker_set **set, struct error *error);

/* The marker of a set. */
static inline const struct marker *marker_store_get(const struct marker_store *store, struct marker_ref ref)
{
    return &store->threads[ref.thread].list.items.items[ref.index];
}

/* Parts of a set, made when they are first asked for. */
int marker_set_names(struct marker_store *store, struct marker_set *set, struct error *error);
int marker_set_layout(struct marker_store *store, struct marker_set *set, const struct marker_layout **layout,
                      struct error *error);
int marker_set_order(struct marker_store *store, struct marker_set *set, const struct marker_sorting *sorting,
                     const struct marker_order **order, struct error *error);

#endif
