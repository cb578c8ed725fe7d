/* The order of names: without regard to case, names that differ in case alone as their bytes. */
#ifndef SONDE_API_NAME_ORDER_H
#define SONDE_API_NAME_ORDER_H

#include "common/map.h"
#include "common/vec.h"
#include "markers/texts.h"

struct ordered_name {
    struct string_index name;
    uint32_t rank;
};

struct name_order {
    VEC(struct ordered_name) rows;
    struct map by_name;
};

/* A zeroed struct has no names. Add names, each any number of times, then finish once, then ask for ranks. False when the heap
 * is empty. */
bool name_order_add(struct name_order *order, struct string_index name);
bool name_order_finish(struct name_order *order, const struct marker_texts *texts);

/* The place of a name that was added. */
uint32_t name_order_rank(const struct name_order *order, struct string_index name);

void name_order_free(struct name_order *order);

#endif
