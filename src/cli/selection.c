#include "cli/selection.h"

#include "cli/during.h"
#include "cli/load.h"
#include "cli/nearest.h"
#include "cli/report.h"
#include "cli/similar_func.h"
#include "profile/time_span.h"
#include "tree/allocation_peak.h"
#include "tree/search_terms.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const char *const implementation_choices[] = {"combined", "js", "cpp", NULL};
_Static_assert(IMPLEMENTATION_COMBINED == 0 && IMPLEMENTATION_JS == 1 && IMPLEMENTATION_CPP == 2,
               "in the order of the choices");

static const struct option selection_options[] = {
    {
        .name = "thread",
        .letter = 't',
        .kind = OPTION_LIST,
        .target = offsetof(struct common_options, threads),
        .argument = "T",
        .help = "threads: a handle (t-N, from 'sonde info'), a name, 'all',\n"
                "a pattern ('worker*'), /REGEX/, pid:N, tid:N or\n"
                "process:NAME; repeatable, samples are then added up\n"
                "(the thread with the most CPU time, else most samples)",
    },
    OPTION_ENTRY_RANGE,
    OPTION_ENTRY_DURING(
        "while a marker of this name lasts; where there is none,\none that this finds as --search of 'sonde markers' does"),
    OPTION_ENTRY_IMPLEMENTATION,
    {
        .name = "search",
        .kind = OPTION_TEXT,
        .target = offsetof(struct common_options, search),
        .argument = "TEXT",
        .help = "keep samples with a function, library or file name that\n"
                "contains TEXT; after a comma, another that must match too;\n"
                "-TEXT: samples without it; /REGEX/: POSIX extended; name:,\n"
                "lib:, file:, cat: (category), thread: look there alone;\n"
                "case:TEXT: upper and lower case as they are written;\n"
                "a backslash takes the meaning from a comma or a minus",
    },
    {
        .name = "transform",
        .letter = 'T',
        .kind = OPTION_LIST,
        .target = offsetof(struct common_options, transforms),
        .argument = "NAME:ARG",
        .help = "change the tree; repeatable, applied left to right:\n"
                "focus-subtree:PATH      focus-function:F\n"
                "focus-self:F            focus-category:C\n"
                "merge-call-node:PATH    merge-function:F\n"
                "drop-function:F         collapse-resource:LIB\n"
                "collapse-recursion:F    collapse-direct-recursion:F\n"
                "collapse-function-subtree:F\n"
                "keep-matching:TEXT      drop-matching:TEXT\n"
                "merge-matching:TEXT     collapse-matching:TEXT\n"
                "filter-samples:KIND:VALUE, where KIND is marker-search,\n"
                "outside-marker, function-include, stack-prefix or\n"
                "stack-suffix. F is f-N or a name, PATH is A;B;C from\n"
                "the root, TEXT is as of --search. NAME+js:, NAME+cpp: only\n"
                "those frames count; NAME+inverted: PATH starts at the leaf",
    },
    {
        .name = "invert",
        .letter = 'i',
        .kind = OPTION_FLAG,
        .target = offsetof(struct common_options, invert),
        .help = "bottom-up: from the functions samples ended in to callers",
    },
    OPTION_ENTRY_EXCLUDE_IDLE,
    {
        .name = "select",
        .kind = OPTION_TEXT,
        .target = offsetof(struct common_options, select),
        .argument = "PATH",
        .help = "a node to follow through all transforms",
    },
    {
        .name = "strategy",
        .kind = OPTION_CHOICE,
        .target = offsetof(struct common_options, strategy),
        .argument = "S",
        .choices = strategy_names,
        .help = "what is counted: timing (default: each sample with its\n"
                "weight), time (each for the ms until the next), samples\n"
                "(each once), cpu, js-allocations, native-allocations,\n"
                "native-retained-allocations, native-deallocations-memory,\n"
                "native-deallocations-sites; native-peak-allocations (at the\n"
                "peak), native-leaked-allocations (never freed, but for the\n"
                "youngest), native-temporary-allocations (freed at once);\n"
                "page-faults (record --page-faults)",
    },
    OPTION_ENTRY_THIN,
    OPTION_ENTRY_EVENT,
    {0},
};

const struct option_group selection_group = {"choosing what to look at", selection_options};

