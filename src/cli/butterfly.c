/* sonde butterfly: what calls a function, and what it calls. */
#include "tree/butterfly.h"

#include "cli/commands.h"
#include "cli/cut.h"
#include "cli/json_tree.h"
#include "cli/selection_output.h"
#include "print/func_name.h"
#include "print/number.h"
#include "print/tree_lines.h"

#include <stdio.h>

struct two_trees {
    struct selection selection;
    struct answer answer;
    struct butterfly butterfly;
    struct answer callers, callees;
};

/* The function itself is no level, and no node. */
static struct tree_cut cut_of(const struct two_trees *trees)
{
    struct tree_cut cut = cut_of_tree(trees->selection.options, trees->butterfly.total);
    cut.limit += cut.limit != SIZE_MAX;
    cut.depth += cut.depth != SIZE_MAX;
    return cut;
}

/* ---- JSON ---- */

static int put_trees(struct json_output *output, struct two_trees *trees, const struct tree_cut *cut)
{
    int status = json_put_tree(output, "callers", &trees->selection, &trees->callers, true, cut, 1);
    return status == 0 ? json_put_tree(output, "callees", &trees->selection, &trees->callees, false, cut, 1) : status;
}

static int print_json(struct two_trees *trees)
{
    struct selection *selection = &trees->selection;
    struct tree_cut cut = cut_of(trees);
    bool above, below;
    if (json_tree_truncated(selection, &trees->callers, true, &cut, &above) != 0 ||
        json_tree_truncated(selection, &trees->callees, false, &cut, &below) != 0)
        return selection_report(selection);
    struct json_output output;
    int status = json_output_open(&output, "butterfly");
    if (status != EXIT_OK)
        return status;
    json_put_selection(&output, selection, &trees->answer, "file");
    json_put_boolean(&output, "truncated", above || below);
    json_put_func(&output, trees->answer.view.funcs, trees->butterfly.func);
    json_put_number(&output, "total", trees->butterfly.total);
    json_put_number(&output, "self", trees->butterfly.self);
    bool complete = put_trees(&output, trees, &cut) == 0;
    status = json_output_close(&output);
    return complete ? status : selection_report(selection);
}

/* ---- text ---- */

/* Lines that are written in another order than they are made in. */
struct kept_lines {
    struct line text;
    VEC(size_t) ends;
};

static bool keep_line(struct kept_lines *kept, struct line *line)
{
    line_add(&kept->text, (struct slice){line->bytes.items, line->bytes.count}, 0);
    bool fits = vec_push(&kept->ends, kept->text.bytes.count);
    line_clear(line);
    return fits && !kept->text.failed;
}

static void write_backwards(const struct kept_lines *kept)
{
    for (size_t i = kept->ends.count; i > 0; i--) {
        size_t start = i > 1 ? kept->ends.items[i - 2] : 0;
        fwrite(kept->text.bytes.items + start, 1, kept->ends.items[i - 1] - start, stdout);
        putchar('\n');
    }
}

static struct tree_lines lines_of(const struct two_trees *trees, const struct answer *answer, const struct terminal *terminal)
{
    struct tree_lines lines;
    tree_lines_begin(&lines, answer->view.funcs, answer, terminal);
    lines.of_parent = trees->selection.options->percent == PERCENT_OF_PARENT;
    return lines;
}

/* The callers, each above what it called. Without the function itself, which the callees begin with. */
static bool print_callers(struct two_trees *trees, const struct tree_cut *cut, const struct terminal *terminal,
                          size_t *cut_count)
{
    struct kept_lines kept = {0};
    struct tree_lines lines = lines_of(trees, &trees->callers, terminal);
    lines.upside_down = true;
    lines.without_own = true;
    struct tree_walk walk;
    tree_walk_begin(&walk, &trees->callers, true, cut, &trees->selection.error);
    bool fits = true;
    for (struct tree_row row; fits && tree_walk_next(&walk, &row);) {
        *cut_count += row.cut_children;
        if (row.depth == 0)
            continue;
        tree_lines_row(&lines, &row);
        fits = keep_line(&kept, &lines.line);
    }
    if (tree_walk_end(&walk) == 0 && fits)
        write_backwards(&kept);
    fits &= !lines.line.failed;
    tree_lines_free(&lines);
    line_free(&kept.text);
    vec_free(&kept.ends);
    return fits;
}

static bool print_callees(struct two_trees *trees, const struct tree_cut *cut, const struct terminal *terminal,
                          size_t *cut_count)
{
    struct tree_lines lines = lines_of(trees, &trees->callees, terminal);
    struct tree_walk walk;
    tree_walk_begin(&walk, &trees->callees, false, cut, &trees->selection.error);
    for (struct tree_row row; tree_walk_next(&walk, &row);) {
        *cut_count += row.cut_children;
        lines.emphasis = row.depth == 0;
        tree_lines_row(&lines, &row);
        output_line(&lines.line);
    }
    tree_walk_end(&walk);
    bool fits = !lines.line.failed;
    tree_lines_free(&lines);
    return fits;
}

static void print_head(const struct two_trees *trees, const struct terminal *terminal)
{
    const struct answer *answer = &trees->answer;
    const struct butterfly *of = &trees->butterfly;
    print_selection(&trees->selection, answer, terminal);
    struct line line = {0};
    char handle[32];
    if (!func_list_is_grouped(answer->view.funcs)) {
        snprintf(handle, sizeof handle, "f-%u ", of->func);
        line_add(&line, slice_of(handle), strlen(handle));
    }
    char numbers[160];
    int width =
        snprintf(numbers, sizeof numbers, ": %s of all, %s in itself", number_share(of->total, answer->tree.root_total).text,
                 number_share(of->self, answer->tree.root_total).text);
    size_t used = line.width + (size_t)width;
    line_add_func(&line, terminal, func_list_name(answer->view.funcs, of->func),
                  terminal->width > used ? terminal->width - used : 24);
    line_print(&line, "%s", numbers);
    output_line(&line);
    line_free(&line);
    putchar('\n');
}

