#include "cli/table.h"

#include "cli/output.h"
#include "print/func_name.h"

#include <stdarg.h>
#include <stdio.h>

enum { GAP = 2, MAX_COLUMNS = 16 };

/* However narrow the terminal, this much of the last column is shown. */
enum { LAST_LEAST = 16 };

void table_init(struct table *table, const struct terminal *terminal, const struct table_head *columns, size_t column_count)
{
    *table = (struct table){.terminal = terminal, .columns = columns, .column_count = column_count};
    for (size_t i = 0; i < column_count; i++)
        table_add(table, slice_of(columns[i].title), STYLE_HEADING);
}

void table_free(struct table *table)
{
    vec_free(&table->cells);
    arena_free(&table->arena);
}

void table_add(struct table *table, struct slice text, enum style style)
{
    if (!vec_push(&table->cells, ((struct table_cell){text, style})))
        table->failed = true;
}

void table_add_func(struct table *table, struct slice name, enum style style)
{
    struct text_buffer scratch = {0};
    struct slice shown = func_name_shown(table->terminal, name, &scratch);
    char *copy = shown.text == name.text ? NULL : arena_copy(&table->arena, shown.text, shown.length);
    table->failed |= scratch.failed || (shown.text != name.text && !copy);
    table_add(table, copy ? (struct slice){copy, shown.length} : name, style);
    text_free(&scratch);
}

void table_print(struct table *table, enum style style, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof text)
        length = (int)sizeof text - 1;
    char *copy = arena_copy(&table->arena, text, (size_t)length);
    if (copy)
        table_add(table, (struct slice){copy, (size_t)length}, style);
    else
        table->failed = true;
}

/* What a column has room for that starts at `start`: its widest cell, where that leaves the last column, which is what the
 * table is about, its least. Numbers are never cut. */
static size_t column_room(const struct table *table, const size_t *widths, size_t column, size_t start)
{
    size_t last = table->column_count - 1, least = widths[last] < LAST_LEAST ? widths[last] : LAST_LEAST;
    if (table->columns[column].align == ALIGN_RIGHT)
        return widths[column];
    size_t kept = column < last ? start + GAP + least : start;
    size_t room = table->terminal->width > kept ? table->terminal->width - kept : 0;
    if (column == last && room < least)
        room = least;
    return room < widths[column] ? room : widths[column];
}

static void add_row(const struct table *table, const size_t *widths, size_t first, struct line *line)
{
    size_t column_start = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct table_cell *cell = &table->cells.items[first + i];
        size_t room = column_room(table, widths, i, column_start);
        size_t width = text_width(cell->text);
        if (width > room)
            width = room;
        bool last = i + 1 == table->column_count;
        if (table->columns[i].align == ALIGN_RIGHT)
            line_pad(line, column_start + room - width);
        else if (cell->text.length > 0)
            line_pad(line, column_start);
        if (cell->style != STYLE_PLAIN)
            line_add(line, terminal_style(table->terminal, cell->style), 0);
        if (table->columns[i].keep == KEEP_END)
            line_add_ending(line, cell->text, room);
        else if (table->columns[i].keep == KEEP_ENDS)
            line_add_func_name(line, cell->text, room);
        else
            line_add_name(line, cell->text, room);
        if (cell->style != STYLE_PLAIN)
            line_add(line, terminal_style(table->terminal, STYLE_PLAIN), 0);
        column_start += last || room == 0 ? 0 : room + GAP;
    }
}

void table_write(struct table *table)
{
    if (table->failed)
        return;
    size_t widths[MAX_COLUMNS] = {0};
    for (size_t i = 0; i < table->cells.count; i++) {
        size_t column = i % table->column_count;
        size_t width = text_width(table->cells.items[i].text);
        size_t max = table->columns[column].max;
        if (max > 0 && width > max)
            width = max;
        if (width > widths[column])
            widths[column] = width;
    }
    struct line line = {0};
    for (size_t first = 0; first < table->cells.count; first += table->column_count) {
        add_row(table, widths, first, &line);
        output_line(&line);
    }
    table->failed = line.failed;
    line_free(&line);
}