static const struct option allocation_options[] = {
    {
        .name = "at",
        .kind = OPTION_TEXT,
        .target = offsetof(struct common_options, at),
        .argument = "TIME",
        .help = "what was allocated and not freed then: peak, or seconds\n"
                "after the start of the profile, or 5ms; -A: before the end;\n"
                "with --range only what was allocated in it",
    },
    {
        .name = "blocks",
        .kind = OPTION_FLAG,
        .target = offsetof(struct common_options, blocks),
        .help = "count blocks of memory, not bytes",
    },
    {
        .name = "younger-than",
        .kind = OPTION_DURATION,
        .target = offsetof(struct common_options, younger_than),
        .argument = "T",
        .help = "native-temporary-allocations: what lived less than this\n(1 ms)",
    },
    {0},
};

const struct option_group allocation_group = {"allocations", allocation_options};

/* ---- transforms ---- */

static int unknown_transform(const struct command *command, const char *text, struct slice name)
{
    struct nearest nearest;
    nearest_start(&nearest, name);
    for (int type = 0; type < TRANSFORM_TYPES; type++)
        nearest_offer(&nearest, slice_of(transform_name((enum transform_type)type)));
    if (nearest.best.text)
        return usage_error(command, "--transform '%s': there is no transform '%.*s'; did you mean '%s'?", text,
                           (int)name.length, name.text, nearest.best.text);
    return usage_error(command, "--transform '%s': there is no transform '%.*s'", text, (int)name.length, name.text);
}

/* What can be said of a transform before any profile is read. */
static int check_transform(const struct command *command, const char *text)
{
    size_t length = strcspn(text, ":");
    if (text[length] == '\0')
        return usage_error(command, "--transform '%s': NAME:ARGUMENT is wanted, such as merge-function:main", text);
    struct slice name = {text, strcspn(text, "+:")};
    for (int type = 0; type < TRANSFORM_TYPES; type++)
        if (slice_equal(name, slice_of(transform_name((enum transform_type)type)))) {
            struct error error = {0};
            if (transform_check(slice_of(text), &error) != -EINVAL)
                return EXIT_OK;
            return usage_error(command, "--transform '%s': %s", text, error.message);
        }
    return unknown_transform(command, text, name);
}

static int check_transforms(const struct command *command, const struct text_list *texts)
{
    int status = EXIT_OK;
    for (size_t i = 0; i < texts->values.count && status == EXIT_OK; i++)
        status = check_transform(command, texts->values.items[i]);
    return status;
}

/* ---- names of functions ---- */

/* For the first of several functions that there is not, those that may have been meant. */
static void add_similar_funcs(const struct func_list *funcs, const char *path, struct error *error)
{
    for (;; path++) {
        struct slice name = {path, strcspn(path, ";")};
        struct error ignored = {0};
        uint32_t func;
        if (func_parse(funcs, name, &func, &ignored) != 0) {
            similar_func_add(funcs, name, error);
            return;
        }
        path += name.length;
        if (*path == '\0')
            return;
    }
}

/* The functions that a transform names; NULL where it names something else. */
static const char *transform_path(const char *text)
{
    static const char *const others[] = {"focus-category", "collapse-resource", "filter-samples",   "keep-matching",
                                         "drop-matching",  "merge-matching",    "collapse-matching"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(text, others[i], strlen(others[i])) == 0)
            return NULL;
    return strchr(text, ':') + 1;
}

/* `WHAT: MESSAGE` instead of the engine's message alone. */
__attribute__((format(printf, 2, 3))) static void blame(struct error *error, const char *what, ...)
{
    struct error blamed = {0};
    char text[sizeof blamed.message];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    error_set(&blamed, error->code, "%s: %s", text, error->message);
    *error = blamed;
}

int selection_find_func(struct selection *selection, const char *option, const char *text, uint32_t *func)
{
    if (func_parse(selection->whole.funcs, slice_of(text), func, &selection->error) == 0)
        return EXIT_OK;
    similar_func_add(selection->whole.funcs, slice_of(text), &selection->error);
    size_t used = strlen(selection->error.message);
    if (used > 0 && selection->error.message[used - 1] == '\'')
        snprintf(selection->error.message + used, sizeof selection->error.message - used, " ('sonde functions' lists them)");
    if (option)
        blame(&selection->error, "%s", option);
    return selection_report(selection);
}

