#include "cli/markers_list.h"

#include "cli/cut.h"
#include "markers/label.h"
#include "print/number.h"

#include <stdio.h>
#include <stdlib.h>

struct marker_lines {
    struct markers *markers;
    struct view view; /* where the stacks of markers are looked up: after transforms */
    struct marker_labels labels;
    struct text_buffer label; /* the last one put together */
    VEC(uint32_t) way;        /* the last stack walked, leaf first */
};

/* ---- which, and in what order ---- */

static double number_of(const struct markers *markers, const struct shown_marker *shown)
{
    const struct marker *marker = marker_of(markers, shown);
    return markers->options->sort == MARKER_KEY_SELF ? shown->self : marker->end - marker->start;
}

/* Long ones first, moments last; equal ones stay in the order of their start. */
static int compare_numbers(const struct markers *markers, const struct shown_marker *a, const struct shown_marker *b)
{
    double left = number_of(markers, a), right = number_of(markers, b);
    if (isnan(left) || isnan(right))
        return isnan(left) - isnan(right);
    return (left < right) - (left > right);
}

static int compare_shown(const void *left, const void *right, void *context)
{
    const struct markers *markers = context;
    const struct shown_marker *a = left, *b = right;
    int order = 0;
    if (markers->options->sort == MARKER_KEY_NAME)
        order = text_order(marker_text(&markers->catalog.texts, marker_of(markers, a)->name),
                           marker_text(&markers->catalog.texts, marker_of(markers, b)->name));
    else if (markers->options->sort != MARKER_KEY_START)
        order = compare_numbers(markers, a, b);
    if (order != 0)
        return order;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static void order(struct markers *markers)
{
    struct shown_marker *shown = markers->shown.items;
    size_t count = markers->shown.count;
    if (markers->options->sort != MARKER_KEY_DEFAULT && count > 1)
        qsort_r(shown, count, sizeof *shown, compare_shown, markers);
    for (size_t i = 0; markers->options->reverse && i < count / 2; i++) {
        struct shown_marker other = shown[i];
        shown[i] = shown[count - 1 - i];
        shown[count - 1 - i] = other;
    }
}

/* Brings those that --min leaves to the front, and says how many of them --limit leaves. */
static size_t cut(struct markers *markers)
{
    double least = markers_least(markers);
    size_t kept = 0, limit = cut_of_list(&markers->options->common);
    for (size_t i = 0; i < markers->shown.count; i++) {
        struct shown_marker shown = markers->shown.items[i];
        const struct marker *marker = marker_of(markers, &shown);
        if (least > 0 && !(marker->end - marker->start >= least))
            continue;
        markers->shown.items[kept++] = shown;
    }
    return kept < limit ? kept : limit;
}

/* ---- printing ---- */

/* Transforms and the implementation change the stacks of markers as they change those of samples. */
static int open_view(struct marker_lines *lines)
{
    struct selection *selection = &lines->markers->selection;
    const struct query *query = &selection->query;
    lines->view = view_share(&selection->whole);
    int status = 0;
    for (size_t i = 0; i <= query->transform_count && status == 0; i++) {
        struct view next;
        if (i < query->transform_count)
            status = transform_apply(&query->transforms[i], &lines->view, query->threads, query->thread_count, &next,
                                     &selection->error);
        else
            status = filter_implementation(&lines->view, query->implementation, &next, &selection->error);
        view_free(&lines->view);
        lines->view = next;
    }
    return status;
}

/* As in the file: 0 a moment, 1 from start to end, 2 only the start is known, 3 only the end is. */
static enum marker_phase phase_of(const struct markers *markers, const struct shown_marker *shown)
{
    const struct marker *marker = marker_of(markers, shown);
    if (!marker_has_end(marker))
        return MARKER_INSTANT;
    if (!marker->incomplete || !marker_exists(marker->row))
        return MARKER_INTERVAL;
    const struct marker_list *list = &markers->threads.items[shown->thread].list;
    enum marker_phase raw = (enum marker_phase)column_get(&list->raw->phase, marker->row.i);
    return raw == MARKER_START || raw == MARKER_END ? raw : MARKER_INTERVAL;
}

/* The functions from the root to where the marker was added, or null. False when the heap is empty. */
static bool put_stack(struct json_output *output, struct marker_lines *lines, const struct shown_marker *shown)
{
    const struct markers *markers = lines->markers;
    const struct marker_list *list = &markers->threads.items[shown->thread].list;
    const struct view *view = &lines->view;
    struct marker_index row = marker_cause_row(list, marker_of(markers, shown));
    uint32_t stack = marker_exists(row) ? column_get_index(&list->raw->cause_stack, row.i) : INDEX_NONE;
    stack = view_cause_stack(view, stack);
    if (stack == INDEX_NONE) {
        json_put_null(output, "stack");
        return true;
    }
    lines->way.count = 0;
    bool ok = true;
    for (; stack != INDEX_NONE && ok; stack = view->prefix[stack])
        ok = vec_push(&lines->way, view->func[stack]);
    json_write_key(output->writer, "stack");
    json_write_begin_array(output->writer);
    for (size_t i = lines->way.count; i > 0; i--)
        json_write_string(output->writer, func_list_name(view->funcs, lines->way.items[i - 1]));
    json_write_end_array(output->writer);
    return ok;
}

/* The label by the schema, or the name where that is empty; lives until the next call. */
static struct slice label_of(struct marker_lines *lines, const struct marker *marker)
{
    text_cut(&lines->label, 0);
    marker_label_add(&lines->labels, marker, &lines->label);
    return lines->label.bytes.count > 0 ? text_slice(&lines->label) : marker_text(&lines->markers->catalog.texts, marker->name);
}

static bool put_marker(struct json_output *output, struct marker_lines *lines, const struct shown_marker *shown)
{
    const struct markers *markers = lines->markers;
    const struct marker *marker = marker_of(markers, shown);
    double zero = markers->zero;
    json_write_begin_object(output->writer);
    json_put_handle(output, "marker", 'm', shown->index);
    if (markers->threads.count > 1)
        json_put_handle(output, "thread", 't', markers->threads.items[shown->thread].thread.i);
    json_put_slice(output, "name", marker_text(&markers->catalog.texts, marker->name));
    json_put_slice(output, "category", marker_category_name(markers, marker));
    json_put_number(output, "start", marker->start - zero);
    json_put_number(output, "end", marker->end - zero);
    json_put_number(output, "self", shown->self);
    json_put_number(output, "phase", phase_of(markers, shown));
    json_write_key(output->writer, "data");
    if (marker->data)
        marker_payload_to_json(&markers->catalog.texts, marker->data, output->writer);
    else
        json_write_null(output->writer);
    json_put_slice(output, "label", label_of(lines, marker));
    bool ok = put_stack(output, lines, shown);
    json_write_end_object(output->writer);
    return ok && !lines->label.failed;
}

static int print_json(struct marker_lines *lines, size_t count)
{
    struct markers *markers = lines->markers;
    struct json_output output;
    int status = json_output_open(&output, "markers");
    if (status != EXIT_OK)
        return status;
    bool ok = true;
    json_put_markers(&output, markers, count < markers->shown.count);
    json_write_key(output.writer, "markers");
    json_write_begin_array(output.writer);
    for (size_t i = 0; i < count && ok; i++)
        ok = put_marker(&output, lines, &markers->shown.items[i]);
    json_write_end_array(output.writer);
    status = json_output_close(&output);
    if (ok)
        return status;
    error_out_of_memory(&markers->selection.error);
    return selection_report(&markers->selection);
}

static int print_text(struct marker_lines *lines, size_t count)
{
    const struct markers *markers = lines->markers;
    static const struct table_head heads[] = {
        {"thread", ALIGN_LEFT, 0, KEEP_START}, {"start", ALIGN_RIGHT, 0, KEEP_START},  {"duration", ALIGN_RIGHT, 0, KEEP_START},
        {"self", ALIGN_RIGHT, 0, KEEP_START},  {"marker", ALIGN_LEFT, 0, KEEP_START},  {"category", ALIGN_LEFT, 16, KEEP_START},
        {"name", ALIGN_LEFT, 40, KEEP_START},  {"details", ALIGN_LEFT, 0, KEEP_START},
    };
    bool one_thread = markers->threads.count == 1;
    struct terminal terminal = terminal_of_options(markers->selection.options);
    struct table table;
    table_init(&table, &terminal, heads + one_thread, sizeof heads / sizeof *heads - one_thread);
    for (size_t i = 0; i < count; i++) {
        const struct shown_marker *shown = &markers->shown.items[i];
        const struct marker *marker = marker_of(markers, shown);
        struct slice name = marker_text(&markers->catalog.texts, marker->name), label = label_of(lines, marker);
        if (!one_thread)
            table_print(&table, STYLE_DIM, "t-%u", markers->threads.items[shown->thread].thread.i);
        table_print(&table, STYLE_PLAIN, "%s s", number_grouped((marker->start - markers->zero) / 1e3, 6).text);
        table_add_duration(&table, marker->end - marker->start);
        table_add_duration(&table, shown->self);
        table_print(&table, STYLE_DIM, "m-%u", shown->index);
        table_add(&table, marker_category_name(markers, marker), STYLE_DIM);
        table_add(&table, name, STYLE_PLAIN);
        table_add_copy(&table, slice_equal(label, name) ? SLICE("") : label);
    }
    print_markers_head(markers, &terminal);
    table_write(&table);
    if (!table.failed)
        print_markers_cut(markers, count, markers->shown.count);
    table_free(&table);
    return output_finish(table.failed || lines->label.failed);
}

int markers_list_print(struct markers *markers)
{
    const struct common_options *options = &markers->options->common;
    struct marker_lines lines = {.markers = markers};
    order(markers);
    size_t count = cut(markers);
    int status = marker_labels_init(&lines.labels, &markers->catalog, LABEL_TABLE,
                                    options->json ? LABELS_OF_CLIENT : LABELS_OF_PAGE, &markers->selection.error);
    if (status == 0)
        status = open_view(&lines);
    if (status != 0)
        status = selection_report(&markers->selection);
    else
        status = options->json ? print_json(&lines, count) : print_text(&lines, count);
    view_free(&lines.view);
    marker_labels_free(&lines.labels);
    text_free(&lines.label);
    vec_free(&lines.way);
    return status;
}
