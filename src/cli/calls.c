/* sonde calls: timed calls from samples, and trees over calls and events. */
#include "cli/calls_log.h"
#include "cli/calls_tree.h"
#include "cli/commands.h"
#include "cli/cut.h"

#include <stddef.h>

static const char *const rules[] = {"newest", "0.0.65", NULL};
_Static_assert(TRACE_RULES_NEWEST == 0 && TRACE_RULES_0_0_65 == 1, "in the order of the choices");

static const char *const trees[] = {"none", "top-down", "bottom-up", "log", NULL};
_Static_assert(ENTRY_TREE_TOP_DOWN == 0 && ENTRY_TREE_BOTTOM_UP == 1 && ENTRY_TREE_LOG == 2, "after `none`, as the choices");

static const char *const groups[] = {"none", "url", "category", "frame", NULL};
_Static_assert(ENTRY_GROUP_NONE == 0 && ENTRY_GROUP_URL == 1 && ENTRY_GROUP_CATEGORY == 2 && ENTRY_GROUP_FRAME == 3,
               "in the order of the choices");

static const char *const sort_choices[] = {"start", "duration", "total", "self", "count", "name", NULL};
_Static_assert(CALLS_KEY_START == 0 && CALLS_KEY_NAME == 5, "in the order of the choices");

/* --invert and --tree bottom-up are the same, whichever was given. */
static int settle_inversion(const struct command *command, struct calls_options_of_user *options)
{
    const int bottom_up = ENTRY_TREE_BOTTOM_UP + 1;
    if (options->common.invert && options->tree != 0 && options->tree != bottom_up)
        return usage_error(command, "--invert is --tree bottom-up, and not --tree %s", trees[options->tree]);
    if (options->common.invert)
        options->tree = bottom_up;
    options->common.invert = options->tree == bottom_up;
    return OPTIONS_GO_ON;
}

/* Calls one by one have a start and a duration, nodes of a tree a total and a count, and a log has its order. */
static int check_order(const struct command *command, const struct calls_options_of_user *options)
{
    enum calls_key key = (enum calls_key)options->sort;
    bool tree = options->tree != 0, log = options->tree == ENTRY_TREE_LOG + 1;
    bool of_calls = key == CALLS_KEY_START || key == CALLS_KEY_DURATION,
         of_trees = key == CALLS_KEY_TOTAL || key == CALLS_KEY_COUNT;
    if (log && (key != CALLS_KEY_DEFAULT || options->reverse))
        return usage_error(command, "--tree log is in the order of time, and not --sort or --reverse");
    if (tree ? of_calls : of_trees)
        return usage_error(command, "--sort %s %s", sort_choices[key],
                           tree ? "is of calls one by one, without --tree" : "needs --tree top-down or --tree bottom-up");
    return OPTIONS_GO_ON;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct calls_options_of_user options = {.sort = CALLS_KEY_DEFAULT};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON)
        status = settle_inversion(command, &options);
    if (status == OPTIONS_GO_ON && options.common.strategy != STRATEGY_TIMING)
        status = usage_error(command, "--strategy %s: calls have times, and nothing else is counted of them",
                             strategy_names[options.common.strategy]);
    if (status == OPTIONS_GO_ON && options.group != ENTRY_GROUP_NONE &&
        (options.tree == 0 || options.tree == ENTRY_TREE_LOG + 1))
        status = usage_error(command, "--group needs --tree top-down or --tree bottom-up");
    if (status == OPTIONS_GO_ON)
        status = check_order(command, &options);
    if (status == OPTIONS_GO_ON) {
        struct calls_input input;
        status = calls_input_open(&input, command, &options);
        if (status == EXIT_OK && options.tree != 0)
            status = options.common.json ? calls_tree_print_json(&input) : calls_tree_print(&input);
        else if (status == EXIT_OK)
            status = options.common.json ? calls_log_print_json(&input) : calls_log_print(&input);
        calls_input_free(&input);
    }
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    {
        .name = "rules",
        .kind = OPTION_CHOICE,
        .target = offsetof(struct calls_options_of_user, rules),
        .argument = "RULES",
        .choices = rules,
        .help = "as which engine of Chrome DevTools estimates calls:\nnewest (default), or 0.0.65 as published on npm",
    },
    {
        .name = "show-all",
        .kind = OPTION_FLAG,
        .target = offsetof(struct calls_options_of_user, show_all),
        .help = "functions of V8's own runtime, too, and in trees the events\nthat DevTools hides",
    },
    {
        .name = "tree",
        .kind = OPTION_CHOICE,
        .target = offsetof(struct calls_options_of_user, tree),
        .argument = "KIND",
        .choices = trees,
        .help = "calls and events added up: top-down, bottom-up, or each for\nitself (log)",
    },
    {
        .name = "group",
        .kind = OPTION_CHOICE,
        .target = offsetof(struct calls_options_of_user, group),
        .argument = "BY",
        .choices = groups,
        .help = "the first level of a tree by url, category or frame (of the\npage)",
    },
    {
        .name = "sort",
        .kind = OPTION_CHOICE,
        .target = offsetof(struct calls_options_of_user, sort),
        .argument = "KEY",
        .choices = sort_choices,
        .help = "start (default), duration, self or name, then not indented;\n"
                "with --tree total (default), self (bottom-up: default),\n"
                "count or name",
    },
    {
        .name = "reverse",
        .kind = OPTION_FLAG,
        .target = offsetof(struct calls_options_of_user, reverse),
        .help = "the other way round",
    },
    {0},
};