static int parse_transforms(struct selection *selection)
{
    const struct text_list *texts = &selection->options->transforms;
    for (size_t i = 0; i < texts->values.count; i++) {
        const char *text = texts->values.items[i];
        struct transform transform;
        int status = transform_parse(selection->whole.funcs, slice_of(text),
                                     (enum implementation)selection->options->implementation, &transform, &selection->error);
        if (status != 0) {
            if (transform_path(text))
                add_similar_funcs(selection->whole.funcs, transform_path(text), &selection->error);
            blame(&selection->error, "--transform '%s'", text);
            return status;
        }
        if (!vec_push(&selection->transforms.items, transform)) {
            transform_free(&transform);
            return error_out_of_memory(&selection->error);
        }
    }
    return 0;
}

static int parse_selected(struct selection *selection)
{
    const char *text = selection->options->select;
    if (!text)
        return 0;
    int status = path_parse(selection->whole.funcs, slice_of(text), &selection->selected, &selection->error);
    if (status != 0) {
        add_similar_funcs(selection->whole.funcs, text, &selection->error);
        blame(&selection->error, "--select '%s'", text);
    }
    return status;
}

/* ---- the query ---- */

double selection_zero(const struct selection *selection)
{
    return profile_time_span(&selection->profile).start;
}

static struct time_range range_of(const struct selection *selection)
{
    const struct seconds_range *range = &selection->options->range;
    if (!range->given)
        return (struct time_range){NAN, NAN};
    struct time_span span = profile_time_span(&selection->profile);
    double start, end;
    range_option_resolve(range, (span.end - span.start) / 1000, &start, &end);
    return (struct time_range){
        .start = isfinite(start) ? span.start + start * 1000 : NAN,
        .end = isfinite(end) ? span.start + end * 1000 : NAN,
    };
}

/* --at is an end, and what is retained up to there. */
static bool parse_at(const char *text, struct seconds_range *range)
{
    char both[64];
    int length = snprintf(both, sizeof both, ",%s", text);
    return length > 1 && length < (int)sizeof both && range_option_parse(both, range) && !range->end.from_start;
}

static bool at_is_peak(const struct common_options *options)
{
    return strcmp(options->at, "peak") == 0;
}

static void query_at(struct selection *selection, struct query *query)
{
    struct seconds_range range;
    if (query->strategy == STRATEGY_TIMING)
        query->strategy = at_is_peak(selection->options) ? STRATEGY_NATIVE_PEAK : STRATEGY_NATIVE_RETAINED;
    if (at_is_peak(selection->options) || !parse_at(selection->options->at, &range))
        return;
    struct time_span span = profile_time_span(&selection->profile);
    double start, end;
    range_option_resolve(&range, (span.end - span.start) / 1000, &start, &end);
    end = span.start + end * 1000;
    query->range.end = isnan(query->range.end) || end < query->range.end ? end : query->range.end;
    /* Processes that had ended by then held nothing any more. */
    struct thread_list *threads = &selection->threads;
    size_t kept = 0;
    for (size_t i = 0; i < threads->items.count; i++)
        if (allocation_process_end(&selection->profile.threads.items[threads->items.items[i].i]) > query->range.end)
            threads->items.items[kept++] = threads->items.items[i];
    threads->items.count = query->thread_count = kept > 0 ? kept : threads->items.count;
}

static void make_query(struct selection *selection)
{
    const struct common_options *options = selection->options;
    struct query query = query_default();
    query.threads = selection->threads.items.items;
    query.thread_count = selection->threads.items.count;
    query.range = range_of(selection);
    query.implementation = (enum implementation)options->implementation;
    if (options->search)
        query.search = slice_of(options->search);
    query.transforms = selection->transforms.items.items;
    query.transform_count = selection->transforms.items.count;
    query.inverted = options->invert;
    query.exclude_idle = options->exclude_idle;
    query.strategy = (enum strategy)options->strategy;
    query.group = (enum grouping)options->group;
    query.blocks = options->blocks;
    if (options->younger_than.given)
        query.younger_than = options->younger_than.value;
    if (options->at)
        query_at(selection, &query);
    query.selected = options->select ? &selection->selected : NULL;
    selection->query = query;
}

