#include "cli/calls_tree.h"

#include "cli/cut.h"
#include "cli/selection_output.h"
#include "print/func_name.h"
#include "print/number.h"
#include "trace/entry_walk.h"
#include "trace/event_styles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const kind_names[] = {"top-down", "bottom-up", "log"};

/* How many levels a bottom-up tree has where nobody said. Where functions call themselves a hundred thousand levels deep, the
 * callers of all of them would be more than anybody can print. */
enum { CALLERS_FOR_PEOPLE = 100, CALLERS_MOST = 1000 };

/* ---- the tree of one thread ---- */

struct shown_tree {
    struct calls_input *input;
    const struct thread_calls *calls;
    struct entry_tree tree;
    enum entry_tree_kind kind;
    bool *hidden;         /* entries that take no part */
    bool *within_limit;   /* nodes that --limit leaves; NULL = all */
    size_t depth;         /* how many levels are shown */
    size_t limit;         /* how many rows; of a bottom-up tree, of its first level */
    double least;         /* ms: a node of the size counts, see node_size() */
    size_t hidden_events; /* for no other reason than that DevTools does not show them */
    size_t cut;           /* nodes that are left out, without what is below them */
};

/* What nodes are sorted and cut by: bottom-up the time that functions take themselves, otherwise with all they call. */
static double node_size(const struct shown_tree *shown, uint32_t row)
{
    const struct entry_tree_node *node = &shown->tree.nodes.items[row];
    return shown->kind == ENTRY_TREE_BOTTOM_UP ? node->self : node->total;
}

/* As in DevTools: tasks are only the frame of what is of interest, and events of names that it does not know are internals.
 * Markers of a profile are all wanted. Of bottom-up trees --search chooses the first level, see is_wanted(). */
static bool is_hidden(struct shown_tree *shown, struct call_entry entry)
{
    struct calls_input *input = shown->input;
    if (shown->kind != ENTRY_TREE_BOTTOM_UP && !entry_search_finds(&input->search, shown->calls, entry))
        return true;
    if (entry.is_call || input->trace->of_profile || input->options->show_all || input->events_only)
        return false;
    const struct trace_event *event = &shown->calls->thread->events.items[entry.row];
    struct slice name = string_table_get(&input->trace->strings, event->name);
    bool hidden = slice_is(name, "RunTask") ||
                  event_style_of(name, string_table_get(&input->trace->strings, event->category)) == EVENT_STYLE_NONE;
    shown->hidden_events += hidden;
    return hidden;
}

static bool hide_entries(struct shown_tree *shown)
{
    size_t count = shown->calls->entries.count;
    shown->hidden = memory_array(count + 1, sizeof *shown->hidden);
    for (size_t i = 0; shown->hidden && i < count; i++)
        shown->hidden[i] = is_hidden(shown, shown->calls->entries.items[i]);
    return shown->hidden && !shown->input->search.failed;
}

/* All of the thread, within the range. */
static void find_window(const struct shown_tree *shown, struct entry_tree_options *options)
{
    double first = INFINITY, last = -INFINITY;
    for (size_t i = 0; i < shown->calls->entries.count; i++) {
        struct entry_times times = entry_times(shown->calls, shown->calls->entries.items[i]);
        first = fmin(first, times.ts);
        last = fmax(last, times.ts + times.dur);
    }
    first = fmax(first, shown->input->start);
    last = fmin(last, shown->input->end);
    options->start = first / 1000;
    options->end = last > first ? last / 1000 : options->start;
}

/* Larger ones first; of equal ones groups, and then parents, come before what is in them. */
static int compare_rows(const void *a, const void *b, void *data)
{
    const struct shown_tree *shown = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double left = node_size(shown, x), right = node_size(shown, y);
    if (left != right)
        return (left < right) - (left > right);
    bool x_groups = entry_tree_is_group(&shown->tree.nodes.items[x]);
    bool y_groups = entry_tree_is_group(&shown->tree.nodes.items[y]);
    return x_groups != y_groups ? y_groups - x_groups : (x > y) - (x < y);
}