static void print_cut(const struct two_trees *trees, size_t cut_count)
{
    const struct common_options *options = trees->selection.options;
    if (cut_count == 0)
        return;
    printf("\n… %s more ", number_grouped((double)cut_count, 0).text);
    if (options->limit.given)
        printf("than the %zu largest on each side (--limit)\n", options->limit.value);
    else if (options->depth.given)
        printf("beyond the %zu levels shown on each side (--depth)\n", options->depth.value);
    else
        printf("with less than %g%% of the function's total (--min 0 shows all)\n",
               options->min.given ? options->min.value : PERCENT_FOR_PEOPLE);
}

static int print_text(struct two_trees *trees)
{
    struct selection *selection = &trees->selection;
    struct tree_cut cut = cut_of(trees);
    struct terminal terminal = terminal_of_options(selection->options);
    size_t cut_count = 0;
    print_head(trees, &terminal);
    struct tree_lines heading = lines_of(trees, &trees->callees, &terminal);
    tree_lines_heading(&heading, false);
    output_line(&heading.line);
    bool fits = !heading.line.failed;
    tree_lines_free(&heading);
    fits = fits && print_callers(trees, &cut, &terminal, &cut_count);
    if (selection->error.code == 0 && fits)
        fits = print_callees(trees, &cut, &terminal, &cut_count);
    if (selection->error.code != 0)
        return selection_report(selection);
    if (trees->butterfly.total == 0)
        puts("no samples");
    print_cut(trees, cut_count);
    print_selected(selection, &trees->answer.selected);
    return output_finish(!fits);
}

/* ---- the command ---- */

/* With --group FUNCTION is one of the groups. */
static int find_group(struct two_trees *trees, uint32_t *group)
{
    const struct func_list *funcs = trees->answer.view.funcs;
    const char *name = trees->selection.options->operand;
    for (*group = 0; *group < funcs->count; ++*group)
        if (slice_equal(func_list_name(funcs, *group), slice_of(name)))
            return EXIT_OK;
    error_set(&trees->selection.error, -1, "there is no %s '%s' ('sonde functions --group %s' lists them)",
              grouping_names[trees->selection.query.group], name, grouping_names[trees->selection.query.group]);
    return selection_report(&trees->selection);
}

static int show_trees(struct two_trees *trees)
{
    struct selection *selection = &trees->selection;
    if (butterfly_callers(&trees->butterfly, NULL, &trees->callers, &selection->error) != 0 ||
        butterfly_callees(&trees->butterfly, &selection->query, &trees->callees, &selection->error) != 0)
        return selection_report(selection);
    return selection->options->json ? print_json(trees) : print_text(trees);
}

static int show(struct two_trees *trees)
{
    struct selection *selection = &trees->selection;
    uint32_t func = INDEX_NONE;
    int status = EXIT_OK;
    if (selection->query.group == GROUP_NONE)
        status = selection_find_func(selection, NULL, selection->options->operand, &func);
    if (status != EXIT_OK)
        return status;
    if (query_run(&selection->whole, &selection->query, &trees->answer, &selection->error) != 0)
        return selection_report(selection);
    if (selection->query.group != GROUP_NONE)
        status = find_group(trees, &func);
    if (status == EXIT_OK && butterfly_open(&trees->answer, func, &trees->butterfly, &selection->error) != 0)
        status = selection_report(selection);
    if (status == EXIT_OK)
        status = show_trees(trees);
    answer_free(&trees->callees);
    butterfly_free_callers(&trees->callers);
    butterfly_free(&trees->butterfly);
    answer_free(&trees->answer);
    return status;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct common_options options = {0};
    struct two_trees trees = {0};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON && options.invert)
        status = usage_error(command, "--invert: callers and callees are both shown");
    if (status == OPTIONS_GO_ON) {
        status = selection_open(&trees.selection, command, &options);
        if (status == EXIT_OK)
            status = show(&trees);
        selection_free(&trees.selection);
    }
    options_free(command, &options);
    return status;
}

const struct command butterfly_command = {
    .name = "butterfly",
    .arguments = "FILE FUNCTION [options]",
    .summary = "what calls a function, and what it calls",
    .example = "sonde butterfly profile.json.gz draw",
    .description = "Shows the callers of a function above it, each above what it called, and what the function called below\n"
                   "it. FUNCTION is a handle (f-N, from 'sonde functions') or a name that only one has; with --group it is\n"
                   "a library, file, category or class. A sample counts once, by the outermost call of the function, so\n"
                   "both sides add up to its total; percentages refer to that. Without --limit, --depth, --min or --json,\n"
                   "nodes with at least 1% of it are shown.",
    .examples = "  sonde butterfly profile.json.gz malloc\n"
                "  sonde butterfly profile.json.gz f-12 --thread all --depth 4\n"
                "  sonde butterfly profile.json.gz libc.so.6 --group library --percent parent\n"
                "  sonde butterfly profile.json.gz malloc --json | jq '.callers[].name'\n",
    .groups = {&tree_group, &selection_group, &allocation_group, &output_group},
    .second_operand = "FUNCTION",
    .run = run,
};
