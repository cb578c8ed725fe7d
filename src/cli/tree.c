/* sonde tree: the call tree, top-down or bottom-up. */
#include "cli/commands.h"
#include "cli/cut.h"
#include "cli/json_tree.h"
#include "cli/load.h"
#include "cli/selection_output.h"
#include "cli/text_tree.h"

#include <stdio.h>

static int print_json(struct selection *selection, struct answer *answer, const struct tree_cut *cut)
{
    bool truncated;
    if (json_tree_truncated(selection, answer, selection->query.inverted, cut, &truncated) != 0)
        return selection_report(selection);
    struct json_output output;
    int status = json_output_open(&output, "tree");
    if (status != EXIT_OK)
        return status;
    json_put_selection(&output, selection, answer, "file");
    json_put_boolean(&output, "truncated", truncated);
    bool complete = json_put_tree(&output, "nodes", selection, answer, selection->query.inverted, cut, 0) == 0;
    status = json_output_close(&output);
    return complete ? status : selection_report(selection);
}

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
                   "1% of the total are shown. Behind functions of language runtimes stands how their code ran most of\n"
                   "the time: (interpreter), (optimised 62%).",
    .examples = "  sonde tree profile.json.gz\n"
                "  sonde tree profile.json.gz --invert --limit 50\n"
                "  sonde tree profile.json.gz --thread all --range 1.5,3 --implementation js\n"
                "  sonde tree profile.json.gz --group library --percent parent\n"
                "  sonde tree profile.json.gz -T merge-function:malloc -T collapse-resource:libc.so.6\n"
                "  perf script | sonde tree - --search draw\n"
                "  sonde tree profile.json.gz --json --depth 80 | jq '.nodes[0].name'\n",
    .groups = {&tree_group, &selection_group, &allocation_group, &output_group},
    .run = run,
};
