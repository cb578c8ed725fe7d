/* Every function with self and total. */
#include "top/panel.h"

#include "print/func_name.h"
#include "print/number.h"
#include "tree/func_origin.h"

#include <math.h>
#include <stdlib.h>

enum { ORIGIN_WIDTH = 24 };

static size_t count(const struct top *top)
{
    return top->functions.rows.count;
}

static int compare_names(const void *left, const void *right, void *context)
{
    const struct func_list *funcs = context;
    const struct function_row *a = left, *b = right;
    int order = text_order(func_list_name(funcs, a->func), func_list_name(funcs, b->func));
    return order != 0 ? order : (a->func > b->func) - (a->func < b->func);
}

/* The list of the answer that there is, with the chosen function where it is now. */
void functions_open(struct top *top)
{
    const struct func_list *funcs = top->look.answer->view.funcs;
    uint32_t func = panel_func(top);
    enum function_order order = top->functions_sort == SORT_TOTAL ? FUNCTIONS_BY_TOTAL : FUNCTIONS_BY_SELF;
    function_list_free(&top->functions);
    top->functions = (struct function_list){0};
    if (!top_worked(top, function_list_build(&top->look.answer->tree, funcs->count, order, &top->functions, &top->look.error)))
        return;
    if (top->functions_sort == SORT_NAME && top->functions.rows.count > 1)
        qsort_r(top->functions.rows.items, top->functions.rows.count, sizeof *top->functions.rows.items, compare_names,
                (void *)(uintptr_t)funcs);
    size_t chosen = 0;
    for (size_t i = 0; i < top->functions.rows.count; i++)
        if (top->functions.rows.items[i].func == func)
            chosen = i;
    top->lists[PANEL_FUNCTIONS].chosen = chosen;
}

/* Of a number; no total is wider than those of the tree. */
static int number_width(const struct top *top)
{
    return (int)top->tree.total_width;
}

static void heading(struct top *top, struct line *line)
{
    static const char *const sorts[] = {"by total", "by self", "by name"};
    const char *unit = number_unit(0, top->look.answer->weights.type);
    line_add(line, terminal_style(&top->terminal, STYLE_HEADING), 0);
    line_print(line, "%7s  %*s  %7s  %*s  function, %s", "self", number_width(top), unit, "total", number_width(top), unit,
               sorts[top->functions_sort]);
    line_add(line, terminal_style(&top->terminal, STYLE_PLAIN), 0);
}

static void add_styled(struct top *top, struct line *line, enum style style, const char *text, int width)
{
    line_add(line, terminal_style(&top->terminal, style), 0);
    line_print(line, "%*s  ", width, text);
    line_add(line, terminal_style(&top->terminal, STYLE_PLAIN), 0);
}

static void draw(struct top *top, size_t at, bool first, struct line *line)
{
    (void)first;
    const struct function_row *row = &top->functions.rows.items[at];
    const struct func_list *funcs = top->look.answer->view.funcs;
    enum weight_type type = top->look.answer->weights.type;
    double whole = top->look.answer->tree.root_total;
    add_styled(top, line, style_of_share(row->self, whole), number_share(row->self, whole).text, 7);
    add_styled(top, line, row->self == 0 ? STYLE_DIM : STYLE_PLAIN, number_weight(row->self, type).text, number_width(top));
    add_styled(top, line, style_of_share(row->total, whole), number_share(row->total, whole).text, 7);
    add_styled(top, line, STYLE_PLAIN, number_weight(row->total, type).text, number_width(top));

    struct func_origin from = func_origin(funcs, row->func);
    struct slice origin = slice_of(from.text), name = func_list_name(funcs, row->func);
    size_t room = top->terminal.width > line->width ? top->terminal.width - line->width : 0;
    size_t width = text_width(origin) < ORIGIN_WIDTH ? text_width(origin) : ORIGIN_WIDTH;
    bool has_origin = width > 0 && room > ORIGIN_WIDTH + width && !slice_equal(origin, name);
    bool found = top->found && top->found[row->func];
    if (found)
        line_add(line, terminal_style(&top->terminal, STYLE_HEADING), 0);
    line_add_func(line, &top->terminal, name, has_origin ? room - width - 2 : room);
    line_add(line, terminal_style(&top->terminal, has_origin ? STYLE_DIM : STYLE_PLAIN), 0);
    if (has_origin) {
        line_print(line, "  ");
        line_add_ending(line, origin, width);
        line_add(line, terminal_style(&top->terminal, STYLE_PLAIN), 0);
    }
}

static bool key(struct top *top, int key)
{
    if (key != '<' && key != '>')
        return false;
    unsigned step = key == '<' ? SORT_COUNT - 1 : 1;
    top->functions_sort = (enum look_sort)((top->functions_sort + step) % SORT_COUNT);
    functions_open(top);
    return true;
}

const struct panel functions_panel = {
    .keys = "? keys  Tab tree  Enter source  / find  < > sort  q quit",
    .count = count,
    .heading = heading,
    .draw = draw,
    .key = key,
};
