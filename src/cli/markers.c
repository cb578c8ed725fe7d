/* sonde markers: what the program said it was doing, one by one or added up. */
#include "cli/commands.h"
#include "cli/cut.h"
#include "cli/markers_groups.h"
#include "cli/markers_list.h"

static const char *const sort_choices[] = {"count", "total", "self", "median", "avg",      "p95",
                                           "min",   "max",   "name", "start",  "duration", NULL};
_Static_assert(MARKER_KEY_COUNT == 0 && MARKER_KEY_DURATION == 10, "in the order of the choices");

static int check_options(const struct command *command, const struct markers_options *options)
{
    enum marker_key key = (enum marker_key)options->sort;
    bool of_both = key == MARKER_KEY_DEFAULT || key == MARKER_KEY_NAME || key == MARKER_KEY_SELF;
    if (options->list && options->group)
        return usage_error(command, "--group adds markers up, and --list shows them one by one");
    if (options->list && options->histogram)
        return usage_error(command, "--histogram is of markers that are added up, and --list shows them one by one");
    if (!of_both && options->list != (key >= MARKER_KEY_START))
        return usage_error(command, "--sort %s %s", sort_choices[key],
                           options->list ? "is of markers that are added up, without --list" : "needs --list");
    return OPTIONS_GO_ON;
}

static int show(struct markers *markers)
{
    int status = markers_find(markers);
    if (status != 0)
        status = selection_report(&markers->selection);
    else
        status = markers->options->list ? markers_list_print(markers) : markers_groups_print(markers);
    markers_free(markers);
    return status;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct markers_options options = {.sort = MARKER_KEY_DEFAULT};
    struct markers markers = {.options = &options};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON)
        status = check_options(command, &options);
    if (status == OPTIONS_GO_ON) {
        status = selection_open(&markers.selection, command, &options.common);
        if (status == EXIT_OK)
            status = show(&markers);
        selection_free(&markers.selection);
    }
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    {
        .name = "list",
        .letter = 'l',
        .kind = OPTION_FLAG,
        .target = offsetof(struct markers_options, list),
        .help = "one marker a line, in the order of their start",
    },
    {
        .name = "group",
        .kind = OPTION_TEXT,
        .target = offsetof(struct markers_options, group),
        .argument = "BY",
        .help = "add them up by name (default), category, type, thread, or\na field of what they say",
    },
    {
        .name = "sort",
        .kind = OPTION_CHOICE,
        .target = offsetof(struct markers_options, sort),
        .argument = "KEY",
        .choices = sort_choices,
        .help = "count (default), total, self, min, median, avg, p95, max or\n"
                "name; with --list start (default), duration, self or name",
    },
    {
        .name = "reverse",
        .kind = OPTION_FLAG,
        .target = offsetof(struct markers_options, reverse),
        .help = "the other way round",
    },
    {
        .name = "min-duration",
        .kind = OPTION_DURATION,
        .target = offsetof(struct markers_options, min_duration),
        .argument = "TIME",
        .help = "only markers that last at least so long: 5ms, 200us, 1.5s",
    },
    {
        .name = "histogram",
        .kind = OPTION_FLAG,
        .target = offsetof(struct markers_options, histogram),
        .help = "how the durations are spread, from the shortest on the left\n"
                "to the longest; `log`: parts grow by the same factor",
    },
    {0},
};

static const struct option_group own_group = {"markers", own_options};

const struct command markers_command = {
    .name = "markers",
    .arguments = "FILE [options]",
    .summary = "markers by name or field, or with --list one by one",
    .example = "sonde markers profile.json.gz --list --search 'GC,-cat:DOM'",
    .description = "Markers are what a program said it was doing: moments, or times with a start and an end. Without --list\n"
                   "they are added up by name, or as --group says: how many, and how long those took that have an end:\n"
                   "together, by themselves (self: without the markers inside them on their thread, of those that --search\n"
                   "finds), the shortest, half of them at most (median), on average, 95% of them at most (p95), the longest.\n"
                   "--min is a share of the time that is looked at.\n"
                   "\n"
                   "Here --search looks at markers: TEXT,TEXT finds those with either text in their name, category, type\n"
                   "or fields; name:TEXT, cat:TEXT, type:TEXT and FIELD:TEXT look at one of these; -name:TEXT takes away\n"
                   "what has it, and duration:1ms..2s (or 5ms.., ..1s) all that lasts longer, shorter, or not at all.\n"
                   "--transform and --implementation change the stacks of markers, which --list --json\n"
                   "shows; options that choose samples only change nothing here.",
    .examples = "  sonde markers profile.json.gz\n"
                "  sonde markers profile.json.gz --search name:Request --group url --sort p95 --histogram\n"
                "  sonde markers profile.json.gz --list --min-duration 50ms --sort duration\n"
                "  sonde markers profile.json.gz --thread all --range 2,2.5 --list\n"
                "  sonde markers profile.json.gz --list --json | jq '.markers[] | select(.end - .start > 50)'\n",
    .groups = {&own_group, &selection_group, &output_group},
    .searches_otherwise = true,
    .run = run,
};
