/* Payloads put together from two. */
#ifndef SONDE_MARKERS_PAYLOAD_H
#define SONDE_MARKERS_PAYLOAD_H

#include "common/arena.h"
#include "profile/value.h"

/* The fields of the object `base`, with the values that the object `over` has for them, and then the other fields of `over`.
 * The result is in `arena`; `scratch` is emptied first. NULL when the heap is empty. */
const uint8_t *payload_overlay(const uint8_t *base, const uint8_t *over, struct value_bytes *scratch, struct arena *arena);

/* The object without one of its fields, likewise; the object itself where it does not have it. */
const uint8_t *payload_without(const uint8_t *object, struct string_index key, struct value_bytes *scratch,
                               struct arena *arena);

#endif
