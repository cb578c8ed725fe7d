/* The screen: two lines of head, the panel, one line at the bottom. */
#include "top/panel.h"
#include "top/top.h"

#include "print/number.h"

#include <stdio.h>
#include <string.h>

enum { HEAD_LINES = 3, FOOT_LINES = 1 };

static void set(struct canvas *canvas, size_t row, struct line *line, bool reverse)
{
    canvas_set(canvas, row, (struct slice){line->bytes.items ? line->bytes.items : "", line->bytes.count}, reverse);
    line_clear(line);
}

/* ---- the head ---- */

static void add_threads(const struct top *top, struct line *line, size_t room)
{
    const struct look *look = &top->look;
    if (look->threads.count != 1) {
        line_print(line, "%zu threads", look->threads.count);
        return;
    }
    const struct thread *thread = &look->profile->threads.items[look->threads.items[0].i];
    struct slice process = profile_text(look->profile, thread->process_name), pid = profile_text(look->profile, thread->pid);
    line_print(line, "t-%u ", look->threads.items[0].i);
    line_add_name(line, profile_text(look->profile, thread->name), room / 2);
    if (process.length > 0) {
        line_print(line, " of ");
        line_add_name(line, process, room / 3);
    }
    line_print(line, ", pid %.*s", pid.length < 20 ? (int)pid.length : 20, pid.text);
}

static const char *without_folders(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash && slash[1] ? slash + 1 : file;
}

/* Which file and threads at the left, the sum and what is special about it at the right. */
static void draw_title(struct top *top, struct line *line)
{
    const struct look *look = &top->look;
    const struct answer *answer = look->answer;
    struct line right = {0};
    size_t width = top->terminal.width;
    line_print(&right, "%s %s", number_weight(answer->tree.root_total, answer->weights.type).text,
               number_unit(answer->tree.root_total, answer->weights.type));
    if (look->query.strategy != STRATEGY_TIMING)
        line_print(&right, ", %s", strategy_names[look->query.strategy]);
    if (look->query.implementation != IMPLEMENTATION_COMBINED)
        line_print(&right, ", %s", look->query.implementation == IMPLEMENTATION_JS ? "scripts" : "native");
    if (look->query.exclude_idle)
        line_print(&right, ", without idle");
    if (look->query.inverted)
        line_print(&right, ", inverted");
    size_t left = width > right.width + 2 ? width - right.width - 2 : width;
    line_add(line, terminal_style(&top->terminal, STYLE_HEADING), 0);
    line_add_ending(line, slice_of(without_folders(top->file)), left / 2);
    line_add(line, terminal_style(&top->terminal, STYLE_PLAIN), 0);
    line_print(line, "  ");
    add_threads(top, line, left > line->width ? left - line->width : 0);
    if (width > right.width)
        line_pad(line, width - right.width);
    line_add(line, (struct slice){right.bytes.items, right.bytes.count}, right.width);
    line_free(&right);
}

/* Transforms; the last ones where there is no room for all. */
static void draw_crumbs(struct top *top, struct line *line)
{
    const struct look *look = &top->look;
    size_t count = look->transforms.items.count, first = count;
    size_t width = 16 + (strlen(top->filters) < top->terminal.width / 2 ? strlen(top->filters) : top->terminal.width / 2);
    struct line crumb = {0};
    while (first > 0) {
        line_clear(&crumb);
        top_crumb(top, &look->transforms.items.items[first - 1], &crumb);
        if (width + crumb.width + 3 > top->terminal.width && first < count)
            break;
        width += crumb.width + 3;
        first--;
    }
    line_add(line, terminal_style(&top->terminal, STYLE_DIM), 0);
    line_print(line, "Complete");
    if (top->filters[0]) {
        line_print(line, " ");
        line_add_name(line, slice_of(top->filters), top->terminal.width / 2);
    }
    if (first > 0)
        line_add(line, SLICE(" › …"), 4);
    line_add(line, terminal_style(&top->terminal, STYLE_PLAIN), 0);
    for (size_t i = first; i < count; i++) {
        line_add(line, SLICE(" › "), 3);
        top_crumb(top, &look->transforms.items.items[i], line);
    }
    line_free(&crumb);
}

/* ---- the panel ---- */

static void draw_rows(struct top *top, struct canvas *canvas, struct line *line)
{
    const struct panel *panel = panel_of(top);
    size_t count = panel->count(top), first = panel_scroll(top), chosen = panel_chosen(top);
    bool choosing = top->panel != PANEL_HELP;
    for (size_t i = 0; i < top->list_rows && first + i < count; i++) {
        panel->draw(top, first + i, i == 0, line);
        set(canvas, HEAD_LINES + i, line, choosing && first + i == chosen);
    }
    if (count == 0) {
        line_print(line, "  nothing");
        set(canvas, HEAD_LINES, line, false);
    }
}

/* ---- the foot ---- */

static void draw_foot(struct top *top, struct line *line)
{
    char place[64];
    size_t count = panel_of(top)->count(top);
    snprintf(place, sizeof place, "%zu/%zu", count > 0 ? panel_chosen(top) + 1 : 0, count);
    size_t width = top->terminal.width, room = width > strlen(place) + 2 ? width - strlen(place) - 2 : 0;
    if (top->prompt) {
        line_print(line, "%c", top->prompt);
        line_add_ending(line, text_slice(&top->typed), room > 2 ? room - 2 : 1);
        line_print(line, "_");
    } else if (top->message[0]) {
        line_add(line, terminal_style(&top->terminal, STYLE_WARM), 0);
        line_add_name(line, slice_of(top->message), room);
        line_add(line, terminal_style(&top->terminal, STYLE_PLAIN), 0);
    } else {
        line_add(line, terminal_style(&top->terminal, STYLE_DIM), 0);
        line_add_name(line, slice_of(panel_of(top)->keys), room);
        line_add(line, terminal_style(&top->terminal, STYLE_PLAIN), 0);
    }
    if (room > 0) {
        line_pad(line, width - strlen(place));
        line_print(line, "%s", place);
    }
}

void top_draw(struct top *top, struct canvas *canvas)
{
    struct line line = {0};
    top->terminal.width = canvas->columns;
    top->tree.terminal = top->terminal;
    top->list_rows = canvas->rows > HEAD_LINES + FOOT_LINES ? canvas->rows - HEAD_LINES - FOOT_LINES : 0;
    draw_title(top, &line);
    set(canvas, 0, &line, false);
    draw_crumbs(top, &line);
    set(canvas, 1, &line, false);
    panel_of(top)->heading(top, &line);
    set(canvas, 2, &line, false);
    draw_rows(top, canvas, &line);
    draw_foot(top, &line);
    if (canvas->rows > 1)
        set(canvas, canvas->rows - 1, &line, false);
    line_free(&line);
}
