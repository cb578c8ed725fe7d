#include "cli/text_tree.h"

#include "cli/cut.h"
#include "cli/number.h"

#include <math.h>
#include <stdio.h>

/* However deep the tree, this much of a name is shown. */
enum { NAME_LEAST = 24 };

enum { GUIDE_WIDTH = 3, GUIDES_MOST = 200 };

/* Shares of the total from which a function's own samples are worth a colour. */
static const double hot_share = 0.05, warm_share = 0.01;

/* A level at which there are several nodes side by side. */
struct branch {
    size_t depth;
    bool last; /* of them: the line does not go on below it */
};

struct text_tree {
    const struct selection *selection;
    const struct answer *answer;
    struct terminal terminal;
    struct line line;
    size_t total_width, self_width;
    VEC(struct branch) branches; /* on the way to the current row */
};

static void add_styled(struct text_tree *text, enum style style, const char *string)
{
    line_add(&text->line, terminal_style(&text->terminal, style), 0);
    line_print(&text->line, "%s", string);
    line_add(&text->line, terminal_style(&text->terminal, STYLE_PLAIN), 0);
}

static void add_numbers(struct text_tree *text, const struct tree_row *row)
{
    enum weight_type type = text->answer->weights.type;
    double whole = text->answer->tree.root_total;
    char padded[64];
    line_print(&text->line, "%7s  %*s  ", number_share(row->total, whole).text, (int)text->total_width,
               number_weight(row->total, type).text);
    double share = whole != 0 ? fabs(row->self) / whole : 0;
    enum style style = row->self == 0        ? STYLE_DIM
                       : share >= hot_share  ? STYLE_HOT
                       : share >= warm_share ? STYLE_WARM
                                             : STYLE_PLAIN;
    snprintf(padded, sizeof padded, "%*s", (int)text->self_width, number_weight(row->self, type).text);
    if (style == STYLE_PLAIN)
        line_print(&text->line, "%s", padded);
    else
        add_styled(text, style, padded);
    line_print(&text->line, "  ");
}

/* The guides take up to half of the line: in a tree that branches deeper, the outer ones give way to their number, `⋯12`. */
static void add_guides(struct text_tree *text, const struct tree_row *row)
{
    while (text->branches.count > 0 && text->branches.items[text->branches.count - 1].depth >= row->depth)
        text->branches.count--;
    size_t most = text->terminal.width == SIZE_MAX ? GUIDES_MOST : text->terminal.width / 2 / GUIDE_WIDTH;
    size_t columns = text->branches.count + (row->siblings > 1);
    size_t first = columns > most ? columns - most + 1 : 0;

    line_add(&text->line, terminal_style(&text->terminal, STYLE_DIM), 0);
    if (first > 0) {
        char hidden[32];
        snprintf(hidden, sizeof hidden, "⋯%-2zu", first);
        line_add(&text->line, first < 100 ? slice_of(hidden) : SLICE("⋯++"), GUIDE_WIDTH);
    }
    for (size_t i = first; i < text->branches.count; i++)
        line_add(&text->line, text->branches.items[i].last ? SLICE("   ") : SLICE("│  "), GUIDE_WIDTH);
    if (row->siblings > 1) {
        bool last = row->sibling + 1 == row->siblings;
        line_add(&text->line, last ? SLICE("└─ ") : SLICE("├─ "), GUIDE_WIDTH);
        if (!vec_push(&text->branches, ((struct branch){row->depth, last})))
            text->line.failed = true;
    }
    line_add(&text->line, terminal_style(&text->terminal, STYLE_PLAIN), 0);
}

