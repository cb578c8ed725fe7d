#include "cli/diff.h"

#include "cli/report.h"
#include "markers/marker_list.h"
#include "tree/comparison_unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- what sums are divided by ---- */

/* The name behind `function:` or `marker:`. */
static struct slice name_of_per(const struct diff *diff)
{
    return slice_of(strchr(diff->options->per, ':') + 1);
}

int diff_per_parse(struct diff *diff)
{
    const char *per = diff->options->per;
    diff->per = PER_RUN;
    if (!per || strcmp(per, "run") == 0)
        return EXIT_OK;
    if (strcmp(per, "share") == 0)
        diff->per = PER_SHARE;
    else if (slice_starts_with(slice_of(per), SLICE("function:")) && name_of_per(diff).length > 0)
        diff->per = PER_FUNCTION;
    else if (slice_starts_with(slice_of(per), SLICE("marker:")) && name_of_per(diff).length > 0)
        diff->per = PER_MARKER;
    else
        return usage_error(diff->command, "--per '%s': run, share, function:NAME or marker:NAME is wanted", per);
    return EXIT_OK;
}

/* Those of a thread that begin in the range. */
static int count_markers(struct diff_run *run, const struct marker_catalog *catalog, struct thread_index thread,
                         struct slice name)
{
    struct selection *selection = &run->selection;
    struct row_selection rows = query_rows(&selection->whole, &selection->query, &selection->whole);
    struct marker_list list;
    int status = marker_list_collect(&list, catalog, thread, false, &selection->error);
    for (size_t i = 0; i < list.items.count && status == 0; i++) {
        const struct marker *marker = &list.items.items[i];
        if (slice_equal(marker_text(&catalog->texts, marker->name), name) && marker->start >= rows.range.start &&
            marker->start < rows.range.end)
            run->count++;
    }
    marker_list_free(&list);
    return status;
}

static int count_all_markers(const struct diff *diff, struct diff_run *run)
{
    struct selection *selection = &run->selection;
    struct marker_catalog catalog;
    int status = marker_catalog_init(&catalog, &selection->profile, &selection->error);
    for (size_t i = 0; i < selection->profile.threads.count && status == 0; i++)
        status = count_markers(run, &catalog, thread_at(i), name_of_per(diff));
    marker_catalog_free(&catalog);
    if (status == 0 && run->count == 0)
        status = error_set(&selection->error, -ENOENT, "--per '%s': there is no such marker ('sonde markers' lists them)",
                           diff->options->per);
    return status;
}

/* The total of the function that others are compared with; its variance comes with it. */
static int find_yardstick(const struct diff *diff, struct diff_run *run, struct function_row *row)
{
    struct selection *selection = &run->selection;
    struct slice name = name_of_per(diff);
    const struct func_list *funcs = run->answer.view.funcs;
    struct function_list list;
    int status = function_list_build(&run->answer.tree, funcs->count, FUNCTIONS_BY_TOTAL, &list, &selection->error);
    *row = (struct function_row){.func = INDEX_NONE};
    for (size_t i = 0; i < list.rows.count && row->func == INDEX_NONE; i++)
        if (slice_equal(func_list_name(funcs, list.rows.items[i].func), name) && list.rows.items[i].total > 0)
            *row = list.rows.items[i];
    function_list_free(&list);
    if (status == 0 && row->func == INDEX_NONE)
        status = error_set(&selection->error, -ENOENT, "--per '%s': no function of this name has samples", diff->options->per);
    return status;
}

/* Sums in units of the function, in what it takes in BASE. */
static int scale_by_function(struct diff *diff)
{
    double base = 0;
    size_t base_runs = 0;
    for (size_t i = 0; i < diff->run_count; i++) {
        struct diff_run *run = &diff->runs[i];
        struct compared_run *compared = &diff->compared[i];
        struct function_row row;
        if (find_yardstick(diff, run, &row) != 0)
            return selection_report(&run->selection);
        double total = row.total * run->unit, part = row.total / run->answer.tree.root_total;
        compared->scale = run->unit / total;
        compared->variation = row.total_uncertainty.variance * fmax(0, 1 - part) / (row.total * row.total);
        if (run->side == SIDE_BASE) {
            base += total;
            base_runs++;
        }
    }
    for (size_t i = 0; i < diff->run_count; i++)
        diff->compared[i].scale *= base / (double)base_runs;
    return EXIT_OK;
}

