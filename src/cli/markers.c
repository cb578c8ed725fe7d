/* sonde markers: what the program said it was doing, one by one or by name. */
#include "cli/commands.h"
#include "cli/cut.h"
#include "cli/during.h"
#include "cli/selection.h"
#include "cli/table.h"
#include "markers/label.h"
#include "markers/search.h"
#include "markers/statistics.h"
#include "print/number.h"
#include "profile/time_span.h"

#include <stdio.h>
#include <stdlib.h>

struct markers_options {
    struct common_options common;
    bool list;
};

struct thread_markers {
    struct thread_index thread;
    struct marker_list list;
};

struct shown_marker {
    uint32_t thread; /* place in `threads` */
    uint32_t index;  /* in its list: the N of m-N */
    double start;
};

struct markers {
    struct selection selection;
    double zero; /* what shown times count from */
    struct marker_catalog catalog;
    struct view view; /* where the stacks of markers are looked up: after transforms */
    VEC(struct thread_markers) threads;
    VEC(struct shown_marker) shown; /* those in the range that match the search, by start */
    struct marker_labels labels;
    struct text_buffer label; /* the last one put together */
    VEC(uint32_t) way;        /* the last stack walked, leaf first */
};

static const struct marker *marker_of(const struct markers *markers, const struct shown_marker *shown)
{
    return &markers->threads.items[shown->thread].list.items.items[shown->index];
}

/* ---- finding them ---- */

/* Without --range it is what the Firefox Profiler takes for the whole. */
static struct time_span shown_span(const struct selection *selection)
{
    struct time_span span = profile_root_span(&selection->profile);
    if (!isnan(selection->query.range.start))
        span.start = selection->query.range.start;
    if (!isnan(selection->query.range.end))
        span.end = selection->query.range.end;
    return span;
}

static int find_in_thread(struct markers *markers, struct thread_index thread, struct marker_search *search)
{
    struct error *error = &markers->selection.error;
    uint32_t place = (uint32_t)markers->threads.count;
    if (!vec_push(&markers->threads, (struct thread_markers){.thread = thread}))
        return error_out_of_memory(error);
    struct marker_list *list = &markers->threads.items[place].list;
    int status = marker_list_build(list, &markers->catalog, thread, error);
    struct time_span span = shown_span(&markers->selection);
    const struct time_ranges *during = markers->selection.options->during ? &markers->selection.during : NULL;
    for (size_t i = 0; i < list->items.count && status == 0; i++) {
        const struct marker *marker = &list->items.items[i];
        if (!marker_touches(marker, span.start, span.end) || (during && !during_touches(during, marker)) ||
            !marker_search_matches(search, marker))
            continue;
        if (!vec_push(&markers->shown, ((struct shown_marker){place, (uint32_t)i, marker->start})))
            status = error_out_of_memory(error);
    }
    return search->failed ? error_out_of_memory(error) : status;
}

