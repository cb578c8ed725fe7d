/* sonde functions: every function with its own samples and those of all it called. */
#include "cli/commands.h"
#include "cli/cut.h"
#include "cli/load.h"
#include "cli/selection_output.h"
#include "cli/table.h"
#include "print/estimate.h"
#include "print/function_order.h"
#include "print/tree_lines.h"
#include "tree/func_origin.h"
#include "tree/func_search.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum functions_sort { SORT_SELF, SORT_TOTAL, SORT_NAME, SORT_LIBRARY };
static const char *const sort_choices[] = {"self", "total", "name", "library", NULL};

struct functions_options {
    struct common_options common;
    int sort;
    bool reverse;
    const char *match;
};

struct functions {
    const struct functions_options *options;
    struct selection selection;
    struct answer answer;
    struct function_list list;
    struct tier_list tiers;
    size_t shown; /* rows that are not cut */
};

/* ---- what to show ---- */

/* Leaves the rows of functions that --match finds. */
static int match(struct functions *functions)
{
    const struct func_list *funcs = functions->answer.view.funcs;
    uint8_t *chosen = memory_zeroed((size_t)funcs->count + 1, sizeof *chosen);
    if (!chosen)
        return error_out_of_memory(&functions->selection.error);
    int status = func_search_choose(funcs, slice_of(functions->options->match), chosen, &functions->selection.error);
    struct function_row *rows = functions->list.rows.items;
    size_t kept = 0;
    for (size_t i = 0; i < functions->list.rows.count && status == 0; i++)
        if (chosen[rows[i].func])
            rows[kept++] = rows[i];
    functions->list.rows.count = kept;
    memory_release(chosen);
    return status;
}

/* Classes of sizes have an order of their own. */
static int compare_sizes(const void *left, const void *right)
{
    const struct function_row *a = left, *b = right;
    return (a->func > b->func) - (a->func < b->func);
}

static enum function_order order_of(const struct functions_options *options)
{
    static const enum function_order orders[] = {FUNCTIONS_BY_SELF, FUNCTIONS_BY_TOTAL, FUNCTIONS_BY_NAME,
                                                 FUNCTIONS_BY_LIBRARY};
    return orders[options->sort];
}

static void sort(struct functions *functions)
{
    struct function_row *rows = functions->list.rows.items;
    size_t count = functions->list.rows.count;
    if (functions->options->sort >= SORT_NAME && functions->options->common.group == GROUP_SIZE && count > 1)
        qsort(rows, count, sizeof *rows, compare_sizes);
    else
        function_list_order(&functions->list, functions->answer.view.funcs, order_of(functions->options));
    for (size_t i = 0; functions->options->reverse && i < count / 2; i++) {
        struct function_row row = rows[i];
        rows[i] = rows[count - 1 - i];
        rows[count - 1 - i] = row;
    }
}

/* Keeps the rows that --min allows, in place, and says how many of them --limit leaves. */
static void cut(struct functions *functions, const struct common_options *options)
{
    double min = options->min.given ? options->min.value / 100 * functions->answer.tree.root_total : 0;
    size_t kept = 0;
    struct function_row *rows = functions->list.rows.items;
    for (size_t i = 0; i < functions->list.rows.count; i++)
        if (fabs(rows[i].total) >= min) {
            struct function_row row = rows[i];
            rows[kept++] = row;
        }
    size_t limit = cut_of_list(options);
    functions->shown = kept < limit ? kept : limit;
}

/* ---- printing ---- */

static int print_json(struct functions *functions)
{
    struct json_output output;
    int status = json_output_open(&output, "functions");
    if (status != EXIT_OK)
        return status;
    const struct func_list *funcs = functions->answer.view.funcs;
    json_put_selection(&output, &functions->selection, &functions->answer, "file");
    json_put_boolean(&output, "truncated", functions->shown < functions->list.rows.count);
    json_write_key(output.writer, "functions");
    json_write_begin_array(output.writer);
    for (size_t i = 0; i < functions->shown; i++) {
        const struct function_row *row = &functions->list.rows.items[i];
        json_write_begin_object(output.writer);
        json_put_func(&output, funcs, row->func);
        json_put_tiers(&output, &functions->tiers, row->func);
        json_put_number(&output, "self", row->self);
        json_put_number(&output, "total", row->total);
        if (functions->answer.tree.self_uncertainty) {
            json_put_uncertainty(&output, "self", row->self_uncertainty);
            json_put_uncertainty(&output, "total", row->total_uncertainty);
        }
        json_write_end_object(output.writer);
    }
    json_write_end_array(output.writer);
    return json_output_close(&output);
}