static struct slice node_name(const struct shown_tree *shown, const struct entry_tree_node *node)
{
    if (!entry_tree_is_group(node))
        return entry_name(shown->input, shown->calls, node->example);
    struct slice name = string_table_get(&shown->tree.names.texts, node->group);
    return name.length > 0 ? name : SLICE("(unattributed)");
}

static double node_number(const struct shown_tree *shown, uint32_t row)
{
    const struct entry_tree_node *node = &shown->tree.nodes.items[row];
    switch ((enum calls_key)shown->input->options->sort) {
    case CALLS_KEY_TOTAL:
        return node->total;
    case CALLS_KEY_SELF:
        return node->self;
    case CALLS_KEY_COUNT:
        return (double)node->count;
    default:
        return node_size(shown, row);
    }
}

/* As --sort and --reverse say; equal ones by their size. */
static int compare_siblings(const void *a, const void *b, void *data)
{
    const struct shown_tree *shown = data;
    const struct calls_options_of_user *options = shown->input->options;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double left = node_number(shown, x), right = node_number(shown, y);
    int order = options->sort == CALLS_KEY_NAME
                    ? text_order(node_name(shown, &shown->tree.nodes.items[x]), node_name(shown, &shown->tree.nodes.items[y]))
                    : (left < right) - (left > right);
    order = order != 0 ? order : compare_rows(a, b, data);
    return options->reverse ? -order : order;
}

/* Marks the nodes that --limit leaves. What is in a node is rarely larger than the node, so that they make up a tree. */
static bool find_limit(struct shown_tree *shown)
{
    size_t count = shown->tree.nodes.count;
    if (shown->limit >= count || shown->kind == ENTRY_TREE_BOTTOM_UP)
        return true;
    uint32_t *rows = memory_array(count, sizeof *rows);
    shown->within_limit = memory_zeroed(count, sizeof *shown->within_limit);
    bool ok = rows && shown->within_limit;
    for (uint32_t i = 0; ok && i < count; i++)
        rows[i] = i;
    if (ok)
        qsort_r(rows, count, sizeof *rows, compare_rows, shown);
    for (size_t i = 0; ok && i < shown->limit; i++)
        shown->within_limit[rows[i]] = true;
    memory_release(rows);
    return ok;
}

static int shown_tree_open(struct shown_tree *shown, struct calls_input *input, const struct thread_calls *calls)
{
    const struct common_options *options = &input->options->common;
    *shown = (struct shown_tree){.input = input, .calls = calls, .depth = SIZE_MAX, .limit = SIZE_MAX};
    shown->kind = (enum entry_tree_kind)(input->options->tree - 1);
    if (!hide_entries(shown))
        return error_out_of_memory(&input->selection.error);
    struct entry_tree_options tree = {
        .kind = shown->kind, .grouping = (enum entry_grouping)input->options->group, .hidden = shown->hidden};
    find_window(shown, &tree);
    int status = entry_tree_build(&shown->tree, calls, input->trace, &tree, &input->selection.error);
    if (status != 0)
        return status;
    const struct optional_number *min_duration = &input->options->min_duration;
    bool cut = options->limit.given || options->depth.given || options->min.given || min_duration->given;
    double percent = options->min.given ? options->min.value : cut || options->json ? 0 : PERCENT_FOR_PEOPLE;
    shown->least = percent > 0 ? percent / 100 * shown->tree.total : -INFINITY;
    if (min_duration->given)
        shown->least = fmax(shown->least, min_duration->value);
    if (options->depth.given)
        shown->depth = options->depth.value;
    else if (shown->kind == ENTRY_TREE_BOTTOM_UP)
        shown->depth = options->json ? CALLERS_MOST : CALLERS_FOR_PEOPLE;
    if (options->limit.given)
        shown->limit = options->limit.value;
    return find_limit(shown) ? 0 : error_out_of_memory(&input->selection.error);
}

static void shown_tree_free(struct shown_tree *shown)
{
    entry_tree_free(&shown->tree);
    memory_release(shown->hidden);
    memory_release(shown->within_limit);
}

