#include "print/tree_lines.h"

#include "print/estimate.h"
#include "print/func_name.h"
#include "print/number.h"
#include "tree/func_origin.h"

#include <stdio.h>

/* However deep the tree, this much of a name is shown. */
enum { NAME_LEAST = 24, SHARE_WIDTH = 7 };

enum { GUIDE_WIDTH = 3, GUIDES_MOST = 200 };

static void add_styled(struct tree_lines *lines, enum style style, const char *string)
{
    line_add(&lines->line, terminal_style(&lines->terminal, style), 0);
    line_print(&lines->line, "%s", string);
    line_add(&lines->line, terminal_style(&lines->terminal, STYLE_PLAIN), 0);
}

/* A number in its column, coloured by its share of the total. */
static void add_number(struct tree_lines *lines, const char *number, size_t width, double weight)
{
    char padded[64];
    enum style style = style_of_share(weight, lines->answer->tree.root_total);
    snprintf(padded, sizeof padded, "%*s", (int)width, number);
    if (style == STYLE_PLAIN)
        line_print(&lines->line, "%s", padded);
    else
        add_styled(lines, style, padded);
    line_print(&lines->line, "  ");
}

/* The same of a number that has an error. */
static void add_estimate(struct tree_lines *lines, double weight, struct uncertainty uncertainty)
{
    struct estimate_text text = estimate_text(weight, uncertainty, lines->answer->weights.type, true);
    line_add(&lines->line, terminal_style(&lines->terminal, style_of_share(weight, lines->answer->tree.root_total)), 0);
    line_add(&lines->line, slice_of(text.text), text.width);
    line_add(&lines->line, terminal_style(&lines->terminal, STYLE_PLAIN), 0);
    line_print(&lines->line, "  ");
}

static bool has_estimates(const struct tree_lines *lines)
{
    return lines->answer->tree.self_uncertainty != NULL;
}

static void add_numbers(struct tree_lines *lines, const struct tree_row *row)
{
    enum weight_type type = lines->answer->weights.type;
    double whole = lines->of_parent ? row->parent_total : lines->answer->tree.root_total;
    add_number(lines, number_share(row->total, whole).text, SHARE_WIDTH, row->total);
    if (has_estimates(lines))
        add_estimate(lines, row->total, row->total_uncertainty);
    else
        line_print(&lines->line, "%*s  ", (int)lines->total_width, number_weight(row->total, type).text);
    if (has_estimates(lines) && !lines->without_own)
        add_estimate(lines, row->self, row->self_uncertainty);
    else if (lines->without_own)
        line_pad(&lines->line, lines->line.width + lines->self_width + 2);
    else
        add_number(lines, number_weight(row->self, type).text, lines->self_width, row->self);
}

/* The guides take up to half of the line: in a tree that branches deeper, the outer ones give way to their number, `⋯12`. */
static void add_guides(struct tree_lines *lines, const struct tree_row *row)
{
    while (lines->branches.count > 0 && lines->branches.items[lines->branches.count - 1].depth >= row->depth)
        lines->branches.count--;
    size_t most = lines->terminal.width == SIZE_MAX ? GUIDES_MOST : lines->terminal.width / 2 / GUIDE_WIDTH;
    size_t columns = lines->branches.count + (row->siblings > 1);
    size_t first = columns > most ? columns - most + 1 : 0;

    line_add(&lines->line, terminal_style(&lines->terminal, STYLE_DIM), 0);
    if (first > 0) {
        char hidden[32];
        snprintf(hidden, sizeof hidden, "⋯%-2zu", first);
        line_add(&lines->line, first < 100 ? slice_of(hidden) : SLICE("⋯++"), GUIDE_WIDTH);
    }
    for (size_t i = first; i < lines->branches.count; i++)
        line_add(&lines->line, lines->branches.items[i].last ? SLICE("   ") : SLICE("│  "), GUIDE_WIDTH);
    if (row->siblings > 1) {
        bool last = row->sibling + 1 == row->siblings;
        struct slice corner = lines->upside_down ? SLICE("┌─ ") : SLICE("└─ ");
        line_add(&lines->line, last ? corner : SLICE("├─ "), GUIDE_WIDTH);
        if (!vec_push(&lines->branches, ((struct tree_branch){row->depth, last})))
            lines->line.failed = true;
    }
    line_add(&lines->line, terminal_style(&lines->terminal, STYLE_PLAIN), 0);
}

struct tier_text tier_text(const struct tier_list *tiers, uint32_t func)
{
    struct tier_text out = {""};
    struct main_tier main = tier_list_main(tiers, func);
    struct slice name = frame_tier_name(main.tier);
    if (main.tier == TIER_NONE)
        return out;
    if (main.share >= 0.95)
        snprintf(out.text, sizeof out.text, "%.*s", (int)name.length, name.text);
    else
        snprintf(out.text, sizeof out.text, "%.*s %.0f%%", (int)name.length, name.text, 100 * main.share);
    return out;
}