/* Only the time of the markers of --during: for all that is asked. */
static int selection_stay_within(struct selection *selection)
{
    struct view within;
    if (during_find(&selection->profile, &selection->threads, selection->options->during, &selection->during,
                    &selection->error) != 0 ||
        time_ranges_filter(&selection->whole, &selection->during, false, &within, &selection->error) != 0)
        return selection_report(selection);
    view_free(&selection->whole);
    selection->whole = within;
    return EXIT_OK;
}

bool selection_is_of_allocations(const struct common_options *options)
{
    return options->at || !strategy_is_of_samples((enum strategy)options->strategy);
}

/* Without --thread all that have allocations; or the busiest one. */
static int choose_threads(struct selection *selection)
{
    const struct common_options *options = selection->options;
    const struct profile *profile = &selection->profile;
    enum strategy strategy = options->at ? STRATEGY_NATIVE_RETAINED : (enum strategy)options->strategy;
    if (selection_is_of_allocations(options) && options->threads.values.count == 0)
        for (size_t i = 0; i < profile->threads.count; i++)
            if (strategy_is_of_thread(profile, &profile->threads.items[i], strategy) &&
                !vec_push(&selection->threads.items, thread_at(i)))
                return error_out_of_memory(&selection->error);
    if (selection->threads.items.count > 0)
        return 0;
    return threads_choose(profile, &options->threads, &selection->threads, &selection->error);
}

int selection_of_loaded(struct selection *selection)
{
    const struct common_options *options = selection->options;
    if (choose_threads(selection) != 0 || view_open(&selection->profile, &selection->whole, &selection->error) != 0 ||
        parse_transforms(selection) != 0 || parse_selected(selection) != 0)
        return selection_report(selection);
    make_query(selection);
    return options->during ? selection_stay_within(selection) : EXIT_OK;
}

int selection_check(const struct command *command, const struct common_options *options)
{
    int status = check_transforms(command, &options->transforms);
    if (status == EXIT_OK && options->select && options->select[0] == '\0')
        status = usage_error(command, "--select: PATH is empty");
    struct seconds_range at;
    if (status == EXIT_OK && options->at && !at_is_peak(options) && !parse_at(options->at, &at))
        status = usage_error(command, "--at '%s': peak is wanted, or a time such as 1.5 or 20ms", options->at);
    if (status == EXIT_OK && options->at && options->strategy != STRATEGY_TIMING &&
        (strategy_is_of_samples((enum strategy)options->strategy) ||
         (at_is_peak(options) && options->strategy != STRATEGY_NATIVE_PEAK)))
        status = usage_error(command, "--at %s is about allocations that are not freed, not --strategy %s", options->at,
                             strategy_names[options->strategy]);
    if (status == EXIT_OK && options->select && options->group != GROUP_NONE)
        status =
            usage_error(command, "--select follows a function, and --group %s leaves none", grouping_names[options->group]);
    return status;
}

int selection_check_search(const struct command *command, const struct common_options *options)
{
    struct error error = {0};
    /* Without memory nothing is known; whoever searches says so. */
    if (command->searches_otherwise || !options->search || search_terms_check(slice_of(options->search), &error) != -EINVAL)
        return EXIT_OK;
    return usage_error(command, "--search: %s", error.message);
}

int selection_open_with(struct selection *selection, const struct command *command, const struct common_options *options,
                        const struct load_options *load)
{
    *selection = (struct selection){.options = options};
    profile_init(&selection->profile);
    int status = selection_check(command, options);
    if (status == EXIT_OK)
        status = selection_check_search(command, options);
    if (status != EXIT_OK)
        return status;
    struct load_options with = load ? *load : (struct load_options){0};
    with.import.thin = options->thin;
    with.import.event = options->event;
    status = load_profile_with(options->file, &with, &selection->profile);
    return status == EXIT_OK ? selection_of_loaded(selection) : status;
}

int selection_open(struct selection *selection, const struct command *command, const struct common_options *options)
{
    return selection_open_with(selection, command, options, NULL);
}

void selection_free(struct selection *selection)
{
    path_free(&selection->selected);
    transform_list_free(&selection->transforms);
    view_free(&selection->whole);
    vec_free(&selection->threads.items);
    vec_free(&selection->during.items);
    profile_free(&selection->profile);
}

int selection_report(const struct selection *selection)
{
    return report_file(load_name(selection->options->file), &selection->error);
}
