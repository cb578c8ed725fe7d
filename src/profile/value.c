#include "profile/value.h"

#include "common/leb128.h"

#include <math.h>
#include <string.h>

enum tag { TAG_LITERAL, TAG_INTEGER, TAG_DECIMAL, TAG_DOUBLE, TAG_STRING, TAG_ARRAY, TAG_OBJECT };
enum literal { LITERAL_NULL, LITERAL_FALSE, LITERAL_TRUE };

enum { TAG_BITS = 3 };

/* Numbers whose zigzag form still fits into a head. */
#define LARGEST_OPERAND (INT64_C(1) << 59)

/* ---- reading ---- */

static uint64_t read_head(const uint8_t **at)
{
    uint64_t head = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = *(*at)++;
        head |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return head;
}

struct value value_read(const uint8_t *at)
{
    uint64_t head = read_head(&at);
    uint64_t operand = head >> TAG_BITS;
    struct value value = {.kind = VALUE_NULL, .rest = at};
    switch ((enum tag)(head & ((1 << TAG_BITS) - 1))) {
    case TAG_LITERAL:
        value.kind = operand == LITERAL_TRUE ? VALUE_TRUE : operand == LITERAL_FALSE ? VALUE_FALSE : VALUE_NULL;
        break;
    case TAG_INTEGER:
        value.kind = VALUE_INTEGER;
        value.integer = zigzag_decode(operand);
        break;
    case TAG_DECIMAL:
        value.kind = VALUE_NUMBER;
        value.number = (double)zigzag_decode(operand) / 1e6;
        break;
    case TAG_DOUBLE:
        value.kind = VALUE_NUMBER;
        memcpy(&value.number, at, sizeof value.number);
        value.rest += sizeof value.number;
        break;
    case TAG_STRING:
        value.kind = VALUE_STRING;
        value.string = string_at(operand);
        break;
    case TAG_ARRAY:
        value.kind = VALUE_ARRAY;
        value.count = (uint32_t)operand;
        break;
    case TAG_OBJECT:
        value.kind = VALUE_OBJECT;
        value.count = (uint32_t)operand;
        break;
    }
    return value;
}

struct string_index value_read_key(const uint8_t **at)
{
    return string_at(read_head(at));
}

const uint8_t *value_skip(const uint8_t *at)
{
    struct value value = value_read(at);
    at = value.rest;
    if (value.kind == VALUE_ARRAY || value.kind == VALUE_OBJECT)
        for (uint32_t i = 0; i < value.count; i++) {
            if (value.kind == VALUE_OBJECT)
                value_read_key(&at);
            at = value_skip(at);
        }
    return at;
}

const uint8_t *value_find(const uint8_t *object, struct string_index key)
{
    if (!object || !string_exists(key))
        return NULL;
    struct value value = value_read(object);
    if (value.kind != VALUE_OBJECT)
        return NULL;
    const uint8_t *at = value.rest;
    for (uint32_t i = 0; i < value.count; i++) {
        if (string_same(value_read_key(&at), key))
            return at;
        at = value_skip(at);
    }
    return NULL;
}

bool value_as_number(const struct value *value, double *number)
{
    if (value->kind == VALUE_INTEGER)
        *number = (double)value->integer;
    else if (value->kind == VALUE_NUMBER)
        *number = value->number;
    else
        return false;
    return true;
}

/* ---- writing ---- */

static bool put_leb128(struct value_bytes *out, uint64_t number)
{
    if (!vec_reserve(&out->bytes, out->bytes.count + LEB128_MAX_BYTES))
        return false;
    out->bytes.count += leb128_write(out->bytes.items + out->bytes.count, number);
    return true;
}

static bool put_head(struct value_bytes *out, enum tag tag, uint64_t operand)
{
    return put_leb128(out, operand << TAG_BITS | (uint64_t)tag);
}

bool value_put_null(struct value_bytes *out)
{
    return put_head(out, TAG_LITERAL, LITERAL_NULL);
}

bool value_put_boolean(struct value_bytes *out, bool boolean)
{
    return put_head(out, TAG_LITERAL, boolean ? LITERAL_TRUE : LITERAL_FALSE);
}

static bool put_double(struct value_bytes *out, double number)
{
    if (!put_head(out, TAG_DOUBLE, 0) || !vec_reserve(&out->bytes, out->bytes.count + sizeof number))
        return false;
    memcpy(out->bytes.items + out->bytes.count, &number, sizeof number);
    out->bytes.count += sizeof number;
    return true;
}

bool value_put_integer(struct value_bytes *out, int64_t integer)
{
    if (integer > -LARGEST_OPERAND && integer < LARGEST_OPERAND)
        return put_head(out, TAG_INTEGER, zigzag_encode(integer));
    return put_double(out, (double)integer);
}

bool value_put_number(struct value_bytes *out, double number)
{
    if (isnan(number))
        return value_put_null(out);
    if (fabs(number) < 9e15 && rint(number) == number)
        return value_put_integer(out, (int64_t)number);
    double millionths = rint(number * 1e6);
    if (fabs(millionths) < 4e15 && millionths / 1e6 == number)
        return put_head(out, TAG_DECIMAL, zigzag_encode((int64_t)millionths));
    return put_double(out, number);
}

