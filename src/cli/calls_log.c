#include "cli/calls_log.h"

#include "cli/cut.h"
#include "cli/selection_output.h"
#include "print/func_name.h"
#include "print/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- which calls are shown ---- */

struct log_filter {
    struct calls_input *input;
    const struct thread_calls *calls;
    double window;         /* µs: what percentages refer to */
    double least;          /* µs: only calls that last as long */
    int32_t depth;         /* only calls less deep */
    size_t limit;          /* only so many, the longest ones: those that last longer than … */
    double limit_duration; /* … this, and */
    size_t limit_ties;     /* so many that last exactly as long */
    size_t matching;       /* in the range, and found by --search */
    bool anything;         /* some are left out by what follows --limit, --depth and --min */
};

static double visible_duration(const struct log_filter *filter, const struct call *call)
{
    return fmin(call->ts + call->dur, filter->input->end) - fmax(call->ts, filter->input->start);
}

/* In the range and found: what the output is about. */
static bool is_meant(struct log_filter *filter, uint32_t row)
{
    const struct call *call = &filter->calls->calls.items[row];
    if (call->ts > filter->input->end || call->ts + call->dur < filter->input->start)
        return false;
    if (!calls_input_within(filter->input, call))
        return false;
    return entry_search_finds(&filter->input->search, filter->calls, entry_of_call(row));
}

static bool is_large(const struct log_filter *filter, const struct call *call)
{
    return call->depth < filter->depth && (filter->least <= 0 || visible_duration(filter, call) >= filter->least);
}

