/* sonde tree: the call tree, top-down or bottom-up. */
#include "cli/commands.h"
#include "cli/cut.h"
#include "cli/load.h"
#include "cli/selection.h"
#include "cli/text_tree.h"
#include "print/number.h"

#include <stdio.h>

/* ---- JSON ---- */

static void put_category(struct json_output *output, const struct profile *profile, uint32_t pair)
{
    uint32_t index = pair_category(pair);
    if (index >= profile->categories.rows.count) {
        json_put_null(output, "category");
        return;
    }
    const struct category *category = &profile->categories.rows.items[index];
    json_put_slice(output, "category", profile_text(profile, category->name));
    uint32_t subcategory = pair_subcategory(pair);
    if (subcategory > 0 && subcategory < category->subcategories.count)
        json_put_slice(output, "subcategory", profile_text(profile, category->subcategories.items[subcategory]));
}

/* Only of inlined functions: the symbol of the function they were inlined into; "divergent" where that was not always the
 * same. */
static void put_inlined(struct json_output *output, const struct profile *profile, uint32_t inlined)
{
    if (inlined == INLINED_DIVERGENT)
        json_put_text(output, "inlinedInto", "divergent");
    else if (inlined != INLINED_NOT)
        json_put_slice(output, "inlinedInto",
                       profile_text(profile, native_symbol_get(&profile->native_symbols, native_symbol_at(inlined)).name));
}

/* Up to and including the opening bracket of its children. */
static void put_node(struct json_output *output, const struct selection *selection, const struct tree_row *row)
{
    const struct func_list *funcs = selection->whole.funcs;
    json_write_begin_object(output->writer);
    json_put_func(output, funcs, row->func);
    json_put_slice_or_null(output, "file", func_list_filename(funcs, row->func));
    put_category(output, &selection->profile, row->pair);
    put_inlined(output, &selection->profile, row->inlined);
    json_put_number(output, "total", row->total);
    json_put_number(output, "self", row->self);
    json_write_key(output->writer, "children");
    json_write_begin_array(output->writer);
}

static void end_nodes(struct json_output *output, size_t *open, size_t depth)
{
    for (; *open > depth; --*open) {
        json_write_end_array(output->writer);
        json_write_end_object(output->writer);
    }
}

static int put_nodes(struct json_output *output, struct selection *selection, struct answer *answer, const struct tree_cut *cut)
{
    json_write_key(output->writer, "nodes");
    json_write_begin_array(output->writer);
    struct tree_walk walk;
    size_t open = 0;
    tree_walk_begin(&walk, answer, selection->query.inverted, cut, &selection->error);
    for (struct tree_row row; tree_walk_next(&walk, &row); open++) {
        end_nodes(output, &open, row.depth);
        put_node(output, selection, &row);
    }
    end_nodes(output, &open, 0);
    json_write_end_array(output->writer);
    return tree_walk_end(&walk);
}

/* Whether the cut leaves anything out: it has to be said before the nodes. */
static int find_truncated(struct selection *selection, struct answer *answer, const struct tree_cut *cut, bool *truncated)
{
    *truncated = false;
    if (cut->limit == SIZE_MAX && cut->depth == SIZE_MAX && cut->min == 0)
        return 0;
    struct tree_walk walk;
    struct tree_row row;
    tree_walk_begin(&walk, answer, selection->query.inverted, cut, &selection->error);
    while (!walk.cut_any && tree_walk_next(&walk, &row))
        ;
    *truncated = walk.cut_any;
    return tree_walk_end(&walk);
}

static int print_json(struct selection *selection, struct answer *answer, const struct tree_cut *cut)
{
    bool truncated;
    if (find_truncated(selection, answer, cut, &truncated) != 0)
        return selection_report(selection);
    struct json_output output;
    int status = json_output_open(&output, "tree");
    if (status != EXIT_OK)
        return status;
    json_put_selection(&output, selection, answer, "file");
    json_put_boolean(&output, "truncated", truncated);
    bool complete = put_nodes(&output, selection, answer, cut) == 0;
    status = json_output_close(&output);
    return complete ? status : selection_report(selection);
}

/* ---- the command ---- */

static int show(struct selection *selection)
{
    struct answer answer;
    if (query_run(&selection->whole, &selection->query, &answer, &selection->error) != 0)
        return selection_report(selection);
    struct tree_cut cut = cut_of_tree(selection->options, answer.tree.root_total);
    int status =
        selection->options->json ? print_json(selection, &answer, &cut) : print_text_tree(selection, &answer, &cut, NULL);
    answer_free(&answer);
    return status;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct common_options options = {0};
    struct selection selection;
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON) {
        status = selection_open(&selection, command, &options);
        if (status == EXIT_OK)
            status = show(&selection);
        selection_free(&selection);
    }
    options_free(command, &options);
    return status;
}

const struct command tree_command = {
    .name = "tree",
    .arguments = "FILE [options]",
    .summary = "the call tree, top-down, or with --invert bottom-up",
    .example = "sonde tree profile.json.gz --thread t-0 --min 2",
    .description = "Shows which functions called which, and how many samples were taken in each: `total` in the function\n"
                   "and all it called, `self` in the function itself. A line that has no branch (├─ └─) of its own is the\n"
                   "only one that the line above it called. Without --limit, --depth, --min or --json, nodes with at least\n"
                   "1% of the total are shown.",
    .examples = "  sonde tree profile.json.gz\n"
                "  sonde tree profile.json.gz --invert --limit 50\n"
                "  sonde tree profile.json.gz --thread all --range 1.5,3 --implementation js\n"
                "  sonde tree profile.json.gz -T merge-function:malloc -T collapse-resource:libc.so.6\n"
                "  perf script | sonde tree - --search draw\n"
                "  sonde tree profile.json.gz --json --depth 80 | jq '.nodes[0].name'\n",
    .groups = {&selection_group, &output_group},
    .run = run,
};
