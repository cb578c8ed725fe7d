#include "top/canvas.h"

#include "print/text.h"

#include <stdint.h>
#include <stdio.h>

static void free_lines(struct canvas_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_free(&lines[i].bytes);
}

void canvas_free(struct canvas *canvas)
{
    free_lines(canvas->lines.items, canvas->lines.count);
    free_lines(canvas->shown.items, canvas->shown.count);
    vec_free(&canvas->lines);
    vec_free(&canvas->shown);
}

static bool resize(struct canvas *canvas, size_t rows)
{
    if (!vec_reserve(&canvas->lines, rows) || !vec_reserve(&canvas->shown, rows))
        return false;
    free_lines(canvas->lines.items, canvas->lines.count);
    free_lines(canvas->shown.items, canvas->shown.count);
    for (size_t i = 0; i < rows; i++)
        canvas->lines.items[i] = canvas->shown.items[i] = (struct canvas_line){0};
    canvas->lines.count = canvas->shown.count = rows;
    return true;
}

bool canvas_begin(struct canvas *canvas, size_t rows, size_t columns)
{
    if (rows != canvas->lines.count || columns != canvas->columns) {
        if (!resize(canvas, rows))
            return false;
        canvas->unknown = true;
    }
    canvas->rows = rows;
    canvas->columns = columns;
    for (size_t i = 0; i < rows; i++) {
        text_cut(&canvas->lines.items[i].bytes, 0);
        canvas->lines.items[i].reverse = false;
    }
    return true;
}

/* ---- one line ---- */

static size_t sequence_length(struct slice text)
{
    size_t i = 1;
    while (i < text.length && text.text[i] != 'm')
        i++;
    return i < text.length ? i + 1 : i;
}

static size_t character_length(struct slice text)
{
    size_t i = 1;
    while (i < text.length && ((unsigned char)text.text[i] & 0xc0) == 0x80)
        i++;
    return i;
}

/* What stands for a character where there is ASCII alone. */
static struct slice in_ascii(struct slice character, size_t width)
{
    static const struct {
        struct slice character, ascii;
    } others[] = {
        {SLICE("│"), SLICE("|")}, {SLICE("├"), SLICE("|")}, {SLICE("└"), SLICE("`")},  {SLICE("┌"), SLICE(",")},
        {SLICE("─"), SLICE("-")}, {SLICE("▸"), SLICE("+")}, {SLICE("▾"), SLICE("-")},  {SLICE("›"), SLICE(">")},
        {SLICE("…"), SLICE("~")}, {SLICE("⋯"), SLICE(".")}, {SLICE("↑"), SLICE("^")},  {SLICE("↓"), SLICE("v")},
        {SLICE("→"), SLICE(">")}, {SLICE("←"), SLICE("<")}, {SLICE("“"), SLICE("\"")}, {SLICE("”"), SLICE("\"")},
    };
    if (character.length == 1)
        return character;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (slice_equal(others[i].character, character))
            return others[i].ascii;
    return width == 0 ? SLICE("") : width == 1 ? SLICE("?") : SLICE("??");
}

void canvas_set(struct canvas *canvas, size_t row, struct slice text, bool reverse)
{
    if (row >= canvas->lines.count)
        return;
    struct canvas_line *line = &canvas->lines.items[row];
    text_cut(&line->bytes, 0);
    line->reverse = reverse;
    size_t width = 0, length;
    for (; text.length > 0; text = slice_from(text, length)) {
        if (text.text[0] == '\x1b') {
            length = sequence_length(text);
            if (!reverse)
                text_add(&line->bytes, slice_until(text, length));
            continue;
        }
        length = character_length(text);
        struct slice character = slice_until(text, length);
        size_t columns = text_width(character);
        if (width + columns > canvas->columns)
            continue;
        text_add(&line->bytes, canvas->utf8 ? character : in_ascii(character, columns));
        width += columns;
    }
    for (; reverse && width < canvas->columns; width++)
        text_add_char(&line->bytes, ' ');
}

/* ---- the whole ---- */

static bool same(const struct canvas_line *a, const struct canvas_line *b)
{
    return a->reverse == b->reverse && slice_equal(text_slice(&a->bytes), text_slice(&b->bytes));
}

static void write_line(const struct canvas_line *line, size_t row, struct text_buffer *out)
{
    char place[32];
    text_add(out, (struct slice){place, (size_t)snprintf(place, sizeof place, "\x1b[%zu;1H\x1b[0m\x1b[K", row + 1)});
    if (line->reverse)
        text_add(out, SLICE("\x1b[7m"));
    text_add(out, text_slice(&line->bytes));
    text_add(out, SLICE("\x1b[0m"));
}

void canvas_write(struct canvas *canvas, struct text_buffer *out)
{
    for (size_t i = 0; i < canvas->lines.count; i++) {
        struct canvas_line *line = &canvas->lines.items[i], *shown = &canvas->shown.items[i];
        if (!canvas->unknown && same(line, shown))
            continue;
        write_line(line, i, out);
        struct canvas_line before = *shown;
        *shown = *line;
        *line = before;
    }
    canvas->unknown = false;
}