static void print_cut(const struct common_options *options, size_t more, size_t all)
{
    if (options->min.given)
        printf("\n… %s more\n", number_grouped((double)more, 0).text);
    else
        printf("\n… %s more (--limit %zu shows all)\n", number_grouped((double)more, 0).text, all);
}

static int print_text(struct functions *functions)
{
    static const struct table_head heads[] = {
        {"self %", ALIGN_RIGHT, 0, KEEP_START},  {"self", ALIGN_RIGHT, 0, KEEP_START},
        {"total %", ALIGN_RIGHT, 0, KEEP_START}, {"total", ALIGN_RIGHT, 0, KEEP_START},
        {"handle", ALIGN_LEFT, 0, KEEP_START},   {"library or file", ALIGN_LEFT, 24, KEEP_END},
        {"function", ALIGN_LEFT, 0, KEEP_ENDS},
    };
    static const struct table_head tier_heads[] = {
        {"self %", ALIGN_RIGHT, 0, KEEP_START},  {"self", ALIGN_RIGHT, 0, KEEP_START},
        {"total %", ALIGN_RIGHT, 0, KEEP_START}, {"total", ALIGN_RIGHT, 0, KEEP_START},
        {"handle", ALIGN_LEFT, 0, KEEP_START},   {"library or file", ALIGN_LEFT, 24, KEEP_END},
        {"tier", ALIGN_LEFT, 0, KEEP_START},     {"function", ALIGN_LEFT, 0, KEEP_ENDS},
    };
    static const struct table_head group_heads[] = {
        {"self %", ALIGN_RIGHT, 0, KEEP_START}, {"self", ALIGN_RIGHT, 0, KEEP_START}, {"total %", ALIGN_RIGHT, 0, KEEP_START},
        {"total", ALIGN_RIGHT, 0, KEEP_START},  {"group", ALIGN_LEFT, 0, KEEP_ENDS},
    };
    const struct selection *selection = &functions->selection;
    const struct func_list *funcs = functions->answer.view.funcs;
    enum weight_type type = functions->answer.weights.type;
    double whole = functions->answer.tree.root_total;
    struct terminal terminal = terminal_of_options(selection->options);
    bool estimated = functions->answer.tree.self_uncertainty;
    bool grouped = func_list_is_grouped(funcs), has_tiers = functions->tiers.of_func;
    struct table table;
    if (grouped)
        table_init(&table, &terminal, group_heads, sizeof group_heads / sizeof *group_heads);
    else if (has_tiers)
        table_init(&table, &terminal, tier_heads, sizeof tier_heads / sizeof *tier_heads);
    else
        table_init(&table, &terminal, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < functions->shown; i++) {
        const struct function_row *row = &functions->list.rows.items[i];
        enum style style = row->self == 0 ? STYLE_DIM : STYLE_PLAIN;
        table_print(&table, style_of_share(row->self, whole), "%s", number_share(row->self, whole).text);
        if (estimated)
            table_print(&table, style, "%s", estimate_text(row->self, row->self_uncertainty, type, true).text);
        else
            table_print(&table, style, "%s", number_weight(row->self, type).text);
        table_print(&table, style_of_share(row->total, whole), "%s", number_share(row->total, whole).text);
        if (estimated)
            table_print(&table, STYLE_PLAIN, "%s", estimate_text(row->total, row->total_uncertainty, type, true).text);
        else
            table_print(&table, STYLE_PLAIN, "%s", number_weight(row->total, type).text);
        if (!grouped) {
            table_print(&table, STYLE_DIM, "f-%u", row->func);
            table_print(&table, STYLE_DIM, "%s", func_origin(funcs, row->func).text);
        }
        if (has_tiers)
            table_print(&table, STYLE_DIM, "%s", tier_text(&functions->tiers, row->func).text);
        table_add_func(&table, func_list_name(funcs, row->func), STYLE_PLAIN);
    }
    print_selection(selection, &functions->answer, &terminal);
    table_write(&table);
    size_t more = functions->list.rows.count - functions->shown;
    if (more > 0 && !table.failed)
        print_cut(selection->options, more, functions->list.rows.count);
    print_selected(selection, &functions->answer.selected);
    table_free(&table);
    return output_finish(table.failed);
}

