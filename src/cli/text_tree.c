#include "cli/text_tree.h"

#include "cli/cut.h"
#include "cli/selection_output.h"
#include "print/number.h"
#include "print/tree_lines.h"

#include <stdio.h>

static void print_cut(const struct tree_walk *walk, size_t cut_count, const struct answer *answer, const char *rest_hint)
{
    if (cut_count == 0)
        return;
    printf("\n… %s more ", number_grouped((double)cut_count, 0).text);
    if (rest_hint)
        printf("(%s)\n", rest_hint);
    else if (walk->cut.limit != SIZE_MAX)
        printf("than the %zu largest (--limit)\n", walk->cut.limit);
    else if (walk->cut.depth != SIZE_MAX)
        printf("below the %zu levels shown (--depth)\n", walk->cut.depth);
    else
        printf("with less than %g%% of the total (--min 0 shows all)\n", 100 * walk->cut.min / answer->tree.root_total);
}

int print_text_tree(struct selection *selection, struct answer *answer, const struct tree_cut *cut, const char *rest_hint)
{
    struct terminal terminal = terminal_of_options(selection->options);
    struct tree_lines lines;
    tree_lines_begin(&lines, answer->view.funcs, answer, &terminal);
    lines.of_parent = selection->options->percent == PERCENT_OF_PARENT;

    struct tree_walk walk;
    tree_walk_begin(&walk, answer, selection->query.inverted, cut, &selection->error);
    if (selection->error.code == 0) {
        print_selection(selection, answer, &terminal);
        tree_lines_heading(&lines, selection->query.inverted);
        output_line(&lines.line);
    }
    size_t cut_count = walk.cut_roots;
    for (struct tree_row row; tree_walk_next(&walk, &row);) {
        tree_lines_row(&lines, &row);
        output_line(&lines.line);
        cut_count += row.cut_children;
    }
    if (tree_walk_end(&walk) == 0) {
        if (walk.shown == 0 && cut_count == 0)
            puts("no samples");
        print_cut(&walk, cut_count, answer, rest_hint);
        print_selected(selection, &answer->selected);
    }
    bool failed = lines.line.failed;
    tree_lines_free(&lines);
    return selection->error.code != 0 ? selection_report(selection) : output_finish(failed);
}