bool value_put_string(struct value_bytes *out, struct string_index string)
{
    return put_head(out, TAG_STRING, string.i);
}

bool value_put_array(struct value_bytes *out, uint32_t count)
{
    return put_head(out, TAG_ARRAY, count);
}

bool value_put_object(struct value_bytes *out, uint32_t count)
{
    return put_head(out, TAG_OBJECT, count);
}

bool value_put_key(struct value_bytes *out, struct string_index key)
{
    return put_leb128(out, key.i);
}

bool value_put_bytes(struct value_bytes *out, const uint8_t *bytes, size_t length)
{
    if (!vec_reserve(&out->bytes, out->bytes.count + length))
        return false;
    if (length > 0)
        memcpy(out->bytes.items + out->bytes.count, bytes, length);
    out->bytes.count += length;
    return true;
}

bool value_put_copy(struct value_bytes *out, const uint8_t *at)
{
    return value_put_bytes(out, at, (size_t)(value_skip(at) - at));
}

/* The head of an array or object comes before its items, but the count is known only after them: one byte is left for the
 * head, and the items move up in the rare case that the head needs more. */
static bool close_group(struct value_bytes *out, size_t head, enum tag tag, uint32_t count)
{
    uint8_t bytes[LEB128_MAX_BYTES];
    size_t length = leb128_write(bytes, (uint64_t)count << TAG_BITS | (uint64_t)tag);
    if (length > 1) {
        if (!vec_reserve(&out->bytes, out->bytes.count + length))
            return false;
        memmove(out->bytes.items + head + length, out->bytes.items + head + 1, out->bytes.count - head - 1);
        out->bytes.count += length - 1;
    }
    memcpy(out->bytes.items + head, bytes, length);
    return true;
}

size_t value_open(struct value_bytes *out)
{
    size_t place = out->bytes.count;
    return vec_push(&out->bytes, 0) ? place : SIZE_MAX;
}

bool value_close_array(struct value_bytes *out, size_t place, uint32_t count)
{
    return close_group(out, place, TAG_ARRAY, count);
}

bool value_close_object(struct value_bytes *out, size_t place, uint32_t count)
{
    return close_group(out, place, TAG_OBJECT, count);
}

bool value_merge_repeated_key(struct value_bytes *out, size_t place, uint32_t *count, size_t last)
{
    uint8_t *bytes = out->bytes.items;
    const uint8_t *at = bytes + last;
    struct string_index key = value_read_key(&at);
    size_t value = (size_t)(at - bytes), length = out->bytes.count - value;
    bool found = false;
    at = bytes + place + 1;
    for (uint32_t i = 0; i + 1 < *count && !found; i++) {
        found = string_same(value_read_key(&at), key);
        if (!found)
            at = value_skip(at);
    }
    if (!found)
        return true;
    uint8_t *copy = memory_array(length, 1);
    if (!copy)
        return false;
    size_t earlier = (size_t)(at - bytes), after = (size_t)(value_skip(at) - bytes);
    memcpy(copy, bytes + value, length);
    memmove(bytes + earlier + length, bytes + after, last - after);
    memcpy(bytes + earlier, copy, length);
    memory_release(copy);
    out->bytes.count = earlier + length + last - after;
    --*count;
    return true;
}

/* A head of STRING_PLACE bytes, whatever its operand: LEB128 with zeros on top. */
enum { STRING_PLACE = 5 };

bool value_put_string_place(struct value_bytes *out, size_t *place)
{
    *place = out->bytes.count;
    if (!vec_reserve(&out->bytes, out->bytes.count + STRING_PLACE))
        return false;
    out->bytes.count += STRING_PLACE;
    value_set_string(out, *place, string_at(0));
    return true;
}

void value_set_string(struct value_bytes *out, size_t place, struct string_index string)
{
    uint64_t head = (uint64_t)string.i << TAG_BITS | TAG_STRING;
    for (size_t i = 0; i < STRING_PLACE; i++)
        out->bytes.items[place + i] = (uint8_t)((head >> i * 7 & 0x7f) | (i < STRING_PLACE - 1 ? 0x80 : 0));
}

void value_bytes_free(struct value_bytes *out)
{
    vec_free(&out->bytes);
}

/* ---- from and to JSON ---- */

/* Most numbers are whole or on the grid of 1e-6, which their digits say already. Those that end in zeros may be whole for all
 * their point, and are looked at as numbers. */
static bool put_json_number(struct json_reader *r, struct value_bytes *out)
{
    static const int64_t grid[] = {1000000, 100000, 10000, 1000, 100, 10, 1};
    int64_t mantissa;
    size_t places;
    if (__builtin_expect(!json_decimal(r, &mantissa, &places), 0))
        return value_put_number(out, json_number(r));
    if (places == 0)
        return value_put_integer(out, mantissa);
    if (places <= 6 && mantissa % 10 != 0 && mantissa < INT64_C(4000000000) && mantissa > -INT64_C(4000000000))
        return put_head(out, TAG_DECIMAL, zigzag_encode(mantissa * grid[places]));
    return value_put_number(out, (double)mantissa / json_powers_of_ten[places]);
}

