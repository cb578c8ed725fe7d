/* A JSON reader that pulls: the caller says what it expects next and gets it, straight from a window over the input.
 *
 *     if (json_begin_object(r))
 *         for (struct slice key; json_next_key(r, &key);)
 *             if (slice_is(key, "interval"))
 *                 interval = json_number(r);
 *             else
 *                 json_skip(r);
 *
 * Errors stick: after the first one every `begin` and `next` says false, every value is 0 or empty, and the message with the
 * byte offset is in the reader. So a loop needs no checks of its own, and one look at the end is enough. A `null` where a
 * number, text, array or object is expected is an error; the `_or_null` forms and json_null() accept it.
 *
 * Hostile input costs an error, never memory or stack: nesting deeper than JSON_MAX_DEPTH, numbers longer than
 * JSON_MAX_NUMBER characters or beyond the range of a double, invalid UTF-8, control characters in strings, truncated input
 * and keys that occur twice in one object are all refused, with the byte offset. A lone surrogate (`\ud800`) reads as U+FFFD.
 */
#ifndef SONDE_COMMON_JSON_READER_H
#define SONDE_COMMON_JSON_READER_H

#include "common/byte_source.h"
#include "common/error.h"
#include "common/slice.h"
#include "common/text_buffer.h"

#include <stdbool.h>
#include <stdint.h>

enum { JSON_MAX_DEPTH = 512, JSON_MAX_NUMBER = 1024 };

enum json_kind { JSON_FAILED, JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_TRUE, JSON_FALSE, JSON_NULL };

struct json_reader;

/* Reads from `source`, which stays the caller's and must outlive the reader. NULL with `error` filled when the heap is empty.
 * Errors found later go to the same `error`. */
struct json_reader *json_reader_open(struct byte_source *source, struct error *error);
void json_reader_close(struct json_reader *r); /* NULL is fine */

/* False once something was wrong. */
bool json_ok(const struct json_reader *r);

/* Whether what was wrong is that the input ends too soon: all that was there is right so far. */
bool json_ended_early(const struct json_reader *r);

/* Bytes consumed so far; where a value about to be read starts (white space aside). */
uint64_t json_offset(const struct json_reader *r);