static const struct option_group own_group = {"calls", own_options};

static const struct option choosing_options[] = {
    {
        .name = "thread",
        .letter = 't',
        .kind = OPTION_LIST,
        .target = offsetof(struct common_options, threads),
        .argument = "T",
        .help = "threads: a handle (t-N), a name, 'all' that have calls, a\n"
                "pattern ('worker*'), /REGEX/, pid:N, tid:N, process:NAME;\n"
                "repeatable (the one with the most CPU time, else most\n"
                "samples)",
    },
    OPTION_ENTRY_RANGE,
    OPTION_ENTRY_DURING("while a marker, or an event of a trace, of this name lasts"),
    OPTION_ENTRY_EVENT,
    {
        .name = "search",
        .kind = OPTION_TEXT,
        .target = offsetof(struct common_options, search),
        .argument = "TEXT",
        .help = "only calls whose name or file contains TEXT; after a comma,\n"
                "another that it must contain too; -TEXT, /REGEX/, name:,\n"
                "file:, case: as in 'sonde tree'. Bottom-up: only those are\n"
                "shown on the first level",
    },
    {
        .name = "invert",
        .letter = 'i',
        .kind = OPTION_FLAG,
        .target = offsetof(struct common_options, invert),
        .help = "the same as --tree bottom-up",
    },
    {
        .name = "strategy",
        .kind = OPTION_CHOICE,
        .target = offsetof(struct common_options, strategy),
        .argument = "S",
        .choices = strategy_names,
        .help = "timing: of calls nothing else can be counted",
    },
    {0},
};

static const struct option_group choosing_group = {"choosing what to look at", choosing_options};

static const struct option stack_options[] = {
    OPTION_ENTRY_IMPLEMENTATION,
    {
        .name = "transform",
        .letter = 'T',
        .kind = OPTION_LIST,
        .target = offsetof(struct common_options, transforms),
        .argument = "NAME:ARG",
        .help = "change the stacks, as 'sonde tree --help' tells; repeatable,\napplied left to right",
    },
    OPTION_ENTRY_EXCLUDE_IDLE,
    {
        .name = "select",
        .kind = OPTION_TEXT,
        .target = offsetof(struct common_options, select),
        .argument = "PATH",
        .help = "functions to follow through all transforms; bottom-up from\nthe last one called",
    },
    {0},
};

static const struct option_group stack_group = {"changing what calls are made of", stack_options};

static const struct option output_options[] = {
    OPTION_ENTRY_LIMIT("only the N that take the most time"),
    {
        .name = "depth",
        .kind = OPTION_COUNT,
        .target = offsetof(struct common_options, depth),
        .argument = "N",
        .help = "at most N levels, of calls and events together",
    },
    {
        .name = "min",
        .kind = OPTION_NUMBER,
        .target = offsetof(struct common_options, min),
        .argument = "PERCENT",
        .help = "only what takes at least this share of the time\n(1 where nothing is said and people read it)",
    },
    {
        .name = "min-duration",
        .kind = OPTION_DURATION,
        .target = offsetof(struct calls_options_of_user, min_duration),
        .argument = "TIME",
        .help = "only what takes at least so long: 5ms, 200us, 1.5s",
    },
    OPTION_ENTRY_FULL_NAMES,
    OPTION_ENTRIES_TERMINAL,
    OPTION_ENTRY_JSON,
    {0},
};

static const struct option_group calls_output_group = {"output (a cut is always said: … 12 more)", output_options};

const struct command calls_command = {
    .name = "calls",
    .arguments = "FILE [options]",
    .summary = "timed calls, from samples and the events between them",
    .example = "sonde calls trace.json.gz --range 1.5,1.6",
    .description =
        "Samples tell where a thread was now and then. Together with the events of a trace, or the markers of a\n"
        "profile, they tell which calls there were: start, duration, and the time in the function itself. Of Chrome\n"
        "traces and .cpuprofile files the calls are those that Chrome DevTools estimates; of all other profiles a\n"
        "call lasts from the first sample that has it to the first that has not, or to the end of a marker between.\n"
        "\n"
        "A line is indented below the call that it happened in. With --tree calls and events are added up.\n"
        "\n"
        "With --implementation, --transform, --exclude-idle or --select calls are made of what these leave of samples\n"
        "and their stacks; a sample that is left out ends what ran. A Chrome trace is taken for a profile then, and\n"
        "its calls are not those of DevTools.",
    .examples = "  sonde calls trace.json.gz\n"
                "  sonde calls trace.json.gz --thread 'DedicatedWorker thread' --limit 20\n"
                "  sonde calls trace.json.gz --min-duration 50ms --sort self\n"
                "  sonde calls node.cpuprofile --search app.js --min 0.1\n"
                "  sonde calls trace.json.gz --tree bottom-up --group url\n"
                "  sonde calls profile.json.gz -T collapse-resource:libc.so.6 --exclude-idle\n"
                "  sonde calls profile.json.gz --json --thread all | jq '.threads[].calls | length'\n",
    .groups = {&own_group, &choosing_group, &stack_group, &calls_output_group},
    .run = run,
};