static bool put_json_string(struct json_reader *r, struct string_table *strings, struct value_bytes *out)
{
    struct string_index string = string_table_add(strings, json_string(r));
    return string_exists(string) && value_put_string(out, string);
}

static bool put_json(struct json_reader *r, struct string_table *strings, struct value_bytes *out);

static bool put_json_array(struct json_reader *r, struct string_table *strings, struct value_bytes *out)
{
    size_t head = value_open(out);
    uint32_t count = 0;
    if (head == SIZE_MAX)
        return false;
    if (json_begin_array(r))
        for (; json_next_item(r); count++)
            if (!put_json(r, strings, out))
                return false;
    return value_close_array(out, head, count);
}

struct string_index value_intern_key(struct json_reader *r, struct slice key, struct string_table *strings)
{
    uint32_t *note = json_key_note(r, strings);
    if (note && *note > 0)
        return string_at(*note - 1);
    struct string_index name = string_table_add(strings, key);
    if (note)
        *note = name.i + 1; /* 0 where the heap was empty */
    return name;
}

static bool put_json_object(struct json_reader *r, struct string_table *strings, struct value_bytes *out)
{
    size_t head = value_open(out);
    uint32_t count = 0, repeats = 0;
    if (head == SIZE_MAX)
        return false;
    if (json_begin_object(r))
        for (struct slice key; json_next_key(r, &key);) {
            bool repeated = json_key_repeated(r);
            size_t at = out->bytes.count;
            struct string_index name = value_intern_key(r, key, strings);
            if (!string_exists(name) || !value_put_key(out, name) || !put_json(r, strings, out))
                return false;
            count++;
            if (__builtin_expect(!repeated, 1))
                continue;
            if (!value_merge_repeated_key(out, head, &count, at))
                return false;
            if (++repeats > VALUE_MAX_REPEATED_KEYS)
                json_fail(r, "too many repeated keys in one object");
        }
    return value_close_object(out, head, count);
}

/* Recursion is bounded by the reader's JSON_MAX_DEPTH. */
static bool put_json(struct json_reader *r, struct string_table *strings, struct value_bytes *out)
{
    switch (json_peek(r)) {
    case JSON_OBJECT:
        return put_json_object(r, strings, out);
    case JSON_ARRAY:
        return put_json_array(r, strings, out);
    case JSON_STRING:
        return put_json_string(r, strings, out);
    case JSON_NUMBER:
        return put_json_number(r, out);
    case JSON_TRUE:
    case JSON_FALSE:
        return value_put_boolean(out, json_boolean(r));
    case JSON_NULL:
    case JSON_FAILED:
        json_null(r);
        return value_put_null(out);
    }
    return false;
}

void value_from_json(struct json_reader *r, struct string_table *strings, struct value_bytes *out)
{
    if (!put_json(r, strings, out))
        json_fail_out_of_memory(r);
}

/* Two tables whose indices follow each other. */
struct texts {
    const struct string_table *strings, *added;
};

static struct slice text_of(const struct texts *texts, struct string_index index)
{
    size_t count = string_table_count(texts->strings);
    if (texts->added && index.i >= count)
        return string_table_get(texts->added, string_at(index.i - count));
    return string_table_get(texts->strings, index);
}

static const uint8_t *write_value(const uint8_t *at, const struct texts *texts, struct json_writer *w)
{
    struct value value = value_read(at);
    at = value.rest;
    switch (value.kind) {
    case VALUE_NULL:
        json_write_null(w);
        break;
    case VALUE_FALSE:
    case VALUE_TRUE:
        json_write_boolean(w, value.kind == VALUE_TRUE);
        break;
    case VALUE_INTEGER:
        json_write_integer(w, value.integer);
        break;
    case VALUE_NUMBER:
        json_write_number(w, value.number);
        break;
    case VALUE_STRING:
        json_write_string(w, text_of(texts, value.string));
        break;
    case VALUE_ARRAY:
        json_write_begin_array(w);
        for (uint32_t i = 0; i < value.count; i++)
            at = write_value(at, texts, w);
        json_write_end_array(w);
        break;
    case VALUE_OBJECT:
        json_write_begin_object(w);
        for (uint32_t i = 0; i < value.count; i++) {
            json_write_key_slice(w, text_of(texts, value_read_key(&at)));
            at = write_value(at, texts, w);
        }
        json_write_end_object(w);
        break;
    }
    return at;
}

void value_to_json_extended(const uint8_t *at, const struct string_table *strings, const struct string_table *added,
                            struct json_writer *w)
{
    struct texts texts = {strings, added};
    write_value(at, &texts, w);
}

void value_to_json(const uint8_t *at, const struct string_table *strings, struct json_writer *w)
{
    value_to_json_extended(at, strings, NULL, w);
}