/* ---- walking it ---- */

/* The children of a node that are shown, in order, and where the walk is among them. */
struct level {
    uint32_t node;      /* whose children they are; INDEX_NONE = the top */
    size_t first, next; /* in `rows` */
    size_t end;
    size_t cut; /* children that are left out */
};

struct tree_steps {
    struct shown_tree *shown;
    VEC(uint32_t) rows;
    VEC(struct level) levels;
};

/* Whether --search wants a node of the first level of a bottom-up tree. */
static bool is_wanted(struct shown_tree *shown, uint32_t row, bool top)
{
    const struct entry_tree_node *node = &shown->tree.nodes.items[row];
    if (!top || shown->kind != ENTRY_TREE_BOTTOM_UP || entry_tree_is_group(node))
        return true;
    return entry_search_finds(&shown->input->search, shown->calls, node->example);
}

static bool is_cut(const struct shown_tree *shown, uint32_t row)
{
    return node_size(shown, row) < shown->least || (shown->within_limit && !shown->within_limit[row]);
}

/* Goes down to the children of a node. */
static int descend(struct tree_steps *steps, uint32_t parent)
{
    struct shown_tree *shown = steps->shown;
    struct error *error = &shown->input->selection.error;
    struct entry_tree *tree = &shown->tree;
    struct level level = {.node = parent, .first = steps->rows.count};
    bool is_deep = steps->levels.count >= shown->depth;
    bool top = parent == INDEX_NONE || entry_tree_is_group(&tree->nodes.items[parent]);
    if (parent != INDEX_NONE && !is_deep && entry_tree_expand(tree, parent, error) != 0)
        return error->code;
    if (parent != INDEX_NONE && is_deep && tree->nodes.items[parent].has_callers)
        level.cut = 1; /* at least */
    uint32_t row = parent == INDEX_NONE ? tree->first : tree->nodes.items[parent].first_child;
    for (; row != INDEX_NONE; row = tree->nodes.items[row].next_child) {
        if (!is_wanted(shown, row, top))
            continue;
        if (is_deep || is_cut(shown, row))
            level.cut++;
        else if (!vec_push(&steps->rows, row))
            return error_out_of_memory(error);
    }
    size_t count = steps->rows.count - level.first;
    if (shown->kind != ENTRY_TREE_LOG && count > 1)
        qsort_r(steps->rows.items + level.first, count, sizeof *steps->rows.items, compare_rows, shown);
    if (top && shown->kind == ENTRY_TREE_BOTTOM_UP && count > shown->limit) {
        level.cut += count - shown->limit;
        steps->rows.count = level.first + shown->limit;
    }
    const struct calls_options_of_user *options = shown->input->options;
    if (options->sort != CALLS_KEY_DEFAULT || options->reverse)
        qsort_r(steps->rows.items + level.first, steps->rows.count - level.first, sizeof *steps->rows.items, compare_siblings,
                shown);
    level.next = level.first;
    level.end = steps->rows.count;
    shown->cut += level.cut;
    return vec_push(&steps->levels, level) ? 0 : error_out_of_memory(error);
}

static void ascend(struct tree_steps *steps)
{
    struct level *level = &steps->levels.items[--steps->levels.count];
    if (level->node != INDEX_NONE)
        entry_tree_collapse(&steps->shown->tree, level->node);
    steps->rows.count = level->first;
}

struct tree_line {
    uint32_t row;
    size_t depth;
    bool last;  /* of its siblings */
    bool only;  /* it has none */
    size_t cut; /* children that are left out */
};

/* Goes to the next node, with its children as the next level; false at the end, or after an error. */
static bool next_line(struct tree_steps *steps, struct tree_line *line)
{
    while (steps->levels.count > 0) {
        struct level *level = &steps->levels.items[steps->levels.count - 1];
        if (level->next == level->end) {
            ascend(steps);
            continue;
        }
        line->depth = steps->levels.count - 1;
        line->row = steps->rows.items[level->next++];
        line->last = level->next == level->end;
        line->only = level->end - level->first == 1;
        if (descend(steps, line->row) != 0)
            return false;
        line->cut = steps->levels.items[steps->levels.count - 1].cut;
        return true;
    }
    return false;
}

