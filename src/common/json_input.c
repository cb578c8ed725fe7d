#include "common/json_input.h"

#include "common/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* Small enough to stay in the second level cache between being filled and being read. */
enum { WINDOW_SIZE = 256 << 10 };

static const char nothing[JSON_PADDING];

/* --- errors --- */

/* Where the last value read starts; UINT64_MAX before the first one. */
static uint64_t token_offset(const struct json_input *in)
{
    return in->base + (in->reader.token - (uintptr_t)in->window);
}

/* From here on the window is empty and stays so. */
static void close_window(struct json_input *in)
{
    in->base = input_offset(in, in->reader.cur);
    in->window = in->reader.cur = in->reader.end = nothing;
    in->reader.token = (uintptr_t)nothing;
    in->reader.fresh = false;
    in->capture_from = NULL;
    in->failed = in->ended = true;
}

static void fail_va(struct json_input *in, uint64_t offset, const char *format, va_list arguments)
{
    if (in->failed)
        return;
    char message[sizeof in->error->message];
    vsnprintf(message, sizeof message - 32, format, arguments);
    error_set(in->error, -EBADMSG, "%s at byte %" PRIu64, message, offset);
    close_window(in);
}

void input_fail_at(struct json_input *in, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_va(in, input_offset(in, where), format, arguments);
    va_end(arguments);
}

void input_fail_end(struct json_input *in)
{
    in->ended_early |= !in->failed;
    input_fail_at(in, in->reader.end, "unexpected end of input");
}

void input_out_of_memory(struct json_input *in)
{
    if (in->failed)
        return;
    error_out_of_memory(in->error);
    close_window(in);
}

void json_fail_out_of_memory(struct json_reader *r)
{
    input_out_of_memory(input_of(r));
}

void json_fail(struct json_reader *r, const char *format, ...)
{
    struct json_input *in = input_of(r);
    va_list arguments;
    va_start(arguments, format);
    fail_va(in, token_offset(in) == UINT64_MAX ? json_offset(r) : token_offset(in), format, arguments);
    va_end(arguments);
}

void input_fail_expected(struct json_input *in, const char *expected)
{
    const char *p = in->reader.cur;
    if (p == in->reader.end) {
        input_fail_end(in);
        return;
    }
    const char *found = NULL;
    switch (*p) {
    case '{':
        found = "an object";
        break;
    case '[':
        found = "an array";
        break;
    case '"':
        found = "a string";
        break;
    case 't':
    case 'f':
        found = "a boolean";
        break;
    case 'n':
        found = "null";
        break;
    default:
        if (*p == '-' || json_digit(*p) <= 9)
            found = "a number";
    }
    if (found)
        input_fail_at(in, p, "expected %s, found %s,", expected, found);
    else if (*p > ' ' && *p < 0x7f)
        input_fail_at(in, p, "expected %s, found '%c',", expected, *p);
    else
        input_fail_at(in, p, "expected %s, found the byte 0x%02x,", expected, (unsigned char)*p);
}

/* --- the window --- */

bool input_refill(struct json_input *in)
{
    struct json_reader *r = &in->reader;
    if (in->ended)
        return false;
    size_t kept = (size_t)(r->end - r->cur), dropped = (size_t)(r->cur - in->window);
    if (in->capture_from) {
        size_t count = (size_t)(r->cur - in->capture_from);
        if (!vec_reserve(&in->captured, in->captured.count + count)) {
            input_out_of_memory(in);
            return false;
        }
        if (count > 0)
            memcpy(in->captured.items + in->captured.count, in->capture_from, count);
        in->captured.count += count;
    }
    memmove(in->buffer, r->cur, kept);
    if (kept == in->capacity) {
        char *grown = in->capacity < SIZE_MAX / 4 ? memory_resize(in->buffer, in->capacity * 2 + JSON_PADDING) : NULL;
        if (!grown) {
            input_out_of_memory(in);
            return false;
        }
        r->token += (uintptr_t)grown - (uintptr_t)in->buffer;
        in->buffer = grown;
        in->capacity *= 2;
    }
    in->base += dropped;
    r->token -= dropped;
    in->window = r->cur = in->buffer;
    if (in->capture_from)
        in->capture_from = in->buffer;
    ssize_t count = in->source->read(in->source, in->buffer + kept, in->capacity - kept, in->error);
    in->ended = count <= 0;
    char *end = in->buffer + kept + (count > 0 ? count : 0);
    memset(end, 0, JSON_PADDING);
    r->end = end;
    if (count < 0)
        close_window(in);
    return count > 0;
}

void input_ensure(struct json_input *in, ptrdiff_t count)
{
    while (in->reader.end - in->reader.cur < count && input_refill(in))
        ;
}

char input_space(struct json_input *in)
{
    struct json_reader *r = &in->reader;
    for (;;) {
        const char *p = r->cur;
        while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
            p++;
        r->cur = p;
        if (p < r->end || !input_refill(in))
            return *r->cur;
    }
}

/* --- life --- */

void json_allow_repeated_keys(struct json_reader *r, bool allow)
{
    input_of(r)->repeated_keys = allow;
}

void json_ignore_repeated_keys(struct json_reader *r)
{
    input_of(r)->any_keys = true;
}

void json_clear_notes(struct json_reader *r, const void *owner)
{
    struct json_keys *keys = &input_of(r)->keys;
    for (size_t i = 0; i < JSON_KNOWN_KEYS; i++)
        keys->known[i].note = 0;
    r->notes_owner = owner;
}

bool json_key_repeated(const struct json_reader *r)
{
    return ((const struct json_input *)r)->key_repeated;
}

bool json_ok(const struct json_reader *r)
{
    return !((const struct json_input *)r)->failed;
}

bool json_ended_early(const struct json_reader *r)
{
    return ((const struct json_input *)r)->ended_early;
}

uint64_t json_offset(const struct json_reader *r)
{
    return input_offset((const struct json_input *)r, r->cur);
}

struct json_reader *json_reader_open(struct byte_source *source, struct error *error)
{
    struct json_input *in = memory_zeroed(1, sizeof *in);
    char *buffer = memory_array(WINDOW_SIZE + JSON_PADDING, 1);
    if (!in || !buffer) {
        memory_release(in);
        memory_release(buffer);
        error_out_of_memory(error);
        return NULL;
    }
    memset(buffer, 0, JSON_PADDING);
    in->source = source;
    in->error = error;
    in->buffer = buffer;
    in->capacity = WINDOW_SIZE;
    in->window = in->reader.cur = in->reader.end = buffer;
    in->reader.token = (uintptr_t)buffer - 1;
    json_keys_init(&in->keys);
    input_ensure(in, 3);
    if (memcmp(in->reader.cur, "\xef\xbb\xbf", 3) == 0)
        in->reader.cur += 3;
    return &in->reader;
}

void json_reader_close(struct json_reader *r)
{
    if (!r)
        return;
    struct json_input *in = input_of(r);
    json_keys_free(&in->keys);
    vec_free(&in->scratch);
    vec_free(&in->captured);
    memory_release(in->buffer);
    memory_release(in);
}

int json_finish(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    bool nothing_read = token_offset(in) == UINT64_MAX;
    if (!in->failed && (nothing_read || input_next(in) != '\0' || r->cur < r->end))
        input_fail_expected(in, nothing_read ? "a value" : "the end");
    return in->failed ? in->error->code : 0;
}
