/* Numbers that are not simple, the other values, and passing over values of any kind. */
#include "common/json_decimal.h"
#include "common/json_input.h"
#include "common/memory.h"

#include <math.h>

/* --- numbers --- */

/* The number at `cur`, wholly in the window and checked: its length, or 0 after an error. */
static size_t find_number_end(struct json_input *in)
{
    struct json_reader *r = &in->reader;
    char c = input_next(in);
    if (c != '-' && json_digit(c) > 9) {
        input_fail_expected(in, "a number");
        return 0;
    }
    input_ensure(in, JSON_MAX_NUMBER + 2);
    const char *wrong;
    size_t length = json_decimal_length(r->cur, &wrong);
    if (length == 0) {
        if (wrong == r->end)
            input_fail_end(in);
        else
            input_fail_at(in, r->cur, "invalid number");
        return 0;
    }
    if (length > JSON_MAX_NUMBER) {
        input_fail_at(in, r->cur, "number longer than %d characters", JSON_MAX_NUMBER);
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
        input_fail_at(in, r->cur, "number out of range");
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
        input_fail_at(in, r->cur, "expected a whole number of 64 bits");
        return 0;
    }
    json_took(r, r->cur + length);
    return value;
}

/* --- the other values --- */

/* Whether `word` comes next; it is passed over then. */
static inline bool take_word(struct json_input *in, const char *word, size_t length)
{
    struct json_reader *r = &in->reader;
    input_ensure(in, (ptrdiff_t)length);
    if (memcmp(r->cur, word, length) != 0) {
        for (const char *p = r->cur; !in->failed; p++)
            if (p == r->end || *p != word[p - r->cur]) {
                if (p == r->end)
                    input_fail_end(in);
                else
                    input_fail_at(in, r->cur, "invalid value");
            }
        return false;
    }
    json_took(r, r->cur + length);
    return true;
}

bool json_null_slow(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    return input_next(in) == 'n' && take_word(in, "null", 4);
}

bool json_boolean(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    switch (input_next(in)) {
    case 't':
        return take_word(in, "true", 4);
    case 'f':
        take_word(in, "false", 5);
        return false;
    default:
        input_fail_expected(in, "a boolean");
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
    enum json_kind kind = json_kinds[(unsigned char)input_next(in)];
    if (kind == JSON_FAILED && (r->depth > 0 || r->cur < r->end))
        input_fail_expected(in, "a value");
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
    switch (first) {
    case '"':
        json_string(&in->reader);
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
            input_fail_expected(in, "a value");
    }
}

/* The key that comes next, and its colon. */
static void skip_key(struct json_input *in)
{
    struct json_reader *r = &in->reader;
    if (input_next(in) != '"') {
        input_fail_expected(in, "a key");
        return;
    }
    json_string(r);
    if (input_next(in) == ':')
        r->cur++;
    else
        input_fail_expected(in, "':'");
}

/* The same as json_skip() where keys need not be told apart: then they are texts like any other. */
static void skip_any(struct json_input *in)
{
    struct json_reader *r = &in->reader;
    char closing[JSON_MAX_DEPTH + 1]; /* by depth, of what this function opened */
    unsigned floor = r->depth;
    do {
        char c = input_next(in);
        if (c == '{' || c == '[') {
            if (r->depth >= JSON_MAX_DEPTH) {
                input_fail_at(in, r->cur, "nested deeper than %d", JSON_MAX_DEPTH);
                return;
            }
            json_took(r, r->cur + 1);
            closing[++r->depth] = c == '{' ? '}' : ']';
            char next = input_next(in);
            if (next != closing[r->depth]) {
                if (c == '{')
                    skip_key(in);
                else if (next == ',' || r->cur == r->end)
                    input_fail_expected(in, "a value or ']'");
                continue;
            }
        } else {
            skip_scalar(in, c);
        }
        /* On to the next value, out of everything that ends before it. */
        while (r->depth > floor) {
            c = input_next(in);
            if (c == ',') {
                r->cur++;
                if (closing[r->depth] == '}')
                    skip_key(in);
                break;
            }
            if (c != closing[r->depth]) {
                input_fail_expected(in, closing[r->depth] == '}' ? "',' or '}'" : "',' or ']'");
                return;
            }
            r->cur++;
            r->depth--;
        }
    } while (r->depth > floor && !in->failed);
}

void json_skip(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    if (in->any_keys) {
        skip_any(in);
        return;
    }
    bool object[JSON_MAX_DEPTH + 1]; /* by depth, for what this function opened */
    unsigned floor = r->depth;
    struct slice key;
    do {
        char c = input_next(in);
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

void json_capture_begin(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    input_next(in);
    in->captured.count = 0;
    in->capture_from = r->cur;
}

void json_capture_end(struct json_reader *r, struct text_buffer *text)
{
    struct json_input *in = input_of(r);
    if (in->failed)
        return;
    if (in->captured.count > 0)
        text_add(text, (struct slice){in->captured.items, in->captured.count});
    text_add(text, (struct slice){in->capture_from, (size_t)(r->cur - in->capture_from)});
    in->capture_from = NULL;
}

struct slice json_capture(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    json_capture_begin(r);
    json_skip(r);
    struct slice copy = {NULL, 0};
    if (in->failed)
        return copy;
    size_t last = (size_t)(r->cur - in->capture_from), length = in->captured.count + last;
    char *text = memory_array(length + 1, 1);
    if (!text) {
        input_out_of_memory(in);
        return copy;
    }
    if (in->captured.count > 0)
        memcpy(text, in->captured.items, in->captured.count);
    memcpy(text + in->captured.count, in->capture_from, last);
    text[length] = '\0';
    in->capture_from = NULL;
    return (struct slice){text, length};
}
