#include "cli/hot_part.h"

#include "cli/hot_memory.h"
#include "cli/text_tree.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum { NODES = 24 };
static const double least_share = 0.05;

void hot_part_print(struct selection *selection)
{
    /* The tree goes to standard output, which belongs to the program that was recorded. */
    if (selection->profile.threads.count == 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ||
        selection_of_loaded(selection) != EXIT_OK)
        return;
    if (hot_memory_print(selection) != EXIT_OK)
        return;
    struct answer answer;
    if (query_run(&selection->whole, &selection->query, &answer, &selection->error) != 0) {
        selection_report(selection);
        return;
    }
    struct tree_cut cut = TREE_CUT_NOTHING;
    cut.limit = NODES;
    cut.min = least_share * answer.tree.root_total;
    char hint[PATH_MAX + 40];
    snprintf(hint, sizeof hint, "sonde tree %s", selection->options->file);
    selection->command = hint;
    print_text_tree(selection, &answer, &cut, hint);
    answer_free(&answer);
    selection->command = NULL;
}
