/* sonde functions: every function with its own samples and those of all it called. */
#include "cli/commands.h"
#include "cli/cut.h"
#include "cli/load.h"
#include "cli/selection.h"
#include "cli/table.h"
#include "print/func_origin.h"
#include "print/number.h"

#include <math.h>
#include <stdio.h>

struct functions {
    struct selection selection;
    struct answer answer;
    struct function_list list;
    size_t shown; /* rows that are not cut */
};

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

static int print_json(struct functions *functions)
{
    struct json_output output;
    int status = json_output_open(&output, "functions");
    if (status != EXIT_OK)
        return status;
    const struct func_list *funcs = functions->selection.whole.funcs;
    json_put_selection(&output, &functions->selection, &functions->answer, "file");
    json_put_boolean(&output, "truncated", functions->shown < functions->list.rows.count);
    json_write_key(output.writer, "functions");
    json_write_begin_array(output.writer);
    for (size_t i = 0; i < functions->shown; i++) {
        const struct function_row *row = &functions->list.rows.items[i];
        json_write_begin_object(output.writer);
        json_put_func(&output, funcs, row->func);
        json_put_number(&output, "self", row->self);
        json_put_number(&output, "total", row->total);
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
        {"self %", ALIGN_RIGHT, 0, false},  {"self", ALIGN_RIGHT, 0, false},  {"total %", ALIGN_RIGHT, 0, false},
        {"total", ALIGN_RIGHT, 0, false},   {"handle", ALIGN_LEFT, 0, false}, {"library or file", ALIGN_LEFT, 24, true},
        {"function", ALIGN_LEFT, 0, false},
    };
    const struct selection *selection = &functions->selection;
    const struct func_list *funcs = selection->whole.funcs;
    enum weight_type type = functions->answer.weights.type;
    double whole = functions->answer.tree.root_total;
    struct terminal terminal = terminal_of_options(selection->options);
    struct table table;
    table_init(&table, &terminal, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < functions->shown; i++) {
        const struct function_row *row = &functions->list.rows.items[i];
        enum style style = row->self == 0 ? STYLE_DIM : STYLE_PLAIN;
        table_print(&table, style, "%s", number_share(row->self, whole).text);
        table_print(&table, style, "%s", number_weight(row->self, type).text);
        table_print(&table, STYLE_PLAIN, "%s", number_share(row->total, whole).text);
        table_print(&table, STYLE_PLAIN, "%s", number_weight(row->total, type).text);
        table_print(&table, STYLE_DIM, "f-%u", row->func);
        table_print(&table, STYLE_DIM, "%s", func_origin(funcs, row->func).text);
        table_add(&table, func_list_name(funcs, row->func), STYLE_PLAIN);
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

static int show(struct functions *functions, const struct common_options *options)
{
    struct selection *selection = &functions->selection;
    if (query_run(&selection->whole, &selection->query, &functions->answer, &selection->error) != 0)
        return selection_report(selection);
    int status = function_list_build(&functions->answer.tree, selection->whole.funcs->count, FUNCTIONS_BY_SELF,
                                     &functions->list, &selection->error);
    if (status == 0) {
        cut(functions, options);
        status = options->json ? print_json(functions) : print_text(functions);
        function_list_free(&functions->list);
    } else {
        status = selection_report(selection);
    }
    answer_free(&functions->answer);
    return status;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct common_options options = {0};
    struct functions functions;
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON) {
        status = selection_open(&functions.selection, command, &options);
        if (status == EXIT_OK)
            status = show(&functions, &options);
        selection_free(&functions.selection);
    }
    options_free(command, &options);
    return status;
}

const struct command functions_command = {
    .name = "functions",
    .arguments = "FILE [options]",
    .summary = "every function with self and total, sorted by self",
    .example = "sonde functions profile.json.gz --limit 20",
    .description = "Lists functions by the samples that ended in them (self), with the samples in them or in what they\n"
                   "called (total; a sample counts once even where a function called itself). The handles (f-0, f-1, …)\n"
                   "name functions in --transform, --select and 'sonde lines'.",
    .examples = "  sonde functions profile.json.gz\n"
                "  sonde functions profile.json.gz --thread all --min 0.5\n"
                "  sonde functions profile.json.gz --json | jq -r '.functions[] | [.self, .name] | @tsv'\n",
    .groups = {&selection_group, &output_group},
    .run = run,
};
