/* All keys. */
#include "top/panel.h"

static const char *const lines[] = {
    "moving",
    "  ↑ ↓, j k              previous, next row",
    "  PageUp, PageDown      a screen up, down (also Ctrl-B, Ctrl-F)",
    "  Home, End             first, last row",
    "  →                     open a row, and what it leads to while that is all it calls; then go in",
    "  ←                     close a row; then go to the one that called it",
    "  Space                 open or close a row",
    "  h, Shift-→            open the heaviest path from here, and go to its end",
    "  *                     open everything below",
    "",
    "what is shown",
    "  Tab                   the call tree, or the list of functions",
    "  Enter                 the source lines of the function",
    "  i                     bottom-up: from functions to their callers, and back",
    "  < >                   sort by total, self or name",
    "  T                     threads: one, several or all",
    "  w                     what is counted: samples, CPU time, bytes …",
    "  t                     all frames, those of scripts, native ones",
    "  x                     without idle samples, and with them",
    "  N and n               previous and next row that was found",
    "  /TEXT Enter           find functions: TEXT, lib:TEXT, file:TEXT, /REGEX/, case:TEXT",
    "  &TEXT Enter           keep only samples with it; &-TEXT: without it",
    "",
    "changing the tree (the keys of the page)",
    "  m                     merge the function: its callers get its samples",
    "  M                     merge this node only",
    "  f                     focus on the function: stacks that have it, from there on",
    "  F                     focus on this subtree only",
    "  S                     focus on what the function used itself",
    "  g                     focus on the category",
    "  c                     collapse the function: what it calls is its own",
    "  C                     collapse its library or file",
    "  r                     collapse recursion",
    "  R                     collapse direct recursion only",
    "  d                     drop samples with the function",
    "  Backspace, Ctrl-Z     take the last one back",
    "",
    "  Ctrl-L                draw the screen again",
    "  Escape                back",
    "  q                     quit",
};

enum { LINE_COUNT = sizeof lines / sizeof *lines };

static size_t count(const struct top *top)
{
    (void)top;
    return LINE_COUNT;
}

static void heading(struct top *top, struct line *line)
{
    line_add(line, terminal_style(&top->terminal, STYLE_HEADING), 0);
    line_print(line, "keys");
    line_add(line, terminal_style(&top->terminal, STYLE_PLAIN), 0);
}

static void draw(struct top *top, size_t at, bool first, struct line *line)
{
    (void)first;
    bool is_title = lines[at][0] != ' ';
    if (is_title)
        line_add(line, terminal_style(&top->terminal, STYLE_HEADING), 0);
    line_add_name(line, slice_of(lines[at]), top->terminal.width);
    if (is_title)
        line_add(line, terminal_style(&top->terminal, STYLE_PLAIN), 0);
}

static bool key(struct top *top, int key)
{
    if (key == KEY_LEFT) {
        top->panel = top->under;
        return true;
    }
    return false;
}

const struct panel help_panel = {
    .keys = "↑ ↓ more keys  Escape back",
    .count = count,
    .heading = heading,
    .draw = draw,
    .key = key,
};
