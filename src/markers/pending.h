/* Raw markers that wait for the one that ends them, by a value in their payload. */
#ifndef SONDE_MARKERS_PENDING_H
#define SONDE_MARKERS_PENDING_H

#include "common/map.h"
#include "common/vec.h"
#include "profile/indices.h"

#include <stdbool.h>
#include <stdint.h>

struct pending {
    const uint8_t *key; /* a packed value; NULL = the payload does not have it, which is a key, too */
    size_t key_length;
    struct marker_index row; /* marker_none() = nothing waits */
    uint64_t order;          /* when it began to wait */
};

struct pending_set {
    VEC(struct pending) items;
    struct map by_key;
    uint64_t next_order;
};

/* The marker that waits with this key, which does not wait any longer then; or marker_none(). */
struct marker_index pending_take(struct pending_set *set, const uint8_t *key);

/* Lets a marker wait. One that already waits with the key is forgotten, and its place in the order is taken. False when the
 * heap is empty. */
bool pending_put(struct pending_set *set, const uint8_t *key, struct marker_index row);

/* Sorts by the order of waiting. Nothing but pending_set_free() may be called after that. */
void pending_sort(struct pending_set *set);

void pending_set_free(struct pending_set *set);

#endif
