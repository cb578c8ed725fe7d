#include "tree/transform_url.h"

#include <errno.h>
#include <stdio.h>

/* ---- lists of funcs ---- */

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._";

enum { CONTINUED = 32, LONGEST_LIST = 1 << 17 };

static void encode_number(uint32_t number, struct text_buffer *out)
{
    int shift = 30;
    while (shift > 0 && number >> shift == 0)
        shift -= 5;
    for (; shift >= 0; shift -= 5)
        text_add_char(out, digits[(number >> shift & 31) | (shift > 0 ? CONTINUED : 0)]);
}

/* Not from the largest number to 0: who reads a run goes the way from the smaller to the larger. */
static bool is_next(uint32_t number, uint32_t next, bool up)
{
    return up ? next > number && next - number == 1 : next < number && number - next == 1;
}

/* How many numbers after the one at `at` go on up or down by one. */
static size_t run_length(const struct path *path, size_t at)
{
    const uint32_t *numbers = path->funcs.items;
    size_t count = path->funcs.count, length = 0;
    bool up = at + 1 < count && numbers[at + 1] > numbers[at];
    while (at + length + 1 < count && is_next(numbers[at + length], numbers[at + length + 1], up))
        length++;
    return length;
}

void func_list_text_encode(const struct path *path, struct text_buffer *out)
{
    for (size_t i = 0; i < path->funcs.count; i++) {
        encode_number(path->funcs.items[i], out);
        for (size_t run; (run = run_length(path, i)) >= 2; i += run) {
            text_add_char(out, digits[CONTINUED]);
            encode_number(path->funcs.items[i + run], out);
        }
    }
}

/* One number; whether a leading zero said that it ends a run. A number that is cut off counts as it is. False at the end and
 * where the text is no number. */
static bool decode_number(struct slice *text, uint32_t *number, bool *ends_run)
{
    *number = 0;
    *ends_run = false;
    for (size_t i = 0; i < text->length; i++) {
        const char *found = memchr(digits, text->text[i], sizeof digits - 1);
        if (!found)
            return false;
        uint32_t digit = (uint32_t)(found - digits);
        *ends_run |= i == 0 && digit == CONTINUED;
        *number = *number << 5 | (digit & 31);
        if (digit < CONTINUED) {
            *text = slice_from(*text, i + 1);
            return true;
        }
    }
    bool cut_off = text->length > 0;
    *text = slice_from(*text, text->length);
    return cut_off;
}

bool func_list_text_decode(struct slice text, struct path *path)
{
    path->funcs.count = 0;
    uint32_t number;
    bool ends_run;
    while (decode_number(&text, &number, &ends_run)) {
        if (ends_run && path->funcs.count > 0) {
            uint32_t last = path->funcs.items[path->funcs.count - 1];
            if ((number > last ? number - last : last - number) > LONGEST_LIST)
                return false;
            while (last != number) {
                last += last < number ? 1 : UINT32_MAX;
                if (last != number && !path_push(path, last))
                    return false;
            }
        }
        if (path->funcs.count > LONGEST_LIST || !path_push(path, number))
            return false;
    }
    return true;
}

/* ---- writing ---- */

static const char *const keys[TRANSFORM_TYPES] = {
    [FOCUS_SUBTREE] = "f",
    [FOCUS_FUNCTION] = "ff",
    [FOCUS_SELF] = "ffs",
    [FOCUS_CATEGORY] = "fg",
    [MERGE_CALL_NODE] = "mcn",
    [MERGE_FUNCTION] = "mf",
    [DROP_FUNCTION] = "df",
    [COLLAPSE_RESOURCE] = "cr",
    [COLLAPSE_DIRECT_RECURSION] = "drec",
    [COLLAPSE_RECURSION] = "rec",
    [COLLAPSE_FUNCTION_SUBTREE] = "cfs",
    [FILTER_SAMPLES] = "fs",
    [KEEP_MATCHING] = "km",
    [DROP_MATCHING] = "dm",
    [MERGE_MATCHING] = "mm",
    [COLLAPSE_MATCHING] = "cm",
};

static const char *const filter_keys[SAMPLE_FILTERS] = {
    [FILTER_MARKER_SEARCH] = "m", [FILTER_OUTSIDE_MARKER] = "om", [FILTER_FUNCTION_INCLUDE] = "fi",
    [FILTER_STACK_PREFIX] = "sp", [FILTER_STACK_SUFFIX] = "ss",
};