/* Says that what was read makes no sense: `error` gets the message and the offset of the last value read. */
void json_fail(struct json_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says that the caller's heap is empty: `error` gets -ENOMEM. */
void json_fail_out_of_memory(struct json_reader *r);

/* What comes next; JSON_FAILED after an error or at the end. */
static inline enum json_kind json_peek(struct json_reader *r);

/* An object: `begin`, then one value read or skipped after each `next_key`, which says false at the end. The key (unescaped)
 * lives until the next call. */
bool json_begin_object(struct json_reader *r);
bool json_next_key(struct json_reader *r, struct slice *key);

/* From here on keys that occur twice are passed to the caller (true) or refused (false, as at first). Gecko writes payloads of
 * GC markers that say `major_gc_number` twice; a reader of such data keeps the last one, as JavaScript does. */
void json_allow_repeated_keys(struct json_reader *r, bool allow);

/* From here on keys are not held against each other at all, which is cheaper: for readers that take the last one anyway. To be
 * called before anything is read. */
void json_ignore_repeated_keys(struct json_reader *r);

/* Whether the last key was in its object before; only where that is allowed. */
bool json_key_repeated(const struct json_reader *r);

/* A place to note what the last key means to the caller, so that it need not be looked up every time: 0 at first, and what was
 * noted when the same key comes again, if the reader still knows it. NULL where there is none. `owner` says whose notes they
 * are; those of another owner are forgotten. */
static inline uint32_t *json_key_note(struct json_reader *r, const void *owner);

/* An array: `begin`, then one value read or skipped after each `next_item`, which says false at the end. */
static inline bool json_begin_array(struct json_reader *r);
static inline bool json_next_item(struct json_reader *r);

/* Values. A text (unescaped) lives until the next call. json_integer wants a whole number within int64. */
static inline double json_number(struct json_reader *r);
static inline int64_t json_integer(struct json_reader *r);
bool json_boolean(struct json_reader *r);
struct slice json_string(struct json_reader *r);
/* A number without exponent as `mantissa / 10^places`, both exact; false where something else comes, or where the mantissa is
 * more than a double holds, and nothing was read then. */
static inline bool json_decimal(struct json_reader *r, int64_t *mantissa, size_t *places);
static inline bool json_null(struct json_reader *r); /* consumes a `null` if one is next and says whether */

/* `absent` where the value is null. */
static inline double json_number_or_null(struct json_reader *r, double absent);
static inline int64_t json_integer_or_null(struct json_reader *r, int64_t absent);

/* Passes over one value of any kind, checking it all the same. */
void json_skip(struct json_reader *r);

/* The text of one value of any kind, checked; for what must be read later (`json_capture`, then byte_source_memory). The
 * copy is the caller's, to be given to memory_release(); `text` NULL after an error. */
struct slice json_capture(struct json_reader *r);

/* The text of what is read between these two, as it stands in the input, added to `text`: for what is read now and wanted as
 * text, too. Not to be mixed with json_capture(). */
void json_capture_begin(struct json_reader *r);
void json_capture_end(struct json_reader *r, struct text_buffer *text);

/* After the last value: only white space may follow. 0 or the code of the first error. */
int json_finish(struct json_reader *r);

/* --- internal from here on: what the hot paths need to be inlined --- */

/* The window: bytes [cur, end) are there to be read and at least JSON_PADDING zeros follow, so that scanning loops stop by
 * themselves and may load whole words. A zero at `cur` sends every fast path below to its slow one, which then finds out
 * whether more input, the end or an error is the reason: after an error the window is empty, and no fast path asks. */
struct json_reader {
    const char *cur;
    const char *end;
    uintptr_t token; /* address where the last value read starts; may lie before the window */
    unsigned depth;  /* open arrays and objects */
    bool fresh;      /* just after `[` or `{`, where no comma is due */
    uint32_t *key_note;
    const void *notes_owner;
};

enum { JSON_PADDING = 64 };

extern const uint8_t json_kinds[256]; /* what a value that starts with this byte is */
extern const double json_powers_of_ten[23];
extern const uint64_t json_tens[9]; /* the same in whole numbers */

enum json_kind json_peek_slow(struct json_reader *r);
bool json_begin_array_slow(struct json_reader *r);
bool json_next_item_slow(struct json_reader *r);
double json_number_slow(struct json_reader *r);
int64_t json_integer_slow(struct json_reader *r);
bool json_null_slow(struct json_reader *r);

void json_clear_notes(struct json_reader *r, const void *owner);

static inline uint32_t *json_key_note(struct json_reader *r, const void *owner)
{
    if (__builtin_expect(r->notes_owner != owner, 0))
        json_clear_notes(r, owner);
    return r->key_note;
}

static inline void json_took(struct json_reader *r, const char *next)
{
    r->token = (uintptr_t)r->cur;
    r->cur = next;
}

static inline enum json_kind json_peek(struct json_reader *r)
{
    enum json_kind kind = json_kinds[(unsigned char)*r->cur];
    return __builtin_expect(kind != JSON_FAILED, 1) ? kind : json_peek_slow(r);
}

static inline bool json_begin_array(struct json_reader *r)
{
    if (__builtin_expect(*r->cur != '[' || r->depth >= JSON_MAX_DEPTH, 0))
        return json_begin_array_slow(r);
    json_took(r, r->cur + 1);
    r->depth++;
    r->fresh = true;
    return true;
}

static inline bool json_next_item(struct json_reader *r)
{
    char c = *r->cur;
    if (r->fresh) {
        if (__builtin_expect((unsigned char)c <= ' ' || c == ']' || c == ',', 0))
            return json_next_item_slow(r);
        r->fresh = false;
        return true;
    }
    if (__builtin_expect(c == ',', 1)) {
        r->cur++;
        return true;
    }
    if (__builtin_expect(c != ']', 0))
        return json_next_item_slow(r);
    r->cur++;
    r->depth--;
    return false;
}

static inline unsigned json_digit(char c)
{
    return (unsigned)(unsigned char)c - '0';
}

/* Appends the digits at `p` to `value`; the first byte that is none. Eight at a time, without a branch for each: how many
 * digits a number has is what a CPU cannot guess. */
static inline const char *json_scan_digits(const char *p, uint64_t *value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (;;) {
        uint64_t word;
        memcpy(&word, p, 8);
        word ^= 0x3030303030303030u; /* digits are 0 to 9 now, and every other byte is more */
        uint64_t others = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
        unsigned count = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
        if (count == 0)
            return p;
        /* The first digit is the lowest byte; zeros move in below it, which count for nothing. */
        word <<= 64 - 8 * count;
        word = word * 10 + (word >> 8);
        word =
            ((word & 0x000000ff000000ffu) * 0x000f424000000064u + (word >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >>
            32;
        *value = *value * json_tens[count] + word;
        p += count;
        if (__builtin_expect(count < 8, 1))
            return p;
    }
#else
    for (unsigned digit; (digit = json_digit(*p)) <= 9; p++)
        *value = *value * 10 + digit;
    return p;
#endif
}

/* Digits with at most one point, no exponent, not cut by the end of the window: `mantissa / 10^places`. NULL for everything
 * else, right or wrong, that the slow path has to look at. */
static inline const char *json_scan_decimal(const char *start, uint64_t *mantissa, size_t *places)
{
    uint64_t value = json_digit(*start);
    const char *p = start + 1;
    /* A single digit is what a number is most often, and then in runs that are guessed well. */
    if (json_digit(*p) <= 9 || value > 9) {
        value = 0;
        p = json_scan_digits(start, &value);
    }
    if (__builtin_expect(p == start || (*start == '0' && p > start + 1), 0))
        return NULL;
    *places = 0;
    if (*p == '.') {
        const char *fraction = p + 1;
        p = json_scan_digits(fraction, &value);
        *places = (size_t)(p - fraction);
        if (__builtin_expect(p == fraction, 0))
            return NULL;
    }
    *mantissa = value;
    if (__builtin_expect(*p == '\0' || (*p | 0x20) == 'e' || p - start > 19, 0))
        return NULL;
    return p;
}

static inline double json_number(struct json_reader *r)
{
    const char *p = r->cur;
    bool negative = *p == '-';
    uint64_t mantissa;
    size_t places;
    p = json_scan_decimal(p + negative, &mantissa, &places);
    /* Both operands are exact below these limits, so the division rounds once, correctly. */
    if (__builtin_expect(!p || mantissa > (uint64_t)1 << 53, 0))
        return json_number_slow(r);
    json_took(r, p);
    double value = (double)mantissa;
    if (places > 0)
        value /= json_powers_of_ten[places];
    return negative ? -value : value;
}

static inline bool json_decimal(struct json_reader *r, int64_t *mantissa, size_t *places)
{
    const char *p = r->cur;
    bool negative = *p == '-';
    uint64_t digits;
    p = json_scan_decimal(p + negative, &digits, places);
    if (__builtin_expect(!p || digits > (uint64_t)1 << 53, 0))
        return false;
    json_took(r, p);
    *mantissa = negative ? -(int64_t)digits : (int64_t)digits;
    return true;
}

static inline int64_t json_integer(struct json_reader *r)
{
    const char *p = r->cur;
    bool negative = *p == '-';
    uint64_t mantissa;
    size_t places;
    p = json_scan_decimal(p + negative, &mantissa, &places);
    if (__builtin_expect(!p || places > 0 || mantissa > INT64_MAX, 0))
        return json_integer_slow(r);
    json_took(r, p);
    return negative ? -(int64_t)mantissa : (int64_t)mantissa;
}

static inline bool json_null(struct json_reader *r)
{
    if (__builtin_expect((unsigned char)*r->cur <= ' ' || *r->cur == 'n', 0)) {
        if (memcmp(r->cur, "null", 4) != 0)
            return json_null_slow(r);
        json_took(r, r->cur + 4);
        return true;
    }
    return false;
}

static inline double json_number_or_null(struct json_reader *r, double absent)
{
    return json_null(r) ? absent : json_number(r);
}

static inline int64_t json_integer_or_null(struct json_reader *r, int64_t absent)
{
    return json_null(r) ? absent : json_integer(r);
}

#endif
