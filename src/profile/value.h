/* Values of any shape, as JSON has them, packed into few bytes.
 *
 * Marker payloads, and the parts of a profile that Sonde hands on without a use of its own for them, are kept like this.
 * A value is one LEB128 number, head = operand << 3 | tag, and what follows it:
 *
 *     literal   operand 0 null, 1 false, 2 true
 *     integer   operand = the number, zigzag
 *     decimal   operand = the number * 1e6, zigzag (times in milliseconds are on that grid)
 *     double    operand 0, then the 8 bytes
 *     string    operand = index in the profile's strings
 *     array     operand = count, then the items
 *     object    operand = count, then key (LEB128 string index) and value, in the order of the file
 *
 * Packed values are made by this file only, so readers trust them. */
#ifndef SONDE_PROFILE_VALUE_H
#define SONDE_PROFILE_VALUE_H

#include "common/json_reader.h"
#include "common/json_writer.h"
#include "common/string_table.h"
#include "common/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum value_kind { VALUE_NULL, VALUE_FALSE, VALUE_TRUE, VALUE_INTEGER, VALUE_NUMBER, VALUE_STRING, VALUE_ARRAY, VALUE_OBJECT };

struct value {
    enum value_kind kind;
    union {
        int64_t integer;            /* VALUE_INTEGER */
        double number;              /* VALUE_NUMBER */
        struct string_index string; /* VALUE_STRING */
        uint32_t count;             /* VALUE_ARRAY, VALUE_OBJECT */
    };
    const uint8_t *rest; /* first item (arrays), first key (objects), else what follows the value */
};

struct value_bytes {
    VEC(uint8_t) bytes;
};

/* ---- reading ---- */

struct value value_read(const uint8_t *at);

/* What follows the value at `at`. */
const uint8_t *value_skip(const uint8_t *at);

/* The next key of an object: *at moves from the key to its value. */
struct string_index value_read_key(const uint8_t **at);

/* The value under `key` in the object at `object`, or NULL; NULL also where `object` is NULL or no object. */
const uint8_t *value_find(const uint8_t *object, struct string_index key);

/* True for numbers, which it gives as a double. */
bool value_as_number(const struct value *value, double *number);

/* ---- writing: false when the heap is empty ---- */

bool value_put_null(struct value_bytes *out);
bool value_put_boolean(struct value_bytes *out, bool boolean);
bool value_put_integer(struct value_bytes *out, int64_t integer);
bool value_put_number(struct value_bytes *out, double number); /* NaN puts null; whole numbers become integers */
bool value_put_string(struct value_bytes *out, struct string_index string);
bool value_put_array(struct value_bytes *out, uint32_t count);  /* `count` values must follow */
bool value_put_object(struct value_bytes *out, uint32_t count); /* `count` times a key and a value must follow */
bool value_put_key(struct value_bytes *out, struct string_index key);
bool value_put_copy(struct value_bytes *out, const uint8_t *at);                    /* a whole value */
bool value_put_bytes(struct value_bytes *out, const uint8_t *bytes, size_t length); /* packed already */

/* An array or object whose count is known only at its end: `value_open` gives the place of its head (SIZE_MAX when the heap is
 * empty), then come the items, or keys and values, and `value_close_…` writes the head. */
size_t value_open(struct value_bytes *out);
bool value_close_array(struct value_bytes *out, size_t place, uint32_t count);
bool value_close_object(struct value_bytes *out, size_t place, uint32_t count);

/* The open object at `place` ends with a key, at `last`, and its value; `count` has it counted. If the key was there before,
 * the earlier value gives way to this one, as in JavaScript, and there is one key less. False when the heap is empty. */
bool value_merge_repeated_key(struct value_bytes *out, size_t place, uint32_t *count, size_t last);
enum { VALUE_MAX_REPEATED_KEYS = 16 }; /* in one object: each costs a walk over it */

/* A string that is known later: a place of fixed size, which value_set_string fills. */
bool value_put_string_place(struct value_bytes *out, size_t *place);
void value_set_string(struct value_bytes *out, size_t place, struct string_index string);

/* ---- from and to JSON ---- */

/* Packs the next value of any kind at the end of `out`; texts go to `strings`. Failures are the reader's. Where the reader
 * allows keys that occur twice, the last value counts. */
void value_from_json(struct json_reader *r, struct string_table *strings, struct value_bytes *out);

/* The key that `r` just gave, as a string of the table; keys that come again and again are not looked up every time. */
struct string_index value_intern_key(struct json_reader *r, struct slice key, struct string_table *strings);

/* Writes the value at `at`. */
void value_to_json(const uint8_t *at, const struct string_table *strings, struct json_writer *w);

/* The same where string indices from the count of `strings` on are those of `added`. */
void value_to_json_extended(const uint8_t *at, const struct string_table *strings, const struct string_table *added,
                            struct json_writer *w);

void value_bytes_free(struct value_bytes *out);

#endif
