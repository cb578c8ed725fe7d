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

/* Bytes consumed so far; where a value about to be read starts (white space aside). */
uint64_t json_offset(const struct json_reader *r);

/* Says that what was read makes no sense: `error` gets the message and the offset of the last value read. */
void json_fail(struct json_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What comes next; JSON_FAILED after an error or at the end. */
enum json_kind json_peek(struct json_reader *r);

/* An object: `begin`, then one value read or skipped after each `next_key`, which says false at the end. The key (unescaped)
 * lives until the next call. */
bool json_begin_object(struct json_reader *r);
bool json_next_key(struct json_reader *r, struct slice *key);

/* An array: `begin`, then one value read or skipped after each `next_item`, which says false at the end. */
bool json_begin_array(struct json_reader *r);
bool json_next_item(struct json_reader *r);

/* Values. A text (unescaped) lives until the next call. json_integer wants a whole number within int64. */
double json_number(struct json_reader *r);
int64_t json_integer(struct json_reader *r);
bool json_boolean(struct json_reader *r);
struct slice json_string(struct json_reader *r);
bool json_null(struct json_reader *r); /* consumes a `null` if one is next and says whether */

/* `absent` where the value is null. */
double json_number_or_null(struct json_reader *r, double absent);
int64_t json_integer_or_null(struct json_reader *r, int64_t absent);

/* Passes over one value of any kind, checking it all the same. */
void json_skip(struct json_reader *r);

/* The text of one value of any kind, checked; for what must be read later (`json_capture`, then byte_source_memory). The
 * copy is the caller's, to be given to memory_release(); `text` NULL after an error. */
struct slice json_capture(struct json_reader *r);

/* After the last value: only white space may follow. 0 or the code of the first error. */
int json_finish(struct json_reader *r);

#endif