static int compare_durations(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* How long the shortest of the `limit` longest calls lasts. */
static int find_limit(struct log_filter *filter)
{
    VEC(double) durations = {0};
    for (uint32_t row = 0; row < filter->calls->calls.count; row++) {
        const struct call *call = &filter->calls->calls.items[row];
        if (is_meant(filter, row) && is_large(filter, call) && !vec_push(&durations, visible_duration(filter, call))) {
            vec_free(&durations);
            return error_out_of_memory(&filter->input->selection.error);
        }
    }
    filter->limit_duration = -INFINITY;
    if (filter->limit == 0)
        filter->limit_duration = INFINITY;
    if (filter->limit > 0 && durations.count > filter->limit) {
        qsort(durations.items, durations.count, sizeof *durations.items, compare_durations);
        filter->limit_duration = durations.items[filter->limit - 1];
        for (size_t i = 0; i < filter->limit; i++)
            filter->limit_ties += durations.items[i] == filter->limit_duration;
    }
    vec_free(&durations);
    return 0;
}

/* From the first to the last moment that is known of the thread, within the range. */
static double window_of(const struct calls_input *input, const struct thread_calls *calls)
{
    double first = INFINITY, last = -INFINITY;
    for (size_t i = 0; i < calls->entries.count; i++) {
        struct call_entry entry = calls->entries.items[i];
        double ts = entry.is_call ? calls->calls.items[entry.row].ts : calls->thread->events.items[entry.row].ts;
        double dur = entry.is_call ? calls->calls.items[entry.row].dur : calls->thread->events.items[entry.row].dur;
        first = fmin(first, ts);
        last = fmax(last, ts + dur);
    }
    first = fmax(first, input->start);
    last = fmin(last, input->end);
    return last > first ? last - first : 0;
}

static int filter_open(struct log_filter *filter, struct calls_input *input, const struct thread_calls *calls)
{
    const struct common_options *options = &input->options->common;
    *filter = (struct log_filter){.input = input, .calls = calls, .limit = SIZE_MAX, .depth = INT32_MAX};
    filter->window = window_of(input, calls);
    const struct optional_number *min_duration = &input->options->min_duration;
    bool cut = options->limit.given || options->depth.given || options->min.given || min_duration->given;
    if (options->min.given)
        filter->least = options->min.value / 100 * filter->window;
    else if (!cut && !options->json)
        filter->least = PERCENT_FOR_PEOPLE / 100 * filter->window;
    if (min_duration->given)
        filter->least = fmax(filter->least, min_duration->value * 1000);
    if (options->depth.given && options->depth.value < INT32_MAX)
        filter->depth = (int32_t)options->depth.value;
    if (options->limit.given)
        filter->limit = options->limit.value;
    filter->anything = cut || filter->least > 0;
    return options->limit.given ? find_limit(filter) : 0;
}

/* To be asked of each call once, in their order. */
static bool is_shown(struct log_filter *filter, uint32_t row)
{
    const struct call *call = &filter->calls->calls.items[row];
    if (!is_meant(filter, row))
        return false;
    filter->matching++;
    if (!filter->anything)
        return true;
    if (!is_large(filter, call))
        return false;
    if (filter->limit == SIZE_MAX)
        return true;
    double duration = visible_duration(filter, call);
    if (duration != filter->limit_duration)
        return duration > filter->limit_duration;
    return filter->limit_ties > 0 && filter->limit_ties-- > 0;
}

/* ---- in what order ---- */

struct call_rows {
    VEC(uint32_t) items;
};

static bool is_by_time(const struct calls_options_of_user *options)
{
    return (options->sort == CALLS_KEY_DEFAULT || options->sort == CALLS_KEY_START) && !options->reverse;
}

/* Long ones first, and last those whose self time is unknown; equal ones in the order of their start. */
static int compare_rows(const void *left, const void *right, void *context)
{
    const struct log_filter *filter = context;
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    const struct call *a = &filter->calls->calls.items[x], *b = &filter->calls->calls.items[y];
    int order = 0;
    switch ((enum calls_key)filter->input->options->sort) {
    case CALLS_KEY_DURATION:
        order = (a->dur < b->dur) - (a->dur > b->dur);
        break;
    case CALLS_KEY_SELF:
        order = isnan(a->self) || isnan(b->self) ? isnan(a->self) - isnan(b->self) : (a->self < b->self) - (a->self > b->self);
        break;
    case CALLS_KEY_NAME:
        order = text_order(entry_name(filter->input, filter->calls, entry_of_call(x)),
                           entry_name(filter->input, filter->calls, entry_of_call(y)));
        break;
    default:
        break;
    }
    return order != 0 ? order : (x > y) - (x < y);
}

/* The calls that are shown. `rows` is to be freed in any case. */
static int choose_rows(struct log_filter *filter, struct call_rows *rows)
{
    const struct calls_options_of_user *options = filter->input->options;
    *rows = (struct call_rows){0};
    for (uint32_t row = 0; row < filter->calls->calls.count; row++)
        if (is_shown(filter, row) && !vec_push(&rows->items, row))
            return error_out_of_memory(&filter->input->selection.error);
    size_t count = rows->items.count;
    if (!is_by_time(options) && count > 1)
        qsort_r(rows->items.items, count, sizeof *rows->items.items, compare_rows, filter);
    for (size_t i = 0; options->reverse && i < count / 2; i++) {
        uint32_t row = rows->items.items[i];
        rows->items.items[i] = rows->items.items[count - 1 - i];
        rows->items.items[count - 1 - i] = row;
    }
    return 0;
}

/* ---- for people ---- */

enum { START_END = 13, DURATION_END = 24, SELF_END = 35, NAME_START = 37, NAME_LEAST = 24, INDENT = 2 };

struct log_level {
    double ts, end; /* µs */
    size_t indent;
};

struct log_text {
    struct log_filter filter;
    struct terminal terminal;
    struct line line;
    VEC(struct log_level) open; /* the shown calls that the next one may be in */
};

static void add_style(struct log_text *text, enum style style)
{
    line_add(&text->line, terminal_style(&text->terminal, style), 0);
}

/* By the calls that are shown around it; one that begins and ends with the one around it stands in the same column. Deep ones
 * stay in the first part of the line: `⋯12` says how many levels are left out. */
static void add_indent(struct log_text *text, const struct call *call)
{
    double end = call->ts + call->dur;
    while (text->open.count > 0 && text->open.items[text->open.count - 1].end <= call->ts)
        text->open.count--;
    const struct log_level *around = text->open.count > 0 ? &text->open.items[text->open.count - 1] : NULL;
    bool same = around && around->ts == call->ts && around->end == end;
    struct log_level level = {call->ts, end, around ? around->indent + !same : 0};
    if (!vec_push(&text->open, level))
        text->line.failed = true;

    size_t most = text->terminal.width == SIZE_MAX ? 200 : text->terminal.width * 2 / 3;
    most = most > NAME_START + 4 * INDENT ? (most - NAME_START) / INDENT : 4;
    if (level.indent > most) {
        char hidden[32];
        snprintf(hidden, sizeof hidden, "⋯%zu ", level.indent - most);
        add_style(text, STYLE_DIM);
        line_add(&text->line, slice_of(hidden), text_width(slice_of(hidden)));
        add_style(text, STYLE_PLAIN);
        level.indent = most;
    }
    line_pad(&text->line, NAME_START + INDENT * level.indent);
}

static void add_name(struct log_text *text, struct slice name, struct slice place)
{
    struct line *line = &text->line;
    size_t room = line->width + NAME_LEAST < text->terminal.width ? text->terminal.width - line->width : NAME_LEAST;
    struct text_buffer scratch = {0};
    name = func_name_shown(&text->terminal, name, &scratch);
    size_t width = text_width(name), place_width = text_width(place), place_room = 0;
    if (place_width > 0 && room > NAME_LEAST) {
        size_t left = room > width + 2 ? room - width - 2 : 0;
        place_room = left > room / 3 ? left : room / 3;
        place_room = place_width < place_room ? place_width : place_room;
        room -= place_room + 2;
    }
    line_add_func_name(line, name, room);
    line->failed |= scratch.failed;
    text_free(&scratch);
    if (place_room > 0) {
        add_style(text, STYLE_DIM);
        line_add(line, SLICE("  "), 2);
        line_add_ending(line, place, place_room);
        add_style(text, STYLE_PLAIN);
    }
}

static void print_call(struct log_text *text, uint32_t row)
{
    const struct calls_input *input = text->filter.input;
    const struct thread_calls *calls = text->filter.calls;
    const struct call *call = &calls->calls.items[row];
    struct call_entry entry = entry_of_call(row);
    char start[64];
    snprintf(start, sizeof start, "%s s", number_grouped((call->ts - input->zero) / 1e6, 6).text);
    line_add_right(&text->line, start, START_END);
    line_print(&text->line, " ");
    line_add_right(&text->line, number_duration(call->dur / 1000).text, DURATION_END);
    line_print(&text->line, " ");
    bool quiet = !(call->self > 0);
    if (quiet)
        add_style(text, STYLE_DIM);
    line_add_right(&text->line, number_duration(call->self / 1000).text, SELF_END);
    if (quiet)
        add_style(text, STYLE_PLAIN);
    line_print(&text->line, "  ");
    if (is_by_time(input->options))
        add_indent(text, call);
    struct entry_place place = entry_place(input, calls, entry);
    add_name(text, entry_name(input, calls, entry), slice_of(place.text));
    output_line(&text->line);
}

static void print_heading(struct log_text *text)
{
    add_style(text, STYLE_HEADING);
    line_add_right(&text->line, "start", START_END);
    line_add_right(&text->line, "duration", DURATION_END);
    line_add_right(&text->line, "self", SELF_END);
    line_print(&text->line, "  call");
    add_style(text, STYLE_PLAIN);
    output_line(&text->line);
}

static void print_cut(const struct log_text *text, size_t shown)
{
    const struct log_filter *filter = &text->filter;
    size_t cut = filter->matching - shown;
    const struct common_options *options = &filter->input->options->common;
    if (cut == 0)
        return;
    printf("\n… %s more ", number_grouped((double)cut, 0).text);
    if (options->limit.given)
        printf("than the %zu longest (--limit)\n", filter->limit);
    else if (options->depth.given)
        printf("below the %zu levels shown (--depth)\n", options->depth.value);
    else if (filter->input->options->min_duration.given)
        printf("that take less than %s\n", number_duration(filter->least / 1000).text);
    else
        printf("that take less than %s, %g%% of the time (--min 0 shows all)\n", number_duration(filter->least / 1000).text,
               100 * filter->least / filter->window);
}

/* Why there is nothing to see, in a line. */
static void print_nothing(const struct calls_input *input, struct thread_index thread, const struct thread_calls *calls)
{
    if (calls && calls->calls.count > 0)
        puts("no calls in the range, or none that match");
    else if (input->changed && sample_count(&input->selection.profile.threads.items[thread.i].samples) > 0)
        puts("no calls: what was asked for leaves no functions of this thread");
    else if (calls && calls->model && calls->model->samples.count > 0)
        puts("no calls: the samples of this thread have no functions");
    else
        puts(input->read.found ? "no calls: the trace has no samples of this thread" : "no calls: this thread has no samples");
}

static int print_thread(struct calls_input *input, struct thread_index thread)
{
    const struct thread_calls *calls = calls_input_thread(input, thread);
    struct log_text text = {.terminal = terminal_of_options(&input->options->common)};
    print_calls_head(input, thread, &text.terminal);
    if (!calls || calls->calls.count == 0) {
        print_nothing(input, thread, calls);
        return 0;
    }
    struct call_rows rows = {0};
    int status = filter_open(&text.filter, input, calls);
    if (status == 0)
        status = choose_rows(&text.filter, &rows);
    if (status == 0 && rows.items.count > 0) {
        printf("total    %s calls in %s\n\n", number_grouped((double)calls->calls.count, 0).text,
               number_duration(text.filter.window / 1000).text);
        print_heading(&text);
    }
    for (size_t i = 0; i < rows.items.count && status == 0; i++)
        print_call(&text, rows.items.items[i]);
    if (status == 0 && text.filter.matching == 0)
        print_nothing(input, thread, calls);
    if (status == 0)
        print_cut(&text, rows.items.count);
    if (text.line.failed || input->search.failed)
        status = error_out_of_memory(&input->selection.error);
    vec_free(&rows.items);
    vec_free(&text.open);
    line_free(&text.line);
    return status;
}

int calls_log_print(struct calls_input *input)
{
    int status = 0;
    for (size_t i = 0; i < input->selection.threads.items.count && status == 0; i++) {
        if (i > 0)
            putchar('\n');
        status = print_thread(input, input->selection.threads.items.items[i]);
    }
    if (input->selection.threads.items.count == 0)
        puts(input->changed ? "no calls: nothing is left of any thread" : "no calls: no thread has samples");
    if (status == 0)
        print_selected(&input->selection, &input->selected);
    return status == 0 ? output_finish(false) : calls_input_report(input);
}

/* ---- JSON ---- */

/* Of what is made of a profile the id is the row. */
static double node_id(const struct calls_input *input, const struct cpu_model *model, uint32_t row)
{
    return input->trace->of_profile ? model->nodes.items[row].raw : cpu_model_raw(model, row)->id;
}

static void put_call(struct json_output *output, const struct calls_input *input, const struct thread_calls *calls,
                     uint32_t row)
{
    const struct call *call = &calls->calls.items[row];
    const struct trace_function *function = call_function(calls, row);
    json_write_begin_object(output->writer);
    json_put_number(output, "ts", call->ts);
    json_put_number(output, "dur", call->dur);
    json_put_number(output, "self", call->self);
    json_put_number(output, "depth", call->depth < 0 ? (double)NAN : (double)call->depth);
    json_put_number(output, "node", input->events_only ? (double)NAN : node_id(input, calls->model, call->node));
    json_put_slice(output, "name", call_display_name(input->trace, function));
    json_put_slice(output, "url", string_table_get(&input->trace->strings, function->url));
    json_put_number(output, "line", function->line);
    json_put_number(output, "column", function->column);
    json_write_end_object(output->writer);
}

static int put_thread(struct json_output *output, struct calls_input *input, struct thread_index thread)
{
    const struct thread_calls *calls = calls_input_thread(input, thread);
    struct log_filter filter = {0};
    struct call_rows rows = {0};
    json_write_begin_object(output->writer);
    json_put_calls_thread(output, input, thread);
    json_write_key(output->writer, "calls");
    json_write_begin_array(output->writer);
    int status = calls ? filter_open(&filter, input, calls) : 0;
    if (calls && status == 0)
        status = choose_rows(&filter, &rows);
    for (size_t i = 0; i < rows.items.count && status == 0; i++)
        put_call(output, input, calls, rows.items.items[i]);
    json_write_end_array(output->writer);
    json_put_boolean(output, "truncated", rows.items.count < filter.matching);
    json_write_end_object(output->writer);
    if (status == 0 && input->search.failed)
        status = error_out_of_memory(&input->selection.error);
    vec_free(&rows.items);
    return status;
}

int calls_log_print_json(struct calls_input *input)
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
    for (size_t i = 0; i < input->selection.threads.items.count && failed == 0; i++)
        failed = put_thread(&output, input, input->selection.threads.items.items[i]);
    json_write_end_array(output.writer);
    status = json_output_close(&output);
    return failed == 0 ? status : calls_input_report(input);
}
