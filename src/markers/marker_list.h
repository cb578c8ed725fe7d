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

#include "markers/marker.h"

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

/* The raw marker whose cause_stack, cause_time and cause_tid tell where the marker came from, or marker_none(). */
struct marker_index marker_cause_row(const struct marker_list *list, const struct marker *marker);

#endif
