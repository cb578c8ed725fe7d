/* A streaming JSON writer: commas, quotes and escapes are its business, order and nesting the caller's.
 *
 *     json_write_begin_object(w);
 *     json_write_key(w, "interval");
 *     json_write_number(w, 1);
 *     json_write_end_object(w);
 *
 * Errors stick, as in the reader: look once, at json_writer_close. */
#ifndef SONDE_COMMON_JSON_WRITER_H
#define SONDE_COMMON_JSON_WRITER_H

#include "common/byte_sink.h"
#include "common/error.h"
#include "common/slice.h"

#include <stdbool.h>
#include <stdint.h>

struct json_writer;

/* Writes to `sink`, which stays the caller's. `indent` > 0 puts every value on a line of its own. */
struct json_writer *json_writer_open(struct byte_sink *sink, int indent, struct error *error);

/* Flushes what is buffered (not the sink) and frees. 0 or the first error. */
int json_writer_close(struct json_writer *w);

/* False once something failed: for loops that are too long to run in vain. */
bool json_writer_ok(const struct json_writer *w);

void json_write_begin_object(struct json_writer *w);
void json_write_end_object(struct json_writer *w);
void json_write_begin_array(struct json_writer *w);
void json_write_end_array(struct json_writer *w);
void json_write_key(struct json_writer *w, const char *key);
void json_write_key_slice(struct json_writer *w, struct slice key);

void json_write_string(struct json_writer *w, struct slice text);
void json_write_text(struct json_writer *w, const char *text); /* NULL writes null */
/* The shortest text that reads back as the same double, as JavaScript prints it; NaN and infinities write null. */
void json_write_number(struct json_writer *w, double value);
void json_write_integer(struct json_writer *w, int64_t value);
/* `value` × 10^-places, up to 6 places. */
void json_write_decimal(struct json_writer *w, int64_t value, unsigned places);
void json_write_boolean(struct json_writer *w, bool value);
void json_write_null(struct json_writer *w);
/* A value that is JSON text already and is known to be valid. */
void json_write_raw(struct json_writer *w, struct slice json);

/* A time, exact to the nanosecond, as the formats of the Firefox Profiler have it. */
static inline void json_write_milliseconds(struct json_writer *w, int64_t nanoseconds)
{
    json_write_decimal(w, nanoseconds, 6);
}

#endif
