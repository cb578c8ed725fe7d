#include "common/json_reader.h"

#include "common/json_decimal.h"
#include "common/json_keys.h"
#include "common/json_text.h"
#include "common/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Small enough to stay in the second level cache between being filled and being read. */
enum { WINDOW_SIZE = 256 << 10 };

/* A key in an error message, cut if it is longer. */
enum { SHOWN_KEY = 100 };

/* What a `struct json_reader` really is: the hot part first, then all the rest. */
struct json_input {
    struct json_reader reader;
    struct byte_source *source;
    struct error *error;
    const char *window; /* the buffer, or `nothing` after an error */
    uint64_t base;      /* offset of the window in the input */
    char *buffer;
    size_t capacity; /* of the buffer, without the padding */
    bool ended;      /* the source has no more */
    bool failed;
    bool repeated_keys;       /* are fine */
    bool key_repeated;        /* the last one was there before */
    const char *capture_from; /* the first byte of the window to be captured; NULL = not capturing */
    VEC(char) captured;
    VEC(char) scratch; /* an unescaped string, or a key that its window was too small for */
    struct json_keys keys;
};

static const char nothing[JSON_PADDING];

static struct json_input *input_of(struct json_reader *r)
{
    return (struct json_input *)r;
}

/* --- errors --- */

static uint64_t offset_of(const struct json_input *in, const char *p)
{
    return in->base + (uint64_t)(p - in->window);
}

/* Where the last value read starts; UINT64_MAX before the first one. */
static uint64_t token_offset(const struct json_input *in)
{
    return in->base + (in->reader.token - (uintptr_t)in->window);
}

