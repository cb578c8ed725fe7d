/* The markers of a thread as people see them: starts and ends joined, in the order of their start.
 *
 *     struct marker_catalog catalog;
 *     struct marker_list list;
 *     marker_catalog_init(&catalog, profile, &error);
 *     marker_list_build(&list, &catalog, thread, &error);
 *     … list.items …
 *     marker_list_free(&list);
 *     marker_catalog_free(&catalog);
 */
#ifndef SONDE_MARKERS_MARKER_LIST_H
#define SONDE_MARKERS_MARKER_LIST_H

#include "markers/catalog.h"
#include "profile/time_span.h"

#include <math.h>

struct marker {
    double start, end;        /* ms of the profile's own time; end NaN = it is a moment */
    const uint8_t *data;      /* the payload, a packed object without `cause`, see catalog.h for its strings; NULL = none */
    struct string_index name; /* see catalog.h */
    struct category_index category;
    struct marker_index row;       /* the raw marker it was made of; the end of a pair; marker_none() = made by Sonde */
    struct marker_index start_row; /* the start of a pair, else marker_none() */
    bool incomplete;               /* its start or its end was not recorded: the thread's stands for it */
    bool cause_of_start;           /* if both markers of the pair have a cause, that of the start counts */
};

struct marker_list {
    VEC(struct marker) items;
    struct arena arena; /* holds payloads that were put together */
    const struct marker_table *raw;
};

/* All markers of the thread, sorted. `list` needs no initialisation and is to be freed in any case; the catalog must outlive
 * it. 0 or -ENOMEM. */
int marker_list_build(struct marker_list *list, const struct marker_catalog *catalog, struct thread_index thread,
                      struct error *error);

/* The same in no order, and only `with_jank` those that are made from samples. */
int marker_list_collect(struct marker_list *list, const struct marker_catalog *catalog, struct thread_index thread,
                        bool with_jank, struct error *error);
void marker_list_free(struct marker_list *list);

/* Sorts by start; markers that start together stay in their order. False when the heap is empty. */
bool marker_list_sort(struct marker_list *list);

static inline bool marker_has_end(const struct marker *marker)
{
    return !isnan(marker->end);
}

/* True where any part of it lies between the two times, both included. An end of 0 counts as none. */
static inline bool marker_touches(const struct marker *marker, double start, double end)
{
    double last = marker_has_end(marker) && marker->end != 0 ? marker->end : marker->start;
    return marker->start <= end && last >= start;
}

/* The raw marker whose cause_stack, cause_time and cause_tid tell where the marker came from, or marker_none(). */
struct marker_index marker_cause_row(const struct marker_list *list, const struct marker *marker);

#endif