static void steps_end(struct tree_steps *steps)
{
    vec_free(&steps->rows);
    vec_free(&steps->levels);
}

/* ---- for people ---- */

enum {
    SHARE_END = 7,
    START_END = 13,
    TOTAL_GAP = 11,
    SELF_GAP = 11,
    COUNT_GAP = 9,
    GUIDE = 3,
    NAME_LEAST = 24,
    GUIDES_MOST = 200
};

struct tree_text {
    struct shown_tree shown;
    struct terminal terminal;
    struct line line;
    VEC(struct tree_line) branches; /* on the way to the current line */
};

static void add_style(struct tree_text *text, enum style style)
{
    line_add(&text->line, terminal_style(&text->terminal, style), 0);
}

static void add_numbers(struct tree_text *text, const struct entry_tree_node *node)
{
    const struct shown_tree *shown = &text->shown;
    struct line *line = &text->line;
    if (shown->kind == ENTRY_TREE_LOG) {
        struct entry_times times = entry_times(shown->calls, node->example);
        char start[64];
        snprintf(start, sizeof start, "%s s", number_grouped((times.ts - shown->input->zero) / 1e6, 6).text);
        line_add_right(line, start, START_END);
    } else {
        double size = shown->kind == ENTRY_TREE_BOTTOM_UP ? node->self : node->total;
        line_add_right(line, number_share(size, shown->tree.total).text, SHARE_END);
    }
    size_t column = line->width;
    line_add_right(line, number_duration(node->total).text, column += TOTAL_GAP);
    line_add_right(line, number_duration(node->self).text, column += SELF_GAP);
    if (shown->kind != ENTRY_TREE_LOG)
        line_add_right(line, number_grouped((double)node->count, 0).text, column += COUNT_GAP);
    line_print(line, "  ");
}

static void print_heading(struct tree_text *text)
{
    const struct shown_tree *shown = &text->shown;
    struct line *line = &text->line;
    bool log = shown->kind == ENTRY_TREE_LOG;
    add_style(text, STYLE_HEADING);
    line_add_right(line, log ? "start" : "share", log ? START_END : SHARE_END);
    size_t column = line->width;
    line_add_right(line, log ? "duration" : "total", column += TOTAL_GAP);
    line_add_right(line, "self", column += SELF_GAP);
    if (!log)
        line_add_right(line, "count", column += COUNT_GAP);
    line_print(line, "  %s", shown->kind == ENTRY_TREE_BOTTOM_UP ? "call or event, and its callers below it" : "call or event");
    add_style(text, STYLE_PLAIN);
    output_line(line);
}

/* A level with one node takes no room, but in a log. In deep trees the outermost guides give way to their number, `⋯12`. */
static void add_guides(struct tree_text *text, const struct tree_line *at)
{
    while (text->branches.count > 0 && text->branches.items[text->branches.count - 1].depth >= at->depth)
        text->branches.count--;
    bool branches = text->shown.kind == ENTRY_TREE_LOG ? at->depth > 0 : !at->only;
    size_t most = text->terminal.width == SIZE_MAX ? GUIDES_MOST : text->terminal.width / 3 / GUIDE;
    size_t columns = text->branches.count + branches;
    size_t first = columns > most ? columns - most + 1 : 0;
    add_style(text, STYLE_DIM);
    if (first > 0) {
        char hidden[32];
        snprintf(hidden, sizeof hidden, "⋯%-2zu", first);
        line_add(&text->line, first < 100 ? slice_of(hidden) : SLICE("⋯++"), GUIDE);
    }
    for (size_t i = first; i < text->branches.count; i++)
        line_add(&text->line, text->branches.items[i].last ? SLICE("   ") : SLICE("│  "), GUIDE);
    if (branches) {
        line_add(&text->line, at->last ? SLICE("└─ ") : SLICE("├─ "), GUIDE);
        if (!vec_push(&text->branches, *at))
            text->line.failed = true;
    }
    add_style(text, STYLE_PLAIN);
}