/* From here on the window is empty and stays so. */
static void close_window(struct json_input *in)
{
    in->base = offset_of(in, in->reader.cur);
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

__attribute__((format(printf, 3, 4))) static void fail_at(struct json_input *in, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_va(in, offset_of(in, where), format, arguments);
    va_end(arguments);
}

static void fail_out_of_memory(struct json_input *in)
{
    if (in->failed)
        return;
    error_out_of_memory(in->error);
    close_window(in);
}

void json_fail_out_of_memory(struct json_reader *r)
{
    fail_out_of_memory(input_of(r));
}

void json_fail(struct json_reader *r, const char *format, ...)
{
    struct json_input *in = input_of(r);
    va_list arguments;
    va_start(arguments, format);
    fail_va(in, token_offset(in) == UINT64_MAX ? json_offset(r) : token_offset(in), format, arguments);
    va_end(arguments);
}

/* Something else than `expected` is at `cur`. */
static void fail_expected(struct json_input *in, const char *expected)
{
    const char *p = in->reader.cur;
    if (p == in->reader.end) {
        fail_at(in, p, "unexpected end of input");
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
        fail_at(in, p, "expected %s, found %s,", expected, found);
    else if (*p > ' ' && *p < 0x7f)
        fail_at(in, p, "expected %s, found '%c',", expected, *p);
    else
        fail_at(in, p, "expected %s, found the byte 0x%02x,", expected, (unsigned char)*p);
}

/* --- the window --- */

/* More bytes behind those from `cur` on, which move to the front. False at the end and after an error. */
static bool refill(struct json_input *in)
{
    struct json_reader *r = &in->reader;
    if (in->ended)
        return false;
    size_t kept = (size_t)(r->end - r->cur), dropped = (size_t)(r->cur - in->window);
    if (in->capture_from) {
        size_t count = (size_t)(r->cur - in->capture_from);
        if (!vec_reserve(&in->captured, in->captured.count + count)) {
            fail_out_of_memory(in);
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
            fail_out_of_memory(in);
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

/* `count` bytes in the window, or as many as there are. */
static void ensure(struct json_input *in, ptrdiff_t count)
{
    while (in->reader.end - in->reader.cur < count && refill(in))
        ;
}

/* Passes over white space; what follows, or 0 at the end. */
static char space(struct json_input *in)
{
    struct json_reader *r = &in->reader;
    for (;;) {
        const char *p = r->cur;
        while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
            p++;
        r->cur = p;
        if (p < r->end || !refill(in))
            return *r->cur;
    }
}

static inline char next_byte(struct json_input *in)
{
    char c = *in->reader.cur;
    return __builtin_expect((unsigned char)c > ' ', 1) ? c : space(in);
}

/* Whether `word` comes next; it is passed over then. */
static inline bool take_word(struct json_input *in, const char *word, size_t length)
{
    struct json_reader *r = &in->reader;
    ensure(in, (ptrdiff_t)length);
    if (memcmp(r->cur, word, length) != 0) {
        for (const char *p = r->cur; !in->failed; p++)
            if (p == r->end || *p != word[p - r->cur]) {
                if (p == r->end)
                    fail_at(in, p, "unexpected end of input");
                else
                    fail_at(in, r->cur, "invalid value");
            }
        return false;
    }
    json_took(r, r->cur + length);
    return true;
}

/* --- strings --- */

/* Looks on at `p` for the end of the string at `cur`. When it is found, the raw text is wholly in the window. */
static bool find_string_end(struct json_input *in, const char *p, size_t *length, bool *escapes)
{
    struct json_reader *r = &in->reader;
    bool high = false;
    *escapes = false;
    for (;;) {
        p = json_text_plain_end(p);
        if (*p == '"')
            break;
        size_t at = (size_t)(p - r->cur);
        if ((unsigned char)*p >= 0x80) {
            high = true;
            while ((unsigned char)*p >= 0x80)
                p++;
            continue;
        }
        bool escape = *p == '\\';
        if (escape && p + 1 < r->end) {
            /* What follows may be a quote; that it is a control character is left to the unescaping. */
            *escapes = true;
            p += 2;
            continue;
        }
        if (!escape && p < r->end) {
            fail_at(in, p, "control character in a string");
            return false;
        }
        if (!refill(in)) {
            fail_at(in, r->end, "unexpected end of input");
            return false;
        }
        p = r->cur + at;
    }
    *length = (size_t)(p - r->cur - 1);
    const char *bad = high ? utf8_check(r->cur + 1, p) : p;
    if (bad != p)
        fail_at(in, bad, "invalid UTF-8 in a string");
    return bad == p;
}

static bool scratch_reserve(struct json_input *in, size_t length)
{
    if (vec_reserve(&in->scratch, length + 1))
        return true;
    fail_out_of_memory(in);
    return false;
}

/* A string that is more than plain text in the window up to `p`. */
static bool take_other_string(struct json_input *in, const char *p, struct slice *text)
{
    struct json_reader *r = &in->reader;
    size_t length;
    bool escapes;
    if (!find_string_end(in, p, &length, &escapes))
        return false;
    const char *raw = r->cur + 1;
    *text = (struct slice){raw, length};
    if (escapes) {
        const char *bad;
        if (!scratch_reserve(in, length))
            return false;
        ptrdiff_t written = json_text_unescape(raw, raw + length, in->scratch.items, &bad);
        if (written < 0) {
            fail_at(in, bad, "invalid escape in a string");
            return false;
        }
        *text = (struct slice){in->scratch.items, (size_t)written};
    }
    json_took(r, raw + length + 1);
    return true;
}

/* The string whose first quote is at `cur`. */
static inline bool take_string(struct json_input *in, struct slice *text)
{
    struct json_reader *r = &in->reader;
    const char *raw = r->cur + 1, *end = json_text_plain_end(raw);
    if (__builtin_expect(*end != '"', 0))
        return take_other_string(in, end, text);
    *text = (struct slice){raw, (size_t)(end - raw)};
    json_took(r, end + 1);
    return true;
}

static struct slice json_string_slow(struct json_input *in)
{
    struct slice text;
    if (next_byte(in) != '"') {
        fail_expected(in, "a string");
        return SLICE("");
    }
    return take_other_string(in, in->reader.cur + 1, &text) ? text : SLICE("");
}

struct slice json_string(struct json_reader *r)
{
    const char *raw = r->cur + 1;
    if (__builtin_expect(*r->cur == '"', 1)) {
        const char *end = json_text_plain_end(raw);
        if (__builtin_expect(*end == '"', 1)) {
            json_took(r, end + 1);
            return (struct slice){raw, (size_t)(end - raw)};
        }
    }
    return json_string_slow(input_of(r));
}

/* --- objects and arrays --- */

static bool begin(struct json_input *in, char bracket, const char *expected)
{
    struct json_reader *r = &in->reader;
    if (next_byte(in) != bracket) {
        fail_expected(in, expected);
        return false;
    }
    if (r->depth >= JSON_MAX_DEPTH) {
        fail_at(in, r->cur, "nested deeper than %d", JSON_MAX_DEPTH);
        return false;
    }
    json_took(r, r->cur + 1);
    r->depth++;
    r->fresh = true;
    return true;
}

bool json_begin_array_slow(struct json_reader *r)
{
    return begin(input_of(r), '[', "an array");
}

bool json_begin_object(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    if (!begin(in, '{', "an object"))
        return false;
    if (!json_keys_begin(&in->keys)) {
        fail_out_of_memory(in);
        return false;
    }
    return true;
}

bool json_next_item_slow(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    char c = next_byte(in);
    if (c == ']') {
        r->cur++;
        r->depth--;
        r->fresh = false;
        return false;
    }
    if (r->fresh) {
        r->fresh = false;
        if (c != ',' && r->cur < r->end)
            return true;
        fail_expected(in, "a value or ']'");
        return false;
    }
    if (c == ',') {
        r->cur++;
        return true;
    }
    fail_expected(in, "',' or ']'");
    return false;
}

/* The colon is not right behind the key. What follows may need another window, so the key moves out of this one. */
static bool take_distant_colon(struct json_input *in, struct slice *key)
{
    struct json_reader *r = &in->reader;
    if (key->text != in->scratch.items) {
        if (!scratch_reserve(in, key->length))
            return false;
        memcpy(in->scratch.items, key->text, key->length);
        key->text = in->scratch.items;
    }
    if (space(in) != ':') {
        fail_expected(in, "':'");
        return false;
    }
    r->cur++;
    return true;
}

static int shown_length(struct slice key)
{
    size_t length = key.length < SHOWN_KEY ? key.length : SHOWN_KEY;
    /* Not in the middle of a character. */
    while (length > 0 && length < key.length && ((unsigned char)key.text[length] & 0xc0) == 0x80)
        length--;
    return (int)length;
}

/* The key is complete: false if it is there twice. */
static inline bool add_key(struct json_input *in, struct slice key, uint64_t hash)
{
    enum json_key_answer answer = json_keys_add(&in->keys, hash);
    in->key_repeated = answer == JSON_KEY_TWICE;
    if (__builtin_expect(answer == JSON_KEY_NEW, 1) || (in->key_repeated && in->repeated_keys))
        return true;
    if (answer == JSON_KEY_NO_MEMORY)
        fail_out_of_memory(in);
    else
        json_fail(&in->reader, "key \"%.*s\" occurs twice", shown_length(key), key.text);
    return false;
}

/* A key that is not the expected one. */
static bool take_other_key(struct json_input *in, struct slice *key)
{
    struct json_reader *r = &in->reader;
    if (next_byte(in) != '"') {
        fail_expected(in, "a key");
        return false;
    }
    if (!take_string(in, key))
        return false;
    uint64_t hash = json_keys_hash(&in->keys, *key);
    if (!add_key(in, *key, hash))
        return false;
    if (__builtin_expect(*r->cur != ':', 0))
        return take_distant_colon(in, key);
    if (key->text != in->scratch.items)
        json_keys_learn(&in->keys, hash, key->text - 1, key->length);
    r->cur++;
    return true;
}

bool json_next_key(struct json_reader *r, struct slice *key)
{
    struct json_input *in = input_of(r);
    char c = next_byte(in);
    if (c == '}') {
        *key = (struct slice){"", 0};
        r->cur++;
        r->depth--;
        r->fresh = false;
        json_keys_end(&in->keys);
        return false;
    }
    if (r->fresh) {
        r->fresh = false;
    } else if (__builtin_expect(c == ',', 1)) {
        r->cur++;
    } else {
        *key = (struct slice){"", 0};
        fail_expected(in, "',' or '}'");
        return false;
    }
    const struct json_known_key *expected = json_keys_expected(&in->keys, r->cur);
    if (__builtin_expect(expected != NULL, 1)) {
        *key = (struct slice){r->cur + 1, expected->length};
        json_took(r, r->cur + expected->length + 3);
        if (__builtin_expect(add_key(in, *key, expected->hash), 1))
            return true;
    } else if (take_other_key(in, key)) {
        return true;
    }
    *key = (struct slice){"", 0};
    return false;
}

/* --- numbers --- */

/* The number at `cur`, wholly in the window and checked: its length, or 0 after an error. */
static size_t find_number_end(struct json_input *in)
{
    struct json_reader *r = &in->reader;
    char c = next_byte(in);
    if (c != '-' && json_digit(c) > 9) {
        fail_expected(in, "a number");
        return 0;
    }
    ensure(in, JSON_MAX_NUMBER + 2);
    const char *wrong;
    size_t length = json_decimal_length(r->cur, &wrong);
    if (length == 0) {
        if (wrong == r->end)
            fail_at(in, r->end, "unexpected end of input");
        else
            fail_at(in, r->cur, "invalid number");
        return 0;
    }
    if (length > JSON_MAX_NUMBER) {
        fail_at(in, r->cur, "number longer than %d characters", JSON_MAX_NUMBER);
        return 0;
    }
    return length;
}

double json_number_slow(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    size_t length = find_number_end(in);
    if (length == 0)
        return 0;
    double value = json_decimal_value(r->cur, length);
    if (isinf(value)) {
        fail_at(in, r->cur, "number out of range");
        return 0;
    }
    json_took(r, r->cur + length);
    return value;
}

int64_t json_integer_slow(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    size_t length = find_number_end(in);
    if (length == 0)
        return 0;
    int64_t value;
    if (!json_decimal_integer(r->cur, length, &value)) {
        fail_at(in, r->cur, "expected a whole number of 64 bits");
        return 0;
    }
    json_took(r, r->cur + length);
    return value;
}

/* --- the other values --- */

bool json_null_slow(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    return next_byte(in) == 'n' && take_word(in, "null", 4);
}

bool json_boolean(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    switch (next_byte(in)) {
    case 't':
        return take_word(in, "true", 4);
    case 'f':
        take_word(in, "false", 5);
        return false;
    default:
        fail_expected(in, "a boolean");
        return false;
    }
}

const uint8_t json_kinds[256] = {
    ['{'] = JSON_OBJECT,         ['['] = JSON_ARRAY, ['"'] = JSON_STRING, ['-'] = JSON_NUMBER,
    ['0' ... '9'] = JSON_NUMBER, ['t'] = JSON_TRUE,  ['f'] = JSON_FALSE,  ['n'] = JSON_NULL,
};

enum json_kind json_peek_slow(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    enum json_kind kind = json_kinds[(unsigned char)next_byte(in)];
    if (kind == JSON_FAILED && (r->depth > 0 || r->cur < r->end))
        fail_expected(in, "a value");
    return kind;
}

static void skip_number(struct json_input *in)
{
    struct json_reader *r = &in->reader;
    uint64_t mantissa;
    size_t places;
    const char *p = json_scan_decimal(r->cur + (*r->cur == '-'), &mantissa, &places);
    if (__builtin_expect(p != NULL, 1))
        json_took(r, p);
    else
        json_number_slow(r);
}

/* A value that is neither array nor object. */
static void skip_scalar(struct json_input *in, char first)
{
    struct slice text;
    switch (first) {
    case '"':
        take_string(in, &text);
        break;
    case 't':
        take_word(in, "true", 4);
        break;
    case 'f':
        take_word(in, "false", 5);
        break;
    case 'n':
        take_word(in, "null", 4);
        break;
    default:
        if (first == '-' || json_digit(first) <= 9)
            skip_number(in);
        else
            fail_expected(in, "a value");
    }
}

void json_skip(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    bool object[JSON_MAX_DEPTH + 1]; /* by depth, for what this function opened */
    unsigned floor = r->depth;
    struct slice key;
    do {
        char c = next_byte(in);
        if (c == '[' && json_begin_array(r))
            object[r->depth] = false;
        else if (c == '{' && json_begin_object(r))
            object[r->depth] = true;
        else
            skip_scalar(in, c);
        if (in->failed)
            return;
        /* On to the next value, out of everything that ends before it. */
        while (r->depth > floor && !(object[r->depth] ? json_next_key(r, &key) : json_next_item(r)))
            if (in->failed)
                return;
    } while (r->depth > floor);
}

struct slice json_capture(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    next_byte(in);
    in->captured.count = 0;
    in->capture_from = r->cur;
    json_skip(r);
    struct slice copy = {NULL, 0};
    if (in->failed)
        return copy;
    size_t last = (size_t)(r->cur - in->capture_from), length = in->captured.count + last;
    char *text = memory_array(length + 1, 1);
    if (!text) {
        fail_out_of_memory(in);
        return copy;
    }
    if (in->captured.count > 0)
        memcpy(text, in->captured.items, in->captured.count);
    memcpy(text + in->captured.count, in->capture_from, last);
    text[length] = '\0';
    in->capture_from = NULL;
    return (struct slice){text, length};
}

/* --- life --- */

void json_allow_repeated_keys(struct json_reader *r, bool allow)
{
    input_of(r)->repeated_keys = allow;
}

bool json_key_repeated(const struct json_reader *r)
{
    return ((const struct json_input *)r)->key_repeated;
}

bool json_ok(const struct json_reader *r)
{
    return !((const struct json_input *)r)->failed;
}

uint64_t json_offset(const struct json_reader *r)
{
    return offset_of((const struct json_input *)r, r->cur);
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
    ensure(in, 3);
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
    if (!in->failed && (nothing_read || next_byte(in) != '\0' || r->cur < r->end))
        fail_expected(in, nothing_read ? "a value" : "the end");
    return in->failed ? in->error->code : 0;
}
