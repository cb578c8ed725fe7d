/* The rows of the marker table: markers of a set that touch the preview range, sorted by some of its columns. */
#ifndef SONDE_API_MARKER_ORDER_H
#define SONDE_API_MARKER_ORDER_H

#include "api/marker_store.h"
#include "api/name_order.h"
#include "api/request.h"

struct marker_sorting {
    struct time_span preview; /* both ends included */
    struct marker_sort sort;
};

struct marker_order {
    struct marker_sorting sorting;
    struct marker_refs rows;
    struct string_index type; /* of the payload of all rows; STRING_NONE where they have several */
};

/* Markers that are equal in all columns of the sort stay in the order of `markers`; a moment is shorter than any interval, and
 * categories are in the order of the chart. `order` needs no initialisation and is to be freed in any case. 0 or -ENOMEM. */
int marker_order_make(struct marker_order *order, const struct marker_store *store, const struct marker_refs *markers,
                      const struct name_order *names, const struct marker_sorting *sorting, struct error *error);
void marker_order_free(struct marker_order *order);

bool marker_sorting_equal(const struct marker_sorting *left, const struct marker_sorting *right);

#endif
