#include "common/json_reader.h"

#include "common/json_input.h"
#include "common/json_text.h"

/* A key in an error message, cut if it is longer. */
enum { SHOWN_KEY = 100 };

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
            input_fail_at(in, p, "control character in a string");
            return false;
        }
        if (!input_refill(in)) {
            input_fail_end(in);
            return false;
        }
        p = r->cur + at;
    }
    *length = (size_t)(p - r->cur - 1);
    const char *bad = high ? utf8_check(r->cur + 1, p) : p;
    if (bad != p)
        input_fail_at(in, bad, "invalid UTF-8 in a string");
    return bad == p;
}

static bool scratch_reserve(struct json_input *in, size_t length)
{
    if (vec_reserve(&in->scratch, length + 1))
        return true;
    input_out_of_memory(in);
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
            input_fail_at(in, bad, "invalid escape in a string");
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
    if (input_next(in) != '"') {
        input_fail_expected(in, "a string");
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
    if (input_next(in) != bracket) {
        input_fail_expected(in, expected);
        return false;
    }
    if (r->depth >= JSON_MAX_DEPTH) {
        input_fail_at(in, r->cur, "nested deeper than %d", JSON_MAX_DEPTH);
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
    if (!in->any_keys && !json_keys_begin(&in->keys)) {
        input_out_of_memory(in);
        return false;
    }
    return true;
}

bool json_next_item_slow(struct json_reader *r)
{
    struct json_input *in = input_of(r);
    char c = input_next(in);
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
        input_fail_expected(in, "a value or ']'");
        return false;
    }
    if (c == ',') {
        r->cur++;
        return true;
    }
    input_fail_expected(in, "',' or ']'");
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
    if (input_space(in) != ':') {
        input_fail_expected(in, "':'");
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
    if (in->any_keys)
        return true;
    enum json_key_answer answer = json_keys_add(&in->keys, hash);
    in->key_repeated = answer == JSON_KEY_TWICE;
    if (__builtin_expect(answer == JSON_KEY_NEW, 1) || (in->key_repeated && in->repeated_keys))
        return true;
    if (answer == JSON_KEY_NO_MEMORY)
        input_out_of_memory(in);
    else
        json_fail(&in->reader, "key \"%.*s\" occurs twice", shown_length(key), key.text);
    return false;
}

/* A key that is not the expected one. */
static bool take_other_key(struct json_input *in, struct slice *key)
{
    struct json_reader *r = &in->reader;
    if (input_next(in) != '"') {
        input_fail_expected(in, "a key");
        return false;
    }
    if (!take_string(in, key))
        return false;
    uint64_t hash = json_keys_hash(&in->keys, *key);
    if (!add_key(in, *key, hash))
        return false;
    if (__builtin_expect(*r->cur != ':', 0))
        return take_distant_colon(in, key);
    if (key->text != in->scratch.items) {
        struct json_known_key *known = json_keys_learn(&in->keys, hash, key->text - 1, key->length);
        r->key_note = known ? &known->note : NULL;
    }
    r->cur++;
    return true;
}

bool json_next_key(struct json_reader *r, struct slice *key)
{
    struct json_input *in = input_of(r);
    char c = input_next(in);
    if (c == '}') {
        *key = (struct slice){"", 0};
        r->cur++;
        r->depth--;
        r->fresh = false;
        if (!in->any_keys)
            json_keys_end(&in->keys);
        return false;
    }
    if (r->fresh) {
        r->fresh = false;
    } else if (__builtin_expect(c == ',', 1)) {
        r->cur++;
    } else {
        *key = (struct slice){"", 0};
        input_fail_expected(in, "',' or '}'");
        return false;
    }
    struct json_known_key *expected = json_keys_expected(&in->keys, r->cur);
    r->key_note = expected ? &expected->note : NULL;
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