static void add_text(const char *text, struct text_buffer *out)
{
    text_add_char(out, '-');
    text_add(out, slice_of(text));
}

static void add_index(uint32_t index, struct text_buffer *out)
{
    char text[16];
    snprintf(text, sizeof text, "%u", index);
    add_text(text, out);
}

static void encode_filter(const struct transform *transform, struct text_buffer *out)
{
    add_text(filter_keys[transform->filter], out);
    text_add_char(out, '-');
    if (transform->text)
        text_add(out, slice_of(transform->text));
    for (size_t i = 0; i < transform->path.funcs.count; i++) {
        char text[16];
        snprintf(text, sizeof text, "%s%u", i > 0 ? "," : "", transform->path.funcs.items[i]);
        text_add(out, slice_of(text));
    }
}

/* A `~`, which ends a transform, is `%7E` in the text of a search, and a `%` is `%25`. */
static void encode_search(const struct transform *transform, struct text_buffer *out)
{
    text_add_char(out, '-');
    for (const char *c = transform->text ? transform->text : ""; *c; c++) {
        if (*c == '~' || *c == '%')
            text_add(out, *c == '~' ? SLICE("%7E") : SLICE("%25"));
        else
            text_add_char(out, *c);
    }
}

static void encode_one(const struct transform *transform, struct text_buffer *out)
{
    const char *implementation = implementation_name(transform->implementation);
    text_add(out, slice_of(keys[transform->type]));
    switch (transform->type) {
    case FOCUS_SUBTREE:
    case MERGE_CALL_NODE:
        add_text(implementation, out);
        text_add_char(out, '-');
        func_list_text_encode(&transform->path, out);
        if (transform->inverted)
            text_add(out, SLICE("-i"));
        break;
    case FOCUS_SELF:
    case COLLAPSE_DIRECT_RECURSION:
        add_text(implementation, out);
        add_index(transform->func, out);
        break;
    case COLLAPSE_RESOURCE:
        add_text(implementation, out);
        add_index(transform->resource, out);
        add_index(transform->func, out);
        break;
    case FOCUS_CATEGORY:
        add_index(transform->category, out);
        break;
    case FILTER_SAMPLES:
        encode_filter(transform, out);
        break;
    case KEEP_MATCHING:
    case DROP_MATCHING:
    case MERGE_MATCHING:
    case COLLAPSE_MATCHING:
        encode_search(transform, out);
        break;
    case FOCUS_FUNCTION:
    case MERGE_FUNCTION:
    case DROP_FUNCTION:
    case COLLAPSE_RECURSION:
    case COLLAPSE_FUNCTION_SUBTREE:
    case TRANSFORM_TYPES:
        add_index(transform->func, out);
        break;
    }
}

void transforms_encode(const struct transform *transforms, size_t count, struct text_buffer *out)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_add_char(out, '~');
        encode_one(&transforms[i], out);
    }
}

/* ---- reading ---- */

/* The next part of a tuple; false where there are no more. */
static bool next_part(struct slice *rest, char separator, struct slice *part)
{
    if (!rest->text)
        return false;
    const char *at = rest->length > 0 ? memchr(rest->text, separator, rest->length) : NULL;
    size_t length = at ? (size_t)(at - rest->text) : rest->length;
    *part = slice_until(*rest, length);
    *rest = at ? slice_from(*rest, length + 1) : (struct slice){NULL, 0};
    return true;
}

/* Leading digits count, as JavaScript's parseInt has it; false where there are none. */
static bool next_index(struct slice *rest, uint32_t *index)
{
    struct slice part;
    if (!next_part(rest, '-', &part))
        return false;
    uint64_t number = 0;
    size_t i = 0;
    for (; i < part.length && part.text[i] >= '0' && part.text[i] <= '9' && number < INDEX_NONE; i++)
        number = number * 10 + (uint64_t)(part.text[i] - '0');
    *index = (uint32_t)number;
    return i > 0 && number < INDEX_NONE;
}

static bool next_implementation(struct slice *rest, struct transform *transform)
{
    struct slice part;
    if (!next_part(rest, '-', &part))
        return false;
    if (!implementation_parse(part, &transform->implementation))
        transform->implementation = IMPLEMENTATION_COMBINED;
    return true;
}

static bool next_path(struct slice *rest, struct transform *transform)
{
    struct slice part;
    return next_part(rest, '-', &part) && func_list_text_decode(part, &transform->path);
}

