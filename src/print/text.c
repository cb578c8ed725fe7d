#include "print/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <strings.h>

enum { REPLACEMENT = 0xfffd };

/* The next character of `text`, which is not empty, and how many bytes it takes. */
static uint32_t next_character(struct slice text, size_t *bytes)
{
    const unsigned char *at = (const unsigned char *)text.text;
    *bytes = 1;
    if (at[0] < 0x20 || at[0] == 0x7f)
        return REPLACEMENT;
    if (at[0] < 0x80)
        return at[0];
    size_t length = at[0] >= 0xf0 && at[0] < 0xf5 ? 4 : at[0] >= 0xe0 ? 3 : at[0] >= 0xc2 ? 2 : 1;
    static const uint32_t first_bits[] = {0, 0, 0x1f, 0x0f, 0x07};
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (length == 1 || length > text.length || at[0] >= 0xf5)
        return REPLACEMENT;
    uint32_t character = at[0] & first_bits[length];
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return REPLACEMENT;
        character = character << 6 | (at[i] & 0x3f);
    }
    if (character < smallest[length] || character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
        return REPLACEMENT;
    *bytes = length;
    /* The control characters of Latin-1, and those that turn the writing direction around. */
    bool steers =
        character < 0xa0 || (character >= 0x202a && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
    return steers ? REPLACEMENT : character;
}

/* Marks that sit on the character before them take no column, East Asian characters and pictures take two. */
static size_t character_width(uint32_t c)
{
    static const struct {
        uint32_t first, last;
        uint8_t width;
    } ranges[] = {
        {0x0300, 0x036f, 0}, {0x1100, 0x115f, 2},   {0x200b, 0x200f, 0},   {0x2e80, 0x303e, 2},   {0x3041, 0xa4cf, 2},
        {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},   {0xfe30, 0xfe6f, 2},   {0xff01, 0xff60, 2},
        {0xffe0, 0xffe6, 2}, {0x1f300, 0x1f64f, 2}, {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && c >= ranges[i].first; i++)
        if (c <= ranges[i].last)
            return ranges[i].width;
    return 1;
}

size_t text_width(struct slice name)
{
    size_t width = 0;
    for (size_t bytes; name.length > 0; name = slice_from(name, bytes))
        width += character_width(next_character(name, &bytes));
    return width;
}

void line_clear(struct line *line)
{
    line->bytes.count = 0;
    line->width = 0;
}

void line_free(struct line *line)
{
    vec_free(&line->bytes);
}

void line_add(struct line *line, struct slice text, size_t width)
{
    if (!vec_reserve(&line->bytes, line->bytes.count + text.length)) {
        line->failed = true;
        return;
    }
    if (text.length > 0)
        memcpy(line->bytes.items + line->bytes.count, text.text, text.length);
    line->bytes.count += text.length;
    line->width += width;
}

void line_print(struct line *line, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    line_add(line, slice_of(text), strlen(text));
}

void line_add_name(struct line *line, struct slice name, size_t room)
{
    bool fits = name.length <= room || text_width(name) <= room;
    if (room == 0)
        return;
    size_t limit = fits ? SIZE_MAX : room - 1;
    size_t used = 0;
    for (size_t bytes; name.length > 0; name = slice_from(name, bytes)) {
        uint32_t character = next_character(name, &bytes);
        size_t width = character_width(character);
        if (used + width > limit) {
            line_add(line, SLICE("…"), 1);
            return;
        }
        line_add(line, character == REPLACEMENT ? SLICE("\xef\xbf\xbd") : slice_until(name, bytes), width);
        used += width;
    }
}

void line_add_ending_of(struct line *line, struct slice name, size_t room)
{
    size_t width = text_width(name);
    for (size_t bytes; width > room; name = slice_from(name, bytes))
        width -= character_width(next_character(name, &bytes));
    line_add_name(line, name, width);
}

void line_add_ending(struct line *line, struct slice name, size_t room)
{
    if (room == 0)
        return;
    bool cut = text_width(name) > room;
    if (cut)
        line_add(line, SLICE("…"), 1);
    line_add_ending_of(line, name, room - cut);
}

void line_pad(struct line *line, size_t column)
{
    while (line->width < column && !line->failed)
        line_add(line, SLICE(" "), 1);
}

int text_order(struct slice a, struct slice b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter > 0 ? strncasecmp(a.text, b.text, shorter) : 0;
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}