static void add_name(struct tree_text *text, const struct tree_line *at)
{
    const struct shown_tree *shown = &text->shown;
    const struct entry_tree_node *node = &shown->tree.nodes.items[at->row];
    struct line *line = &text->line;
    struct entry_place place = {""};
    if (!entry_tree_is_group(node))
        place = entry_place(shown->input, shown->calls, node->example);
    char more[40] = "";
    if (at->cut > 0)
        snprintf(more, sizeof more, "  … %zu more", at->cut);
    struct text_buffer scratch = {0};
    struct slice name = node_name(shown, node), origin = slice_of(place.text);
    if (!entry_tree_is_group(node))
        name = func_name_shown(&text->terminal, name, &scratch);
    size_t used = line->width + text_width(slice_of(more));
    size_t room = used + NAME_LEAST < text->terminal.width ? text->terminal.width - used : NAME_LEAST;
    size_t origin_room = 0;
    if (origin.length > 0 && room > NAME_LEAST) {
        size_t width = text_width(name), left = room > width + 2 ? room - width - 2 : 0;
        origin_room = left > room / 3 ? left : room / 3;
        origin_room = text_width(origin) < origin_room ? text_width(origin) : origin_room;
        room -= origin_room + 2;
    }
    if (entry_tree_is_group(node))
        add_style(text, STYLE_HEADING);
    line_add_func_name(line, name, room);
    line->failed |= scratch.failed;
    text_free(&scratch);
    add_style(text, entry_tree_is_group(node) ? STYLE_PLAIN : STYLE_DIM);
    if (origin_room > 0) {
        line_add(line, SLICE("  "), 2);
        line_add_ending(line, origin, origin_room);
    }
    line_add(line, slice_of(more), text_width(slice_of(more)));
    add_style(text, STYLE_PLAIN);
}

static void print_cut(const struct shown_tree *shown)
{
    const struct common_options *options = &shown->input->options->common;
    if (shown->cut == 0)
        return;
    printf("\n… %s more ", number_grouped((double)shown->cut, 0).text);
    if (options->limit.given)
        printf("than the %zu largest (--limit)\n", shown->limit);
    else if (options->depth.given || !isfinite(shown->least))
        printf("below the %zu levels shown (--depth)\n", shown->depth);
    else if (shown->input->options->min_duration.given)
        printf("with less than %s\n", number_duration(shown->least).text);
    else
        printf("with less than %g%% of the time (--min 0 shows all)\n", 100 * shown->least / shown->tree.total);
}

/* What DevTools does not show either. */
static void print_hidden(const struct shown_tree *shown)
{
    if (shown->hidden_events > 0)
        printf("\n%s event%s that DevTools hides %s left out (--show-all shows all)\n",
               number_grouped((double)shown->hidden_events, 0).text, shown->hidden_events == 1 ? "" : "s",
               shown->hidden_events == 1 ? "is" : "are");
}

static int print_tree(struct tree_text *text)
{
    struct tree_steps steps = {.shown = &text->shown};
    struct calls_input *input = text->shown.input;
    const struct entry_tree *tree = &text->shown.tree;
    descend(&steps, INDEX_NONE);
    if (input->selection.error.code == 0) {
        printf("total    %s, %s of it in what is shown below\n\n", number_duration(tree->total).text,
               number_share(tree->total - tree->self, tree->total).text);
        print_heading(text);
    }
    for (struct tree_line at; input->selection.error.code == 0 && next_line(&steps, &at);) {
        add_numbers(text, &tree->nodes.items[at.row]);
        add_guides(text, &at);
        add_name(text, &at);
        output_line(&text->line);
    }
    steps_end(&steps);
    if (input->selection.error.code == 0) {
        print_cut(&text->shown);
        print_hidden(&text->shown);
    }
    return input->selection.error.code;
}

