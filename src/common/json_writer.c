#include "common/json_writer.h"

#include "common/json_text.h"
#include "common/memory.h"
#include "common/number_text.h"

#include <math.h>

enum { BUFFER_SIZE = 64 << 10 };

struct json_writer {
    struct byte_sink *sink;
    struct error *error;
    int code; /* of the first error */
    int indent;
    unsigned depth;
    bool comma;     /* before the next item or key */
    bool after_key; /* where neither comma nor line break is due */
    size_t count;
    char buffer[BUFFER_SIZE];
};

static void flush(struct json_writer *w)
{
    if (w->code == 0 && w->count > 0)
        w->code = byte_sink_write(w->sink, (struct slice){w->buffer, w->count}, w->error);
    w->count = 0;
}

/* Room for `size` bytes, which must be less than the buffer, at the place returned. */
static inline char *room(struct json_writer *w, size_t size)
{
    if (__builtin_expect(BUFFER_SIZE - w->count < size, 0))
        flush(w);
    return w->buffer + w->count;
}

static inline void put(struct json_writer *w, char c)
{
    *room(w, 1) = c;
    w->count++;
}

static void put_all(struct json_writer *w, struct slice bytes)
{
    if (bytes.length > BUFFER_SIZE / 2) {
        flush(w);
        if (w->code == 0)
            w->code = byte_sink_write(w->sink, bytes, w->error);
    } else if (bytes.length > 0) {
        memcpy(room(w, bytes.length), bytes.text, bytes.length);
        w->count += bytes.length;
    }
}

static void break_line(struct json_writer *w)
{
    put(w, '\n');
    for (size_t spaces = w->depth * (size_t)w->indent; spaces > 0; spaces--)
        put(w, ' ');
}

/* What stands before a value or a key. */
static inline void lead(struct json_writer *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->comma)
        put(w, ',');
    if (__builtin_expect(w->indent > 0 && (w->depth > 0 || w->comma), 0))
        break_line(w);
    w->comma = true;
}

static void open_bracket(struct json_writer *w, char bracket)
{
    lead(w);
    put(w, bracket);
    w->depth++;
    w->comma = false;
}

static void close_bracket(struct json_writer *w, char bracket)
{
    w->depth--;
    if (w->indent > 0 && w->comma)
        break_line(w);
    put(w, bracket);
    w->comma = true;
}

void json_write_begin_object(struct json_writer *w)
{
    open_bracket(w, '{');
}

void json_write_end_object(struct json_writer *w)
{
    close_bracket(w, '}');
}

void json_write_begin_array(struct json_writer *w)
{
    open_bracket(w, '[');
}

void json_write_end_array(struct json_writer *w)
{
    close_bracket(w, ']');
}

static void put_escape(struct json_writer *w, char c)
{
    static const char short_forms[32] = {['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    static const char hex[] = "0123456789abcdef";
    char *out = room(w, 6);
    out[0] = '\\';
    if (c == '"' || c == '\\') {
        out[1] = c;
        w->count += 2;
    } else if (short_forms[(unsigned char)c]) {
        out[1] = short_forms[(unsigned char)c];
        w->count += 2;
    } else {
        memcpy(out + 1, "u00", 3);
        out[4] = hex[c >> 4];
        out[5] = hex[c & 15];
        w->count += 6;
    }
}

static bool needs_escape(char c)
{
    return (unsigned char)c < ' ' || c == '"' || c == '\\';
}

/* The text in quotes. Bytes that are not UTF-8 become U+FFFD, so that what was written is JSON whatever came in. */
static void put_string(struct json_writer *w, struct slice text)
{
    put(w, '"');
    const char *p = text.text, *end = p + text.length;
    while (p < end) {
        const char *valid_end = utf8_check(p, end);
        const char *start = p;
        for (; p < valid_end; p++)
            if (__builtin_expect(needs_escape(*p), 0)) {
                put_all(w, (struct slice){start, (size_t)(p - start)});
                put_escape(w, *p);
                start = p + 1;
            }
        put_all(w, (struct slice){start, (size_t)(p - start)});
        if (p < end) {
            put_all(w, SLICE("\xef\xbf\xbd"));
            p++;
        }
    }
    put(w, '"');
}

void json_write_key_slice(struct json_writer *w, struct slice key)
{
    lead(w);
    put_string(w, key);
    put(w, ':');
    if (w->indent > 0)
        put(w, ' ');
    w->after_key = true;
}

void json_write_key(struct json_writer *w, const char *key)
{
    json_write_key_slice(w, slice_of(key));
}

void json_write_string(struct json_writer *w, struct slice text)
{
    lead(w);
    put_string(w, text);
}

void json_write_text(struct json_writer *w, const char *text)
{
    if (text)
        json_write_string(w, slice_of(text));
    else
        json_write_null(w);
}

void json_write_number(struct json_writer *w, double value)
{
    if (!isfinite(value)) {
        json_write_null(w);
        return;
    }
    lead(w);
    w->count += number_text(value, room(w, NUMBER_TEXT_SIZE));
}

void json_write_integer(struct json_writer *w, int64_t value)
{
    lead(w);
    w->count += integer_text(value, room(w, NUMBER_TEXT_SIZE));
}

void json_write_decimal(struct json_writer *w, int64_t value, unsigned places)
{
    lead(w);
    w->count += decimal_text(value, places, room(w, NUMBER_TEXT_SIZE));
}

void json_write_boolean(struct json_writer *w, bool value)
{
    lead(w);
    put_all(w, value ? SLICE("true") : SLICE("false"));
}

void json_write_null(struct json_writer *w)
{
    lead(w);
    put_all(w, SLICE("null"));
}

void json_write_raw(struct json_writer *w, struct slice json)
{
    lead(w);
    put_all(w, json);
}

struct json_writer *json_writer_open(struct byte_sink *sink, int indent, struct error *error)
{
    struct json_writer *w = memory_array(1, sizeof *w);
    if (!w) {
        error_out_of_memory(error);
        return NULL;
    }
    w->sink = sink;
    w->error = error;
    w->code = 0;
    w->indent = indent;
    w->depth = 0;
    w->comma = w->after_key = false;
    w->count = 0;
    return w;
}

bool json_writer_ok(const struct json_writer *w)
{
    return w->code == 0;
}

int json_writer_close(struct json_writer *w)
{
    flush(w);
    int code = w->code;
    memory_release(w);
    return code;
}
