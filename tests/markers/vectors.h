/* The marker vectors (tests/data/vectors-markers.json.gz) as one packed value, and profiles made from parts of it. */
#ifndef TESTS_MARKERS_VECTORS_H
#define TESTS_MARKERS_VECTORS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/profile.h"

struct vectors {
    /* Its strings are those of the whole file, so that packed values can be copied to where they belong. */
    struct profile profile;
    struct value_bytes bytes;
};

void vectors_open(struct vectors *vectors);
void vectors_close(struct vectors *vectors);

/* An empty profile again, with the same strings. */
void vectors_reset(struct vectors *vectors);

/* The value under `key`, or NULL; the value of a key at the top. */
const uint8_t *vector_find(const struct vectors *vectors, const uint8_t *object, const char *key);
const uint8_t *vector_top(const struct vectors *vectors, const char *key);

/* `for (each item) { … at … }` */
#define VECTOR_EACH(at, array)                                                                                                 \
    const uint8_t *at = value_read(array).rest, *at##_end = value_skip(array);                                                 \
    at < at##_end;                                                                                                             \
    at = value_skip(at)

size_t vector_count(const uint8_t *array);
const uint8_t *vector_item(const uint8_t *array, size_t index);
double vector_number(const uint8_t *at); /* NaN for what is no number */
struct slice vector_text(const struct vectors *vectors, const uint8_t *at);
bool vector_is_null(const uint8_t *at); /* also NULL itself */

/* The value as JSON, for messages; lives until the next call. */
const char *vector_json(const struct vectors *vectors, const uint8_t *at);

/* Fills the profile of `vectors`. */
void vector_add_categories(struct vectors *vectors, const uint8_t *categories); /* names or objects */
void vector_add_schema(struct vectors *vectors, const uint8_t *schema);
void vector_add_schema_fields(struct vectors *vectors, const char *name, const uint8_t *fields);

/* A packed payload at the end of `out`: fields that hold string indices by their schema hold the strings instead, and `cause`
 * is left out. */
void vector_put_payload(const struct vectors *vectors, const uint8_t *data, const uint8_t *string_array,
                        struct value_bytes *out);

/* A thread with these raw markers. */
void vector_add_thread(struct vectors *vectors, const uint8_t *raw_markers, const uint8_t *string_array);

#endif