int calls_tree_print(struct calls_input *input)
{
    int status = 0;
    for (size_t i = 0; i < input->selection.threads.items.count && status == 0; i++) {
        struct thread_index thread = input->selection.threads.items.items[i];
        const struct thread_calls *calls = calls_input_thread(input, thread);
        struct tree_text text = {.terminal = terminal_of_options(&input->options->common)};
        if (i > 0)
            putchar('\n');
        print_calls_head(input, thread, &text.terminal);
        if (!calls || calls->entries.count == 0) {
            puts("no calls or events of this thread");
            continue;
        }
        status = shown_tree_open(&text.shown, input, calls);
        if (status == 0)
            status = print_tree(&text);
        if (text.line.failed)
            status = error_out_of_memory(&input->selection.error);
        shown_tree_free(&text.shown);
        vec_free(&text.branches);
        line_free(&text.line);
    }
    if (input->selection.threads.items.count == 0)
        puts(input->changed ? "no calls: nothing is left of any thread" : "no calls: no thread has samples");
    if (status == 0)
        print_selected(&input->selection, &input->selected);
    return status == 0 ? output_finish(false) : calls_input_report(input);
}

/* ---- JSON ---- */

/* Up to and including the opening bracket of its children. */
static void put_node(struct json_output *output, const struct shown_tree *shown, uint32_t row)
{
    const struct entry_tree_node *node = &shown->tree.nodes.items[row];
    bool is_group = entry_tree_is_group(node);
    json_write_begin_object(output->writer);
    json_put_slice(output, is_group ? "group" : "name", node_name(shown, node));
    if (!is_group && node->example.is_call) {
        const struct trace_function *from = call_function(shown->calls, node->example.row);
        json_put_slice(output, "url", string_table_get(&shown->input->trace->strings, from->url));
        json_put_number(output, "line", from->line);
        json_put_number(output, "column", from->column);
    }
    if (shown->kind == ENTRY_TREE_LOG)
        json_put_number(output, "ts", entry_times(shown->calls, node->example).ts);
    json_put_number(output, "total", node->total);
    json_put_number(output, "self", node->self);
    json_put_number(output, "count", (double)node->count);
    json_write_key(output->writer, "children");
    json_write_begin_array(output->writer);
}

static int put_tree(struct json_output *output, struct shown_tree *shown)
{
    struct tree_steps steps = {.shown = shown};
    size_t open = 0;
    json_put_text(output, "tree", kind_names[shown->kind]);
    json_put_number(output, "total", shown->tree.total);
    json_put_number(output, "self", shown->tree.self);
    json_write_key(output->writer, "nodes");
    json_write_begin_array(output->writer);
    descend(&steps, INDEX_NONE);
    for (struct tree_line at; shown->input->selection.error.code == 0 && next_line(&steps, &at); open++) {
        json_end_nodes(output, &open, at.depth);
        put_node(output, shown, at.row);
    }
    json_end_nodes(output, &open, 0);
    json_write_end_array(output->writer);
    json_put_boolean(output, "truncated", shown->cut > 0);
    steps_end(&steps);
    return shown->input->selection.error.code;
}

int calls_tree_print_json(struct calls_input *input)
{
    struct json_output output;
    int status = json_output_open(&output, "calls");
    if (status != EXIT_OK)
        return status;
    json_put_text(&output, "file", input->options->common.file);
    json_put_transforms(&output, &input->selection, &input->selected);
    json_write_key(output.writer, "threads");
    json_write_begin_array(output.writer);
    int failed = 0;
    for (size_t i = 0; i < input->selection.threads.items.count && failed == 0; i++) {
        const struct thread_calls *calls = calls_input_thread(input, input->selection.threads.items.items[i]);
        struct shown_tree shown = {0};
        json_write_begin_object(output.writer);
        json_put_calls_thread(&output, input, input->selection.threads.items.items[i]);
        if (calls)
            failed = shown_tree_open(&shown, input, calls);
        if (calls && failed == 0)
            failed = put_tree(&output, &shown);
        json_write_end_object(output.writer);
        shown_tree_free(&shown);
    }
    json_write_end_array(output.writer);
    status = json_output_close(&output);
    return failed == 0 ? status : calls_input_report(input);
}