/* 1, or -ENOMEM. */
static int keep_text(struct slice text, struct transform *transform, struct error *error)
{
    transform->text = memory_array(text.length + 1, 1);
    if (!transform->text)
        return error_out_of_memory(error);
    memcpy(transform->text, text.text, text.length);
    transform->text[text.length] = '\0';
    return 1;
}

/* Only marker searches are taken from addresses. 1 = understood, 0 = to be left out. */
static int decode_filter(struct slice *rest, struct transform *transform, struct error *error)
{
    struct slice key, text;
    if (!next_part(rest, '-', &key))
        key = SLICE("");
    size_t filter = 0;
    while (filter < SAMPLE_FILTERS && !slice_equal(key, slice_of(filter_keys[filter])))
        filter++;
    if (filter == SAMPLE_FILTERS)
        return error_set(error, -EINVAL, "'%.*s' is no kind of sample filter", (int)(key.length < 100 ? key.length : 100),
                         key.text);
    if (filter != FILTER_MARKER_SEARCH || !next_part(rest, '\0', &text))
        return 0;
    return keep_text(text, transform, error);
}

/* What is no search is left out, as is all else that makes no transform. */
static int decode_search(struct slice *rest, struct transform *transform, struct error *error)
{
    struct slice text;
    if (!next_part(rest, '\0', &text))
        return 0;
    int status = keep_text(text, transform, error);
    if (status != 1)
        return status;
    size_t length = 0;
    for (size_t i = 0; i < text.length; i++) {
        struct slice here = slice_from(text, i);
        bool is_tilde = slice_starts_with(here, SLICE("%7E")), is_percent = slice_starts_with(here, SLICE("%25"));
        transform->text[length++] = is_tilde ? '~' : text.text[i];
        i += is_tilde || is_percent ? 2 : 0;
    }
    transform->text[length] = '\0';
    struct error wrong = {0};
    status = search_change_check(transform_search_change(transform), transform_search(transform), &wrong);
    return status == -ENOMEM ? error_out_of_memory(error) : status == 0;
}

static int decode_one(struct slice rest, struct transform *transform, struct error *error)
{
    struct slice key, flag;
    size_t type = 0;
    next_part(&rest, '-', &key);
    while (type < TRANSFORM_TYPES && !slice_equal(key, slice_of(keys[type])))
        type++;
    transform->type = (enum transform_type)type;
    switch (transform->type) {
    case FOCUS_SUBTREE:
    case MERGE_CALL_NODE:
        if (!next_implementation(&rest, transform) || !next_path(&rest, transform))
            return 0;
        transform->inverted = type == FOCUS_SUBTREE && next_part(&rest, '-', &flag);
        return 1;
    case FOCUS_SELF:
    case COLLAPSE_DIRECT_RECURSION:
        return next_implementation(&rest, transform) && next_index(&rest, &transform->func);
    case COLLAPSE_RESOURCE:
        return next_implementation(&rest, transform) && next_index(&rest, &transform->resource) &&
               next_index(&rest, &transform->func);
    case FOCUS_CATEGORY:
        return next_index(&rest, &transform->category);
    case FILTER_SAMPLES:
        return decode_filter(&rest, transform, error);
    case KEEP_MATCHING:
    case DROP_MATCHING:
    case MERGE_MATCHING:
    case COLLAPSE_MATCHING:
        return decode_search(&rest, transform, error);
    case FOCUS_FUNCTION:
    case MERGE_FUNCTION:
    case DROP_FUNCTION:
    case COLLAPSE_RECURSION:
    case COLLAPSE_FUNCTION_SUBTREE:
        return next_index(&rest, &transform->func);
    case TRANSFORM_TYPES:
        break;
    }
    return 0;
}

int transforms_decode(struct slice text, struct transform_list *out, struct error *error)
{
    struct slice rest = {text.text ? text.text : "", text.length}, tuple;
    while (next_part(&rest, '~', &tuple)) {
        struct transform transform = {.func = INDEX_NONE, .resource = INDEX_NONE, .category = INDEX_NONE};
        int status = decode_one(tuple, &transform, error);
        if (status == 1 && !vec_push(&out->items, transform))
            status = error_out_of_memory(error);
        if (status != 1)
            transform_free(&transform);
        if (status < 0)
            return status;
    }
    return 0;
}
