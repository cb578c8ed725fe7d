/* Taking a location string apart. */
#include "import/location.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static uint32_t parse_line(struct slice digits)
{
    uint64_t number = 0;
    for (size_t i = 0; i < digits.length; i++) {
        number = number * 10 + (uint64_t)(digits.text[i] - '0');
        if (number >= INDEX_NONE)
            return INDEX_NONE;
    }
    return (uint32_t)number;
}

static bool parse_hex(struct slice digits, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < digits.length; i++) {
        char c = digits.text[i];
        unsigned digit = is_digit(c)            ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 16;
        if (digit == 16 || *number >> 60 != 0)
            return false;
        *number = *number << 4 | digit;
    }
    return digits.length > 0;
}

/* Where the run of digits that ends at `end` starts. */
static size_t digits_start(struct slice text, size_t end)
{
    while (end > 0 && is_digit(text.text[end - 1]))
        end--;
    return end;
}

/* The last ` (in ` whose next `)` is at a place that the shape of the rest allows:
 *
 *     NAME (in LIB) + DIGITS      `offset_close`
 *     NAME (in LIB) (X:Y)         any before the colon, if ` (` follows
 *     NAME (in LIB)               the last character
 */
enum native_shape { NATIVE_WITH_OFFSET, NATIVE_WITH_PLACE, NATIVE_BARE };

static bool native_closes(struct slice text, size_t close, enum native_shape shape, size_t offset_close, size_t last_colon)
{
    switch (shape) {
    case NATIVE_WITH_OFFSET:
        return close == offset_close;
    case NATIVE_WITH_PLACE:
        return close + 2 < text.length && text.text[close + 1] == ' ' && text.text[close + 2] == '(' && last_colon > close + 2;
    case NATIVE_BARE:
        return close == text.length - 1;
    }
    return false;
}

static bool find_native(struct slice text, enum native_shape shape, size_t offset_close, size_t last_colon,
                        struct location_parts *parts)
{
    static const struct slice opening = {" (in ", 5};
    size_t close = SIZE_MAX;
    for (size_t i = text.length; i-- > 0;) {
        if (text.text[i] == ')')
            close = i;
        if (close == SIZE_MAX || !slice_starts_with(slice_from(text, i), opening))
            continue;
        if (!native_closes(text, close, shape, offset_close, last_colon))
            continue;
        size_t start = i + opening.length;
        parts->name = slice_until(text, i);
        parts->where = (struct slice){text.text + start, close - start};
        return true;
    }
    return false;
}

static bool parse_native(struct slice text, struct location_parts *parts)
{
    if (!memmem(text.text, text.length, " (in ", 5))
        return false;
    size_t digits = digits_start(text, text.length);
    bool has_offset = digits < text.length && digits >= 4 && memcmp(text.text + digits - 4, ") + ", 4) == 0;
    bool closed = text.text[text.length - 1] == ')';
    const char *colon = memrchr(text.text, ':', text.length);
    size_t last_colon = colon ? (size_t)(colon - text.text) : 0;
    bool found = (has_offset && find_native(text, NATIVE_WITH_OFFSET, digits - 4, 0, parts)) ||
                 (closed && colon && find_native(text, NATIVE_WITH_PLACE, 0, last_colon, parts)) ||
                 (closed && find_native(text, NATIVE_BARE, 0, 0, parts));
    if (!found)
        return false;
    static const struct slice thunk = {"non-virtual thunk to ", 21};
    if (slice_starts_with(parts->name, thunk))
        parts->name = slice_from(parts->name, thunk.length);
    parts->kind = LOCATION_NATIVE;
    return true;
}

/* `URI:LINE` or `URI:LINE:COLUMN`, the URI starting at `start` and as short as can be, but not empty. */
static bool parse_place(struct slice text, size_t start, struct location_parts *parts)
{
    size_t last = digits_start(text, text.length);
    if (last == text.length || last < start + 2 || text.text[last - 1] != ':')
        return false;
    size_t line = digits_start(text, last - 1);
    size_t uri_end = last - 1;
    if (line < last - 1 && line >= start + 2 && text.text[line - 1] == ':') {
        uri_end = line - 1;
        parts->line = parse_line((struct slice){text.text + line, last - 1 - line});
        parts->column = parse_line(slice_from(text, last));
    } else {
        parts->line = parse_line(slice_from(text, last));
    }
    parts->where = (struct slice){text.text + start, uri_end - start};
    return true;
}

/* Where the place starts after the last ` (` that leaves room for one (a character, a colon and the last number); 0 = nowhere.
 */
static size_t find_place(struct slice text)
{
    size_t last = digits_start(text, text.length);
    for (size_t start = last >= 2 ? last - 2 : 0; start >= 2; start--)
        if (text.text[start - 1] == '(' && text.text[start - 2] == ' ')
            return start;
    return 0;
}

/* `[12]` at the end, which is cut off. */
static void parse_source_number(struct slice *text, struct location_parts *parts)
{
    if (text->text[text->length - 1] != ']')
        return;
    size_t digits = digits_start(*text, text->length - 1);
    if (digits == 0 || digits == text->length - 1 || text->text[digits - 1] != '[')
        return;
    uint32_t number = parse_line((struct slice){text->text + digits, text->length - 1 - digits});
    parts->source_number = number;
    text->length = digits - 1;
}

/* A script that loaded another one as `a.js -> b.js`: the last one is what ran. */
static struct slice last_of_chain(struct slice uri)
{
    static const struct slice arrow = {" -> ", 4};
    for (size_t i = uri.length; i-- > 0;)
        if (slice_starts_with(slice_from(uri, i), arrow))
            return slice_from(uri, i + arrow.length);
    return uri;
}

static bool parse_script(struct slice text, struct location_parts *parts)
{
    struct location_parts script = *parts;
    struct slice place = text;
    parse_source_number(&place, &script);
    if (place.length == 0)
        return false;
    size_t start = 0;
    script.name = slice_until(text, 0);
    if (place.text[place.length - 1] == ')') {
        place.length--;
        start = find_place(place);
        if (start == 0)
            return false;
        script.name = slice_until(text, start - 2);
    }
    if (!parse_place(place, start, &script))
        return false;
    *parts = script;
    parts->kind = LOCATION_SCRIPT;
    parts->where = last_of_chain(parts->where);
    return true;
}

struct location_parts location_parse(struct slice location)
{
    struct location_parts parts = {
        .kind = LOCATION_LABEL, .name = location, .line = INDEX_NONE, .column = INDEX_NONE, .source_number = UINT64_MAX};
    if (slice_starts_with(location, SLICE("0x"))) {
        parts.kind = LOCATION_ADDRESS;
        parts.has_address = parse_hex(slice_from(location, 2), &parts.address);
        return parts;
    }
    /* Texts of several lines are never places in code. */
    if (location.length == 0 || memchr(location.text, '\n', location.length) || memchr(location.text, '\r', location.length))
        return parts;
    if (!parse_native(location, &parts))
        parse_script(location, &parts);
    return parts;
}