/* Name, where it comes from, how it ran, whether it was inlined and how many callees are cut, in what room the line has. */
static void add_name(struct tree_lines *lines, const struct tree_row *row)
{
    const struct func_list *funcs = lines->funcs;
    char notes[96] = "", how[40] = "";
    struct tier_text tier = tier_text(&lines->tiers, row->func);
    if (row->inlined != INLINED_NOT && row->inlined != INLINED_DIVERGENT && !func_list_is_grouped(funcs))
        snprintf(how, sizeof how, "(inlined)");
    else if (tier.text[0])
        snprintf(how, sizeof how, "(%s)", tier.text);
    if (row->cut_children > 0)
        snprintf(notes, sizeof notes, "%s%s… %zu more", how, how[0] ? "  " : "", row->cut_children);
    else
        snprintf(notes, sizeof notes, "%s", how);
    size_t notes_width = text_width(slice_of(notes));
    size_t used = lines->line.width + (notes_width > 0 ? notes_width + 2 : 0);
    size_t room = used + NAME_LEAST < lines->terminal.width ? lines->terminal.width - used : NAME_LEAST;

    struct slice name = func_name_shown(&lines->terminal, func_list_name(funcs, row->func), &lines->name);
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
    if (lines->emphasis)
        line_add(&lines->line, terminal_style(&lines->terminal, STYLE_HEADING), 0);
    line_add_func_name(&lines->line, name, room);
    if (lines->emphasis)
        line_add(&lines->line, terminal_style(&lines->terminal, STYLE_PLAIN), 0);
    line_add(&lines->line, terminal_style(&lines->terminal, STYLE_DIM), 0);
    if (has_origin) {
        line_add(&lines->line, SLICE("  "), 2);
        line_add_ending(&lines->line, origin, origin_room);
    }
    if (notes_width > 0) {
        line_add(&lines->line, SLICE("  "), 2);
        line_add(&lines->line, slice_of(notes), notes_width);
    }
    line_add(&lines->line, terminal_style(&lines->terminal, STYLE_PLAIN), 0);
}

void tree_lines_heading(struct tree_lines *lines, bool inverted)
{
    const char *unit = number_unit(0, lines->answer->weights.type);
    const char *share = lines->of_parent ? "parent" : "total",
               *name = func_list_is_grouped(lines->funcs) ? "group" : "function";
    char heading[120];
    int align = has_estimates(lines) ? -1 : 1; /* errors stand behind their numbers */
    if (has_estimates(lines))
        unit = lines->answer->weights.type == WEIGHT_BYTES    ? "       bytes ±"
               : lines->answer->weights.type == WEIGHT_BLOCKS ? "      blocks ±"
                                                              : "      faults ±";
    int pad = has_estimates(lines), total = (int)lines->total_width + pad, self = (int)lines->self_width;
    int length = snprintf(heading, sizeof heading, "%7s  %*s  ", share, align * total, unit);
    length += snprintf(heading + length, sizeof heading - (size_t)length, "%*s  ", align * self,
                       has_estimates(lines) ? "        self" : "self");
    snprintf(heading + length, sizeof heading - (size_t)length, "%s%s", name,
             inverted && !lines->upside_down ? ", and its callers below it" : "");
    add_styled(lines, STYLE_HEADING, heading);
}

void tree_lines_row(struct tree_lines *lines, const struct tree_row *row)
{
    add_numbers(lines, row);
    add_guides(lines, row);
    if (lines->toggle.length > 0)
        line_add(&lines->line, lines->toggle, 2);
    add_name(lines, row);
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

void tree_lines_begin(struct tree_lines *lines, const struct func_list *funcs, const struct answer *answer,
                      const struct terminal *terminal)
{
    size_t widest = weight_width(answer);
    *lines = (struct tree_lines){
        .funcs = funcs,
        .answer = answer,
        .terminal = *terminal,
        .total_width = larger(widest, strlen(number_unit(0, answer->weights.type))),
        .self_width = larger(widest, strlen("self")),
    };
    if (has_estimates(lines))
        lines->total_width = lines->self_width = ESTIMATE_WIDTH;
    struct error out_of_memory = {0};
    if (tier_list_build(answer, &lines->tiers, &out_of_memory) != 0)
        lines->line.failed = true;
}

void tree_lines_free(struct tree_lines *lines)
{
    vec_free(&lines->branches);
    tier_list_free(&lines->tiers);
    text_free(&lines->name);
    line_free(&lines->line);
}