static int scale(struct diff *diff)
{
    for (size_t i = 0; i < diff->run_count; i++) {
        struct diff_run *run = &diff->runs[i];
        double whole = run->answer.tree.root_total;
        diff->compared[i] = (struct compared_run){.answer = &run->answer, .side = run->side, .scale = run->unit};
        if (diff->per == PER_SHARE)
            diff->compared[i].scale = whole > 0 ? 100 / whole : 0;
        if (diff->per == PER_MARKER && count_all_markers(diff, run) != 0)
            return selection_report(&run->selection);
        if (diff->per == PER_MARKER)
            diff->compared[i].scale = run->unit / run->count;
    }
    return diff->per == PER_FUNCTION ? scale_by_function(diff) : EXIT_OK;
}

/* ---- recordings ---- */

static int count_alike(struct diff *diff)
{
    struct measured_run *measured = memory_zeroed(diff->run_count, sizeof *measured);
    struct error error = {0};
    size_t wrong = 0;
    if (!measured) {
        report("out of memory");
        return EXIT_DATA;
    }
    for (size_t i = 0; i < diff->run_count; i++) {
        const struct diff_run *run = &diff->runs[i];
        measured[i] = (struct measured_run){
            .answer = &run->answer,
            .strategy = run->selection.query.strategy,
            .interval = run->selection.profile.meta.interval,
        };
    }
    int failed = comparison_find_unit(measured, diff->run_count, &diff->type, &wrong, &error);
    for (size_t i = 0; i < diff->run_count; i++)
        diff->runs[i].unit = measured[i].unit;
    memory_release(measured);
    if (!failed)
        return EXIT_OK;
    diff->runs[wrong].selection.error = error;
    return selection_report(&diff->runs[wrong].selection);
}

static int open_run(struct diff *diff, const char *file, enum comparison_side side)
{
    struct diff_run *run = &diff->runs[diff->run_count++];
    run->options = diff->options->common;
    run->options.file = file;
    run->side = side;
    if (side == SIDE_BASE && diff->options->base_range.given)
        run->options.range = diff->options->base_range;
    if (side == SIDE_BASE && diff->options->base_at)
        run->options.at = diff->options->base_at;
    int status = selection_open(&run->selection, diff->command, &run->options);
    if (status != EXIT_OK)
        return status;
    struct query *query = &run->selection.query;
    query->with_variance = true;
    query->inverted = false;
    if (query_run(&run->selection.whole, query, &run->answer, &run->selection.error) != 0)
        return selection_report(&run->selection);
    return EXIT_OK;
}

static int compare(struct diff *diff)
{
    const struct diff_options *options = diff->options;
    bool several = options->base.values.count + options->new.values.count > 0;
    struct comparison_terms terms = {
        .shares = diff->per == PER_SHARE,
        .sums_are_exact = comparison_is_of_all(&diff->runs[0].selection.query),
        .noise = options->noise.given ? options->noise.value / 100
                 : several            ? NAN
                                      : COMPARISON_USUAL_NOISE,
        .level = options->level.given ? options->level.value / 100 : COMPARISON_USUAL_LEVEL,
    };
    struct selection *first = &diff->runs[0].selection;
    if (comparison_build(diff->compared, diff->run_count, &terms, &diff->comparison, &first->error) != 0)
        return selection_report(first);
    return EXIT_OK;
}

int diff_open(struct diff *diff)
{
    const struct diff_options *options = diff->options;
    const struct text_list *more[SIDES] = {&options->base, &options->new};
    const char *files[SIDES] = {options->common.file, options->common.operand};
    size_t count = SIDES + options->base.values.count + options->new.values.count;
    diff->runs = memory_zeroed(count, sizeof *diff->runs);
    diff->compared = memory_zeroed(count, sizeof *diff->compared);
    if (!diff->runs || !diff->compared) {
        report("out of memory");
        return EXIT_DATA;
    }
    int status = EXIT_OK;
    for (enum comparison_side side = SIDE_BASE; side < SIDES && status == EXIT_OK; side++) {
        status = open_run(diff, files[side], side);
        for (size_t i = 0; i < more[side]->values.count && status == EXIT_OK; i++)
            status = open_run(diff, more[side]->values.items[i], side);
    }
    if (status == EXIT_OK)
        status = count_alike(diff);
    if (status == EXIT_OK)
        status = scale(diff);
    return status == EXIT_OK ? compare(diff) : status;
}

void diff_close(struct diff *diff)
{
    comparison_free(&diff->comparison);
    for (size_t i = 0; i < diff->run_count; i++) {
        answer_free(&diff->runs[i].answer);
        selection_free(&diff->runs[i].selection);
    }
    memory_release(diff->runs);
    memory_release(diff->compared);
}
