#include "cli/cut.h"

#include "cli/pager.h"

#include "tree/grouping.h"

const char *const colour_choices[] = {"auto", "always", "never", NULL};
_Static_assert(COLOUR_AUTO == 0 && COLOUR_ALWAYS == 1 && COLOUR_NEVER == 2, "in the order of the choices");

static const struct option output_options[] = {
    OPTION_ENTRY_LIMIT("at most N rows: of lists the first ones, of a tree the nodes\nwith the largest totals"),
    {
        .name = "depth",
        .kind = OPTION_COUNT,
        .target = offsetof(struct common_options, depth),
        .argument = "N",
        .help = "at most N levels of a tree",
    },
    {
        .name = "min",
        .kind = OPTION_NUMBER,
        .target = offsetof(struct common_options, min),
        .argument = "PERCENT",
        .help = "only what has at least this share of the total",
    },
    OPTION_ENTRY_FULL_NAMES,
    OPTION_ENTRIES_TERMINAL,
    OPTION_ENTRY_JSON,
    {0},
};

static const char *const percent_choices[] = {"total", "parent", NULL};
_Static_assert(PERCENT_OF_TOTAL == 0 && PERCENT_OF_PARENT == 1, "in the order of the choices");

static const struct option tree_options[] = {
    OPTION_ENTRY_GROUP,
    {
        .name = "percent",
        .kind = OPTION_CHOICE,
        .target = offsetof(struct common_options, percent),
        .argument = "OF",
        .choices = percent_choices,
        .help = "what shares are of: total (default), or parent, the line\nabove that called this one",
    },
    {0},
};

const struct option_group tree_group = {"the tree", tree_options};

const struct option_group output_group = {"output (a cut is always said: … 12 more)", output_options};

struct tree_cut cut_of_tree(const struct common_options *options, double root_total)
{
    bool anything = options->limit.given || options->depth.given || options->min.given;
    struct tree_cut cut = TREE_CUT_NOTHING;
    if (options->limit.given)
        cut.limit = options->limit.value;
    if (options->depth.given)
        cut.depth = options->depth.value;
    if (options->min.given)
        cut.min = options->min.value / 100 * root_total;
    else if (!anything && !options->json)
        cut.min = PERCENT_FOR_PEOPLE / 100 * root_total;
    return cut;
}

size_t cut_of_list(const struct common_options *options)
{
    if (options->limit.given)
        return options->limit.value;
    return options->json || options->min.given ? SIZE_MAX : ROWS_FOR_PEOPLE;
}

struct terminal terminal_of_options(const struct common_options *options)
{
    struct terminal terminal =
        terminal_of_output(options->width.given ? options->width.value : SIZE_MAX, (enum colour_choice)options->colour);
    terminal.folds_names = !options->full_names;
    pager_begin(!options->no_pager);
    return terminal;
}