static int list_functions(struct functions *functions)
{
    int status = function_list_build(&functions->answer.tree, functions->answer.view.funcs->count, order_of(functions->options),
                                     &functions->list, &functions->selection.error);
    if (status == 0 && functions->options->match)
        status = match(functions);
    if (status == 0)
        sort(functions);
    if (status == 0)
        status = tier_list_build(&functions->answer, &functions->tiers, &functions->selection.error);
    return status;
}

static int show(struct functions *functions, const struct common_options *options)
{
    struct selection *selection = &functions->selection;
    if (query_run(&selection->whole, &selection->query, &functions->answer, &selection->error) != 0)
        return selection_report(selection);
    int status = list_functions(functions);
    if (status == 0) {
        cut(functions, options);
        status = options->json ? print_json(functions) : print_text(functions);
    } else {
        status = selection_report(selection);
    }
    function_list_free(&functions->list);
    tier_list_free(&functions->tiers);
    answer_free(&functions->answer);
    return status;
}

static int check_match(const struct command *command, const struct functions_options *options)
{
    struct error error = {0};
    if (!options->match || search_terms_check(slice_of(options->match), &error) != -EINVAL)
        return OPTIONS_GO_ON;
    return usage_error(command, "--match: %s", error.message);
}

static int run(const struct command *command, int count, char **arguments)
{
    struct functions_options options = {0};
    struct functions functions = {.options = &options};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON)
        status = check_match(command, &options);
    if (status == OPTIONS_GO_ON) {
        status = selection_open(&functions.selection, command, &options.common);
        if (status == EXIT_OK)
            status = show(&functions, &options.common);
        selection_free(&functions.selection);
    }
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    {
        .name = "match",
        .letter = 'm',
        .kind = OPTION_TEXT,
        .target = offsetof(struct functions_options, match),
        .argument = "TEXT",
        .help = "list only functions that this finds: TEXT as of --search,\nwhich chooses samples; what they add up to stays",
    },
    {
        .name = "sort",
        .kind = OPTION_CHOICE,
        .target = offsetof(struct functions_options, sort),
        .argument = "KEY",
        .choices = sort_choices,
        .help = "self (default), total, name or library",
    },
    {
        .name = "reverse",
        .kind = OPTION_FLAG,
        .target = offsetof(struct functions_options, reverse),
        .help = "the other way round",
    },
    OPTION_ENTRY_GROUP,
    {0},
};

static const struct option_group own_group = {"functions", own_options};

const struct command functions_command = {
    .name = "functions",
    .arguments = "FILE [options]",
    .summary = "every function with self and total, sorted by self",
    .example = "sonde functions profile.json.gz --limit 20",
    .description = "Lists functions by the samples that ended in them (self), with the samples in them or in what they\n"
                   "called (total; a sample counts once even where a function called itself). The handles (f-0, f-1, …)\n"
                   "name functions in --transform, --select, 'sonde lines' and 'sonde butterfly'. Functions of language\n"
                   "runtimes have a tier: how their code ran, with a share where that is not nearly all of it.",
    .examples = "  sonde functions profile.json.gz\n"
                "  sonde functions profile.json.gz --thread all --min 0.5 --sort total\n"
                "  sonde functions profile.json.gz --match 'lib:libc,-name:/^_/'\n"
                "  sonde functions profile.json.gz --group class\n"
                "  sonde functions profile.json.gz --json | jq -r '.functions[] | [.self, .name] | @tsv'\n",
    .groups = {&own_group, &selection_group, &allocation_group, &output_group},
    .run = run,
};