static int compare_shown(const void *left, const void *right)
{
    const struct shown_marker *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int find_markers(struct markers *markers)
{
    struct selection *selection = &markers->selection;
    const char *terms = selection->options->search;
    struct marker_search search = {0};
    int status = marker_catalog_init(&markers->catalog, &selection->profile, &selection->error);
    if (status == 0)
        status = marker_search_init(&search, &markers->catalog, slice_of(terms ? terms : ""), &selection->error);
    for (size_t i = 0; i < selection->threads.items.count && status == 0; i++)
        status = find_in_thread(markers, selection->threads.items.items[i], &search);
    marker_search_free(&search);
    if (selection->threads.items.count > 1 && markers->shown.count > 1)
        qsort(markers->shown.items, markers->shown.count, sizeof *markers->shown.items, compare_shown);
    return status;
}

/* Transforms and the implementation change the stacks of markers as they change those of samples. */
static int open_view(struct markers *markers)
{
    struct selection *selection = &markers->selection;
    const struct query *query = &selection->query;
    markers->view = view_share(&selection->whole);
    int status = 0;
    for (size_t i = 0; i <= query->transform_count && status == 0; i++) {
        struct view next;
        if (i < query->transform_count)
            status = transform_apply(&query->transforms[i], &markers->view, query->threads, query->thread_count, &next,
                                     &selection->error);
        else
            status = filter_implementation(&markers->view, query->implementation, &next, &selection->error);
        view_free(&markers->view);
        markers->view = next;
    }
    return status;
}

/* ---- one by one ---- */

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

static struct slice category_name(const struct markers *markers, const struct marker *marker)
{
    const struct category_list *categories = &markers->selection.profile.categories;
    if (marker->category.i >= categories->rows.count)
        return SLICE("Other");
    return profile_text(&markers->selection.profile, categories->rows.items[marker->category.i].name);
}

/* The functions from the root to where the marker was added, or null. False when the heap is empty. */
static bool put_stack(struct json_output *output, struct markers *markers, const struct shown_marker *shown)
{
    const struct marker_list *list = &markers->threads.items[shown->thread].list;
    const struct view *view = &markers->view;
    struct marker_index row = marker_cause_row(list, marker_of(markers, shown));
    uint32_t stack = marker_exists(row) ? column_get_index(&list->raw->cause_stack, row.i) : INDEX_NONE;
    stack = view_cause_stack(view, stack);
    if (stack == INDEX_NONE) {
        json_put_null(output, "stack");
        return true;
    }
    markers->way.count = 0;
    bool ok = true;
    for (; stack != INDEX_NONE && ok; stack = view->prefix[stack])
        ok = vec_push(&markers->way, view->func[stack]);
    json_write_key(output->writer, "stack");
    json_write_begin_array(output->writer);
    for (size_t i = markers->way.count; i > 0; i--)
        json_write_string(output->writer, func_list_name(view->funcs, markers->way.items[i - 1]));
    json_write_end_array(output->writer);
    return ok;
}

/* The label by the schema, or the name where that is empty; lives until the next call. */
static struct slice label_of(struct markers *markers, const struct marker *marker)
{
    text_cut(&markers->label, 0);
    marker_label_add(&markers->labels, marker, &markers->label);
    return markers->label.bytes.count > 0 ? text_slice(&markers->label) : marker_text(&markers->catalog.texts, marker->name);
}

static bool put_marker(struct json_output *output, struct markers *markers, const struct shown_marker *shown)
{
    const struct marker *marker = marker_of(markers, shown);
    double zero = markers->zero;
    json_write_begin_object(output->writer);
    json_put_handle(output, "marker", 'm', shown->index);
    if (markers->threads.count > 1)
        json_put_handle(output, "thread", 't', markers->threads.items[shown->thread].thread.i);
    json_put_slice(output, "name", marker_text(&markers->catalog.texts, marker->name));
    json_put_slice(output, "category", category_name(markers, marker));
    json_put_number(output, "start", marker->start - zero);
    json_put_number(output, "end", marker->end - zero);
    json_put_number(output, "phase", phase_of(markers, shown));
    json_write_key(output->writer, "data");
    if (marker->data)
        marker_payload_to_json(&markers->catalog.texts, marker->data, output->writer);
    else
        json_write_null(output->writer);
    json_put_slice(output, "label", label_of(markers, marker));
    bool ok = put_stack(output, markers, shown);
    json_write_end_object(output->writer);
    return ok && !markers->label.failed;
}

static void put_head(struct json_output *output, const struct markers *markers, bool truncated)
{
    const struct selection *selection = &markers->selection;
    json_put_text(output, "file", selection->options->file);
    json_put_threads(output, &selection->profile, &selection->threads);
    json_put_number(output, "markerCount", (double)markers->shown.count);
    json_put_boolean(output, "truncated", truncated);
}

static int print_list_json(struct markers *markers, size_t limit)
{
    struct json_output output;
    int status = json_output_open(&output, "markers");
    if (status != EXIT_OK)
        return status;
    bool ok = true;
    put_head(&output, markers, markers->shown.count > limit);
    json_write_key(output.writer, "markers");
    json_write_begin_array(output.writer);
    for (size_t i = 0; i < markers->shown.count && i < limit && ok; i++)
        ok = put_marker(&output, markers, &markers->shown.items[i]);
    json_write_end_array(output.writer);
    status = json_output_close(&output);
    if (ok)
        return status;
    error_out_of_memory(&markers->selection.error);
    return selection_report(&markers->selection);
}

static void print_cut(size_t more, size_t all)
{
    if (more > 0)
        printf("\n… %s more (--limit %zu shows all)\n", number_grouped((double)more, 0).text, all);
}

static void print_head(const struct markers *markers, const struct terminal *terminal)
{
    print_selection(&markers->selection, NULL, terminal);
    printf("total    %s marker%s\n\n", number_grouped((double)markers->shown.count, 0).text,
           markers->shown.count == 1 ? "" : "s");
}

/* A duration as a cell; a dash for a moment. */
static void add_duration(struct table *table, double ms)
{
    if (isnan(ms))
        table_add(table, SLICE("-"), STYLE_DIM);
    else
        table_print(table, STYLE_PLAIN, "%s", number_duration(ms).text);
}

static void add_label(struct table *table, struct slice label)
{
    char *copy = arena_copy(&table->arena, label.text, label.length);
    if (copy)
        table_add(table, (struct slice){copy, label.length}, STYLE_PLAIN);
    else
        table->failed = true;
}

static int print_list_text(struct markers *markers, size_t limit)
{
    static const struct table_head heads[] = {
        {"thread", ALIGN_LEFT, 0, KEEP_START},    {"start", ALIGN_RIGHT, 0, KEEP_START},
        {"duration", ALIGN_RIGHT, 0, KEEP_START}, {"marker", ALIGN_LEFT, 0, KEEP_START},
        {"category", ALIGN_LEFT, 16, KEEP_START}, {"name", ALIGN_LEFT, 40, KEEP_START},
        {"details", ALIGN_LEFT, 0, KEEP_START},
    };
    bool one_thread = markers->threads.count == 1;
    struct terminal terminal = terminal_of_options(markers->selection.options);
    struct table table;
    table_init(&table, &terminal, heads + one_thread, sizeof heads / sizeof *heads - one_thread);
    for (size_t i = 0; i < markers->shown.count && i < limit; i++) {
        const struct shown_marker *shown = &markers->shown.items[i];
        const struct marker *marker = marker_of(markers, shown);
        struct slice name = marker_text(&markers->catalog.texts, marker->name), label = label_of(markers, marker);
        if (!one_thread)
            table_print(&table, STYLE_DIM, "t-%u", markers->threads.items[shown->thread].thread.i);
        table_print(&table, STYLE_PLAIN, "%s s", number_grouped((marker->start - markers->zero) / 1e3, 6).text);
        add_duration(&table, marker->end - marker->start);
        table_print(&table, STYLE_DIM, "m-%u", shown->index);
        table_add(&table, category_name(markers, marker), STYLE_DIM);
        table_add(&table, name, STYLE_PLAIN);
        add_label(&table, slice_equal(label, name) ? SLICE("") : label);
    }
    print_head(markers, &terminal);
    table_write(&table);
    if (!table.failed && markers->shown.count > limit)
        print_cut(markers->shown.count - limit, markers->shown.count);
    table_free(&table);
    return output_finish(table.failed || markers->label.failed);
}

static int show_list(struct markers *markers, const struct common_options *options)
{
    int status = marker_labels_init(&markers->labels, &markers->catalog, LABEL_TABLE,
                                    options->json ? LABELS_OF_CLIENT : LABELS_OF_PAGE, &markers->selection.error);
    if (status == 0)
        status = open_view(markers);
    if (status != 0)
        status = selection_report(&markers->selection);
    else if (options->json)
        status = print_list_json(markers, cut_of_list(options));
    else
        status = print_list_text(markers, cut_of_list(options));
    view_free(&markers->view);
    marker_labels_free(&markers->labels);
    text_free(&markers->label);
    vec_free(&markers->way);
    return status;
}

/* ---- by name ---- */

static int print_names_json(const struct markers *markers, const struct marker_statistics *statistics, size_t limit)
{
    struct json_output output;
    int status = json_output_open(&output, "markers");
    if (status != EXIT_OK)
        return status;
    put_head(&output, markers, statistics->rows.count > limit);
    json_write_key(output.writer, "names");
    json_write_begin_array(output.writer);
    for (size_t i = 0; i < statistics->rows.count && i < limit; i++) {
        const struct name_statistics *row = &statistics->rows.items[i];
        json_write_begin_object(output.writer);
        json_put_slice(&output, "name", marker_text(&markers->catalog.texts, row->name));
        json_put_number(&output, "count", (double)row->count);
        json_put_number(&output, "total", row->total);
        json_put_number(&output, "min", row->min);
        json_put_number(&output, "avg", row->average);
        json_put_number(&output, "max", row->max);
        json_write_end_object(output.writer);
    }
    json_write_end_array(output.writer);
    return json_output_close(&output);
}

static int print_names_text(const struct markers *markers, const struct marker_statistics *statistics, size_t limit)
{
    static const struct table_head heads[] = {
        {"count", ALIGN_RIGHT, 0, KEEP_START}, {"total", ALIGN_RIGHT, 0, KEEP_START}, {"min", ALIGN_RIGHT, 0, KEEP_START},
        {"avg", ALIGN_RIGHT, 0, KEEP_START},   {"max", ALIGN_RIGHT, 0, KEEP_START},   {"name", ALIGN_LEFT, 0, KEEP_START},
    };
    struct terminal terminal = terminal_of_options(markers->selection.options);
    struct table table;
    table_init(&table, &terminal, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < statistics->rows.count && i < limit; i++) {
        const struct name_statistics *row = &statistics->rows.items[i];
        table_print(&table, STYLE_PLAIN, "%s", number_grouped((double)row->count, 0).text);
        add_duration(&table, row->total);
        add_duration(&table, row->min);
        add_duration(&table, row->average);
        add_duration(&table, row->max);
        table_add(&table, marker_text(&markers->catalog.texts, row->name), STYLE_PLAIN);
    }
    print_head(markers, &terminal);
    table_write(&table);
    if (!table.failed && statistics->rows.count > limit)
        print_cut(statistics->rows.count - limit, statistics->rows.count);
    table_free(&table);
    return output_finish(table.failed);
}

static int show_names(struct markers *markers, const struct common_options *options)
{
    struct marker_statistics statistics = {0};
    bool ok = true;
    for (size_t i = 0; i < markers->shown.count && ok; i++)
        ok = marker_statistics_add(&statistics, marker_of(markers, &markers->shown.items[i]));
    int status;
    if (!ok || !marker_statistics_finish(&statistics)) {
        error_out_of_memory(&markers->selection.error);
        status = selection_report(&markers->selection);
    } else if (options->json) {
        status = print_names_json(markers, &statistics, cut_of_list(options));
    } else {
        status = print_names_text(markers, &statistics, cut_of_list(options));
    }
    marker_statistics_free(&statistics);
    return status;
}

/* ---- the command ---- */

static int show(struct markers *markers, const struct markers_options *options)
{
    int status = find_markers(markers);
    if (status != 0)
        status = selection_report(&markers->selection);
    else
        status = options->list ? show_list(markers, &options->common) : show_names(markers, &options->common);
    for (size_t i = 0; i < markers->threads.count; i++)
        marker_list_free(&markers->threads.items[i].list);
    vec_free(&markers->threads);
    vec_free(&markers->shown);
    marker_catalog_free(&markers->catalog);
    return status;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct markers_options options = {0};
    struct markers markers = {0};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON) {
        status = selection_open(&markers.selection, command, &options.common);
        if (status == EXIT_OK) {
            markers.zero = selection_zero(&markers.selection);
            status = show(&markers, &options);
        }
        selection_free(&markers.selection);
    }
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    {
        .name = "list",
        .letter = 'l',
        .kind = OPTION_FLAG,
        .target = offsetof(struct markers_options, list),
        .help = "one marker a line, in the order of their start",
    },
    {0},
};

static const struct option_group own_group = {"markers", own_options};

const struct command markers_command = {
    .name = "markers",
    .arguments = "FILE [options]",
    .summary = "markers by name, or with --list one by one",
    .example = "sonde markers profile.json.gz --list --search 'GC,-cat:DOM'",
    .description = "Markers are what a program said it was doing: moments, or times with a start and an end. Without --list\n"
                   "they are summed up by name: how many, and how long those took that have an end.\n"
                   "\n"
                   "Here --search looks at markers: TEXT,TEXT finds those with either text in their name, category, type\n"
                   "or fields; name:TEXT, cat:TEXT, type:TEXT and FIELD:TEXT look at one of these; -name:TEXT takes away\n"
                   "what has it. --transform and --implementation change the stacks of markers, which --list --json\n"
                   "shows; options that choose samples only change nothing here.",
    .examples = "  sonde markers profile.json.gz\n"
                "  sonde markers profile.json.gz --thread all --range 2,2.5 --list\n"
                "  sonde markers profile.json.gz --list --json | jq '.markers[] | select(.end - .start > 50)'\n",
    .groups = {&own_group, &selection_group, &output_group},
    .searches_otherwise = true,
    .run = run,
};
