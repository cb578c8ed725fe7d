/* The source lines of a function, each with its samples. */
#include "top/panel.h"

#include "print/func_name.h"
#include "print/number.h"

enum { NUMBER_WIDTH = 9, TAB_WIDTH = 8 };

/* Lines of the file, or where it is not there those that have samples. */
static size_t count(const struct top *top)
{
    return top->text.count > 0 ? top->text.count : top->timings.rows.count;
}

static uint32_t line_number(const struct top *top, size_t row)
{
    return top->text.count > 0 ? top->text.first_line + (uint32_t)row : top->timings.rows.items[row].line;
}

static const struct line_row *timing_of(const struct top *top, uint32_t number)
{
    const struct line_row *rows = top->timings.rows.items;
    size_t low = 0, high = top->timings.rows.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows[middle].line < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < top->timings.rows.count && rows[low].line == number ? &rows[low] : NULL;
}

/* The row of a line; the last one where the file has become shorter. */
static size_t row_of(const struct top *top, uint32_t number)
{
    if (top->text.count > 0) {
        size_t row = number > top->text.first_line ? number - top->text.first_line : 0;
        return row < top->text.count ? row : top->text.count - 1;
    }
    for (size_t i = 0; i < top->timings.rows.count; i++)
        if (top->timings.rows.items[i].line == number)
            return i;
    return 0;
}

void source_open(struct top *top, uint32_t func)
{
    struct look *look = &top->look;
    line_timings_free(&top->timings);
    top->timings = (struct line_timings){0};
    top->source_func = func;
    top->source = look->answer->view.funcs->source[func];
    if (!top_worked(top, line_timings_of_func(&look->answer->view, &look->answer->weights, func, &top->timings, &look->error)))
        return;
    top->text = top->source != INDEX_NONE ? top->sources.read(top->sources.data, top->source) : (struct top_text){0};
    if (top->timings.rows.count == 0) {
        top_say(top, "no lines are known of it (symbols with debug information have them)");
        return;
    }
    top->panel = PANEL_SOURCE;
    top->lists[PANEL_SOURCE] = (struct top_list){0};
    uint32_t hottest = line_timings_hottest(&top->timings);
    if (hottest != INDEX_NONE)
        panel_choose(top, row_of(top, hottest));
    /* Some lines before the hottest one. */
    size_t before = top->list_rows / 3, chosen = panel_chosen(top);
    top->lists[PANEL_SOURCE].first = chosen > before ? chosen - before : 0;
    if (top->text.count == 0)
        top_say(top, "no such file here (--source-dir says where): only lines with samples");
    else if (top->text.changed)
        top_say(top, "the file has changed since the recording: lines may have moved");
}

static void heading(struct top *top, struct line *line)
{
    const struct look *look = &top->look;
    struct slice file = func_list_filename(look->answer->view.funcs, top->source_func);
    line_add(line, terminal_style(&top->terminal, STYLE_HEADING), 0);
    line_print(line, "%7s  %*s  %*s  %6s  ", "self", NUMBER_WIDTH, "self", NUMBER_WIDTH, "total", "line");
    size_t room = top->terminal.width > line->width ? top->terminal.width - line->width : 0;
    line_add_func(line, &top->terminal, func_list_name(look->answer->view.funcs, top->source_func), room / 2);
    line_print(line, "  ");
    room = top->terminal.width > line->width ? top->terminal.width - line->width : 0;
    line_add_ending(line, file.length > 0 ? file : SLICE("unknown file"), room);
    line_add(line, terminal_style(&top->terminal, STYLE_PLAIN), 0);
}

static void add_text(struct line *line, struct slice text, size_t width)
{
    size_t start = line->width;
    while (text.length > 0 && line->width < width) {
        size_t length = 0;
        while (length < text.length && text.text[length] != '\t')
            length++;
        if (length > 0)
            line_add_name(line, slice_until(text, length), width - line->width);
        text = slice_from(text, length);
        if (text.length > 0) {
            line_pad(line, start + ((line->width - start) / TAB_WIDTH + 1) * TAB_WIDTH);
            text = slice_from(text, 1);
        }
    }
}

static void draw(struct top *top, size_t at, bool first, struct line *line)
{
    (void)first;
    uint32_t number = line_number(top, at);
    const struct line_row *row = timing_of(top, number);
    enum weight_type type = top->look.answer->weights.type;
    double whole = top->look.answer->tree.root_total;
    if (row) {
        line_add(line, terminal_style(&top->terminal, style_of_share(row->self, whole)), 0);
        line_print(line, "%7s  ", number_share(row->self, whole).text);
        line_print(line, "%*s  ", NUMBER_WIDTH, number_weight(row->self, type).text);
        line_add(line, terminal_style(&top->terminal, STYLE_PLAIN), 0);
        line_print(line, "%*s  ", NUMBER_WIDTH, number_weight(row->total, type).text);
    } else {
        line_pad(line, 7 + 2 + NUMBER_WIDTH + 2 + NUMBER_WIDTH + 2);
        line_add(line, terminal_style(&top->terminal, STYLE_DIM), 0);
    }
    line_print(line, "%6u  ", number);
    if (top->text.count > 0)
        add_text(line, top->text.lines[at], top->terminal.width);
    line_add(line, terminal_style(&top->terminal, STYLE_PLAIN), 0);
}

/* The next or previous line with samples of its own. */
static void go_to_hot(struct top *top, bool backwards)
{
    uint32_t number = line_number(top, panel_chosen(top));
    const struct line_row *rows = top->timings.rows.items, *best = NULL;
    for (size_t i = 0; i < top->timings.rows.count; i++)
        if (rows[i].self != 0 && (backwards ? rows[i].line < number : rows[i].line > number)) {
            best = &rows[i];
            if (!backwards)
                break;
        }
    if (best)
        panel_choose(top, row_of(top, best->line));
    else
        top_say(top, "no line with samples of its own %s this one", backwards ? "above" : "below");
}

static bool key(struct top *top, int key)
{
    switch (key) {
    case ']':
    case '[':
        if (count(top) > 0)
            go_to_hot(top, key == '[');
        return true;
    case KEY_LEFT:
        top->panel = top->under;
        return true;
    default:
        return false;
    }
}

const struct panel source_panel = {
    .keys = "[ ] line with samples  Escape back  ? keys  q quit",
    .count = count,
    .heading = heading,
    .draw = draw,
    .key = key,
};
