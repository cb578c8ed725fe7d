/* The last sets of markers that were asked for.
 *
 * A set is what a state shows: the markers of its threads that touch its committed range and match its search. It has with it
 * what was derived from it: the rows of the chart, and the order of the table. */
#ifndef SONDE_API_MARKER_SETS_H
#define SONDE_API_MARKER_SETS_H

#include "api/marker_layout.h"
#include "api/marker_order.h"
#include "api/marker_store.h"

/* Kept at most: so many sets, and so many markers in all of them; the last one always. */
enum { MARKER_SETS_MOST = 8, MARKER_SETS_MOST_MARKERS = 4 << 20 };

struct marker_set {
    struct text_buffer key;
    uint64_t used; /* when, by the count of requests for sets */
    struct marker_refs markers;
    bool named, laid_out, ordered;
    struct name_order names;     /* of markers and categories */
    struct marker_layout layout; /* the last one that was asked for */
    struct text_buffer arranged; /* … and how */
    struct marker_order order;   /* the last one that was asked for */
};

struct marker_sets {
    struct marker_set *items[MARKER_SETS_MOST];
    size_t count;
    uint64_t used;
};

/* What a set is made of; times on the profile's own clock. */
struct marker_wish {
    const struct thread_index *threads;
    size_t thread_count;
    struct time_range range; /* both ends included */
    struct slice search;     /* markers/search.h */
};

/* A zeroed struct has none. */
void marker_sets_free(struct marker_sets *sets);

/* A set; it lives until another one is asked for. 0 or -ENOMEM, as below. */
int marker_sets_get(struct marker_sets *sets, struct marker_store *store, const struct marker_wish *wish,
                    struct marker_set **set, struct error *error);

/* Parts of a set, made when they are first asked for. */
int marker_set_layout(const struct marker_store *store, struct marker_set *set, const struct marker_arrangement *arrangement,
                      const struct marker_layout **layout, struct error *error);
int marker_set_order(const struct marker_store *store, struct marker_set *set, const struct marker_sorting *sorting,
                     const struct marker_order **order, struct error *error);

#endif