/* Name, where it comes from, whether it was inlined and how many callees are cut, in what room the line has. */
static void add_name(struct text_tree *text, const struct tree_row *row)
{
    const struct func_list *funcs = text->selection->whole.funcs;
    char notes[64] = "";
    bool inlined = row->inlined != INLINED_NOT && row->inlined != INLINED_DIVERGENT;
    if (row->cut_children > 0)
        snprintf(notes, sizeof notes, "%s… %zu more", inlined ? "(inlined)  " : "", row->cut_children);
    else if (inlined)
        snprintf(notes, sizeof notes, "(inlined)");
    size_t notes_width = text_width(slice_of(notes));
    size_t used = text->line.width + (notes_width > 0 ? notes_width + 2 : 0);
    size_t room = used + NAME_LEAST < text->terminal.width ? text->terminal.width - used : NAME_LEAST;

    struct slice name = func_list_name(funcs, row->func);
    struct func_origin from = func_origin(funcs, row->func);
    struct slice origin = slice_of(from.text);
    size_t name_width = text_width(name), origin_width = text_width(origin);
    bool has_origin = origin_width > 0 && !slice_equal(origin, name) && room > NAME_LEAST;
    size_t origin_room = 0;
    if (has_origin) {
        /* The name comes first; a long one still leaves a quarter of the room. */
        size_t left = room > name_width + 2 ? room - name_width - 2 : 0;
        origin_room = left > room / 4 ? left : room / 4;
        if (origin_width < origin_room)
            origin_room = origin_width;
        room -= origin_room + 2;
    }
    line_add_name(&text->line, name, room);
    line_add(&text->line, terminal_style(&text->terminal, STYLE_DIM), 0);
    if (has_origin) {
        line_add(&text->line, SLICE("  "), 2);
        line_add_ending(&text->line, origin, origin_room);
    }
    if (notes_width > 0) {
        line_add(&text->line, SLICE("  "), 2);
        line_add(&text->line, slice_of(notes), notes_width);
    }
    line_add(&text->line, terminal_style(&text->terminal, STYLE_PLAIN), 0);
}

static void print_heading(struct text_tree *text)
{
    const char *unit = number_unit(0, text->answer->weights.type);
    char heading[120];
    snprintf(heading, sizeof heading, "%7s  %*s  %*s  %s", "total", (int)text->total_width, unit, (int)text->self_width, "self",
             text->selection->query.inverted ? "function, and its callers below it" : "function");
    add_styled(text, STYLE_HEADING, heading);
    output_line(&text->line);
}

static void print_cut(const struct tree_walk *walk, size_t cut_count, const struct answer *answer, const char *rest_hint)
{
    if (cut_count == 0)
        return;
    printf("\n… %s more ", number_grouped((double)cut_count, 0).text);
    if (rest_hint)
        printf("(%s)\n", rest_hint);
    else if (walk->cut.limit != SIZE_MAX)
        printf("than the %zu largest (--limit)\n", walk->cut.limit);
    else if (walk->cut.depth != SIZE_MAX)
        printf("below the %zu levels shown (--depth)\n", walk->cut.depth);
    else
        printf("with less than %g%% of the total (--min 0 shows all)\n", 100 * walk->cut.min / answer->tree.root_total);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* No total or self is wider than this. Weights can be negative (memory that was given back): then there is a sign. */
static size_t weight_width(const struct answer *answer)
{
    const struct call_tree *tree = &answer->tree;
    double sign = 1;
    for (size_t node = 0; node < tree->nodes->count && sign > 0; node++)
        if (tree->self[node] < 0)
            sign = -1;
    return strlen(number_weight(sign * tree->root_total, answer->weights.type).text);
}

int print_text_tree(struct selection *selection, struct answer *answer, const struct tree_cut *cut, const char *rest_hint)
{
    struct text_tree text = {.selection = selection, .answer = answer, .terminal = terminal_of_options(selection->options)};
    enum weight_type type = answer->weights.type;
    size_t widest = weight_width(answer);
    text.total_width = larger(widest, strlen(number_unit(0, type)));
    text.self_width = larger(widest, strlen("self"));

    struct tree_walk walk;
    tree_walk_begin(&walk, answer, selection->query.inverted, cut, &selection->error);
    if (selection->error.code == 0) {
        print_selection(selection, answer, &text.terminal);
        print_heading(&text);
    }
    size_t cut_count = walk.cut_roots;
    for (struct tree_row row; tree_walk_next(&walk, &row);) {
        add_numbers(&text, &row);
        add_guides(&text, &row);
        add_name(&text, &row);
        output_line(&text.line);
        cut_count += row.cut_children;
    }
    if (tree_walk_end(&walk) == 0) {
        if (walk.shown == 0 && cut_count == 0)
            puts("no samples");
        print_cut(&walk, cut_count, answer, rest_hint);
        print_selected(selection, &answer->selected);
    }
    bool failed = text.line.failed;
    vec_free(&text.branches);
    line_free(&text.line);
    return selection->error.code != 0 ? selection_report(selection) : output_finish(failed);
}
