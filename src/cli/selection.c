#include "cli/selection.h"

#include "cli/during.h"
#include "cli/load.h"
#include "cli/nearest.h"
#include "cli/report.h"
#include "cli/similar_func.h"
#include "print/estimate.h"
#include "profile/quality.h"
#include "profile/time_span.h"
#include "tree/allocation_peak.h"
#include "tree/search_terms.h"

#include <errno.h>
#include <math.h>
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
                "youngest), native-temporary-allocations (freed at once)",
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

/* `OPTION 'TEXT': MESSAGE` instead of the engine's message alone. */
static void blame(struct error *error, const char *option, const char *text)
{
    struct error blamed = {0};
    error_set(&blamed, error->code, "%s '%s': %s", option, text, error->message);
    *error = blamed;
}

int selection_find_func(struct selection *selection, const char *option, const char *text, uint32_t *func)
{
    if (func_parse(selection->whole.funcs, slice_of(text), func, &selection->error) == 0)
        return EXIT_OK;
    similar_func_add(selection->whole.funcs, slice_of(text), &selection->error);
    blame(&selection->error, option, text);
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
            blame(&selection->error, "--transform", text);
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
        blame(&selection->error, "--select", text);
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

/* What is asked of allocations: those of a process stand with its main thread, whoever made them. */
static bool is_of_allocations(const struct common_options *options)
{
    return options->at || !strategy_is_of_samples((enum strategy)options->strategy);
}

/* Without --thread all that have allocations; or the busiest one. */
static int choose_threads(struct selection *selection)
{
    const struct common_options *options = selection->options;
    const struct profile *profile = &selection->profile;
    enum strategy strategy = options->at ? STRATEGY_NATIVE_RETAINED : (enum strategy)options->strategy;
    if (is_of_allocations(options) && options->threads.values.count == 0)
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

/* ---- printing ---- */

static void put_path(struct json_output *output, const char *key, const struct func_list *funcs, const struct path *path)
{
    json_write_key(output->writer, key);
    if (path->funcs.count == 0) {
        json_write_null(output->writer);
        return;
    }
    json_write_begin_array(output->writer);
    for (size_t i = 0; i < path->funcs.count; i++)
        json_write_string(output->writer, func_list_name(funcs, path->funcs.items[i]));
    json_write_end_array(output->writer);
}

void json_put_transforms(struct json_output *output, const struct selection *selection, const struct path *selected)
{
    const struct text_list *transforms = &selection->options->transforms;
    json_write_key(output->writer, "transforms");
    json_write_begin_array(output->writer);
    for (size_t i = 0; i < transforms->values.count; i++)
        json_write_text(output->writer, transforms->values.items[i]);
    json_write_end_array(output->writer);
    if (selection->query.selected)
        put_path(output, "selected", selection->whole.funcs, selected);
}

void json_put_selection(struct json_output *output, const struct selection *selection, const struct answer *answer,
                        const char *key_of_file)
{
    json_put_text(output, key_of_file, selection->options->file);
    json_put_threads(output, &selection->profile, &selection->threads);
    json_put_text(output, "weightType", weight_type_name(answer->weights.type));
    json_put_number(output, "sampleCount", (double)answer->tree.row_count);
    json_put_number(output, "rootTotal", answer->tree.root_total);
    json_put_boolean(output, "inverted", selection->options->invert);
    if (selection->query.group != GROUP_NONE)
        json_put_text(output, "group", grouping_names[selection->query.group]);
    json_put_transforms(output, selection, &answer->selected);
}

void json_put_func(struct json_output *output, const struct func_list *funcs, uint32_t func)
{
    if (func_list_is_grouped(funcs))
        json_put_null(output, "func");
    else
        json_put_handle(output, "func", 'f', func);
    json_put_slice(output, "name", func_list_name(funcs, func));
    json_put_slice_or_null(output, "lib", func_list_resource_name(funcs, func));
}

void json_put_uncertainty(struct json_output *output, const char *key, struct uncertainty uncertainty)
{
    char name[40];
    snprintf(name, sizeof name, "%sError", key);
    json_put_number(output, name, uncertainty_is_few(uncertainty) ? NAN : uncertainty_error(uncertainty));
}

void json_put_tiers(struct json_output *output, const struct tier_list *tiers, uint32_t func)
{
    if (tier_list_main(tiers, func).tier == TIER_NONE)
        return;
    json_write_key(output->writer, "tiers");
    json_write_begin_object(output->writer);
    for (enum frame_tier tier = TIER_NONE + 1; tier < TIER_COUNT; tier++) {
        double share = tier_list_share(tiers, func, tier);
        if (share > 0) {
            json_write_key_slice(output->writer, frame_tier_name(tier));
            json_write_number(output->writer, share);
        }
    }
    json_write_end_object(output->writer);
}

static void print_threads(const struct selection *selection, struct line *line, const struct terminal *terminal)
{
    const struct profile *profile = &selection->profile;
    const struct thread_list *threads = &selection->threads;
    if (threads->items.count > 4) {
        line_print(line, "threads  %zu, added up", threads->items.count);
        output_line(line);
        return;
    }
    for (size_t i = 0; i < threads->items.count; i++) {
        const struct thread *thread = &profile->threads.items[threads->items.items[i].i];
        line_print(line, "thread   t-%u ", threads->items.items[i].i);
        line_add_name(line, profile_text(profile, thread->name), terminal->width / 2);
        struct slice process = thread_process_name(profile, thread);
        if (process.length > 0) {
            line_print(line, " of ");
            line_add_name(line, process, terminal->width / 4);
        }
        struct slice pid = profile_text(profile, thread->pid);
        line_print(line, ", pid %.*s", (int)pid.length, pid.text);
        output_line(line);
    }
}

/* By their ids; 0 where the heap is empty. */
static size_t count_processes(const struct profile *profile)
{
    struct map pids = {0};
    size_t count = 0;
    bool failed = false;
    for (size_t i = 0; i < profile->threads.count && !failed; i++) {
        uint32_t pid = profile->threads.items[i].pid.i, row = 0;
        bool known = false;
        for (struct map_probe probe = map_probe(&pids, hash_u64(pid)); !known && map_probe_next(&probe, &row);)
            known = row == pid;
        count += !known;
        failed = !known && !map_insert(&pids, hash_u64(pid), pid);
    }
    map_free(&pids);
    return failed ? 0 : count;
}

static bool any_thread_counts_cpu(const struct profile *profile)
{
    for (size_t i = 0; i < profile->threads.count; i++)
        if (strategy_is_of_thread(profile, &profile->threads.items[i], STRATEGY_CPU))
            return true;
    return false;
}

/* Where one thread was chosen for want of --thread: that there are others, and how to see them all. */
static void print_others(const struct selection *selection, bool of_samples, struct line *line)
{
    const struct profile *profile = &selection->profile;
    const struct common_options *options = selection->options;
    if (options->threads.values.count > 0 || profile->threads.count < 2 || is_of_allocations(options))
        return;
    size_t processes = count_processes(profile);
    bool by_cpu = of_samples && options->strategy == STRATEGY_TIMING && any_thread_counts_cpu(profile);
    line_print(line, "         … of %s threads", number_grouped((double)profile->threads.count, 0).text);
    if (processes > 1)
        line_print(line, " in %s processes", number_grouped((double)processes, 0).text);
    line_print(line, "; all together%s: %s%s--thread all%s", by_cpu ? ", by CPU time" : "",
               selection->command ? selection->command : "", selection->command ? " " : "", by_cpu ? " --strategy cpu" : "");
    output_line(line);
}

static void print_filter(struct line *line, const char *name, const char *value, const struct terminal *terminal)
{
    line_print(line, "filter   %s", name);
    if (value) {
        line_print(line, " ");
        line_add_name(line, slice_of(value), terminal->width - line->width);
    }
    output_line(line);
}

static void print_during(const struct selection *selection, struct line *line, const struct terminal *terminal)
{
    double ms = 0;
    for (size_t i = 0; i < selection->during.items.count; i++)
        ms += selection->during.items.items[i].end - selection->during.items.items[i].start;
    line_print(line, "filter   --during ");
    line_add_name(line, slice_of(selection->options->during), terminal->width / 2);
    line_print(line, ": %s", number_duration(ms).text);
    if (selection->during.items.count > 1)
        line_print(line, " in %s ranges", number_grouped((double)selection->during.items.count, 0).text);
    output_line(line);
}

/* Of several events that the file had: which one is shown, and how to see the others. */
static void print_event(const struct selection *selection, struct line *line, const struct terminal *terminal)
{
    struct quality quality = quality_of(&selection->profile);
    if (slice_is(quality.samples_of, "events")) {
        line_print(line, "note     the file has no samples: events are shown as calls, with the time that they took");
        output_line(line);
    }
    if (quality.event.length == 0 || !quality.events)
        return;
    const char *before = "";
    struct value events = value_read(quality.events);
    const uint8_t *at = events.rest;
    line_print(line, "event    ");
    line_add_name(line, quality.event, terminal->width / 2);
    line_print(line, "; with --event also ");
    for (uint32_t i = 0; i < events.count; i++, at = value_skip(at)) {
        struct slice name = profile_text(&selection->profile, value_read_key(&at));
        struct value samples = value_read(at);
        double count;
        if (slice_equal(name, quality.event) || !value_as_number(&samples, &count))
            continue;
        line_print(line, "%s", before);
        line_add_name(line, name, terminal->width / 2);
        line_print(line, " (%s)", number_grouped(count, 0).text);
        before = ", ";
    }
    output_line(line);
}

void print_filters(const struct selection *selection, struct line *line, const struct terminal *terminal)
{
    const struct common_options *options = selection->options;
    print_event(selection, line, terminal);
    if (options->range.given)
        print_filter(line, "--range", options->range.text, terminal);
    if (options->during)
        print_during(selection, line, terminal);
    for (size_t i = 0; i < options->transforms.values.count; i++)
        print_filter(line, "--transform", options->transforms.values.items[i], terminal);
    if (options->implementation != IMPLEMENTATION_COMBINED)
        print_filter(line, "--implementation", implementation_choices[options->implementation], terminal);
    if (options->search)
        print_filter(line, "--search", options->search, terminal);
    if (options->exclude_idle)
        print_filter(line, "--exclude-idle", NULL, terminal);
    if (options->strategy != STRATEGY_TIMING)
        print_filter(line, "--strategy", strategy_names[options->strategy], terminal);
    if (options->at)
        print_filter(line, "--at", options->at, terminal);
    if (options->blocks)
        print_filter(line, "--blocks", NULL, terminal);
    if (options->thin)
        print_filter(line, "--thin", NULL, terminal);
    if (options->group != GROUP_NONE)
        print_filter(line, "--group", grouping_names[options->group], terminal);
}

/* Whether a sample counts for the ms until the next one, which is not what every profile's samples do. Those of pprof are sums
 * that stand one after the other, and those that were made of events are none. */
static bool counts_time_until_next(const struct selection *selection)
{
    const struct profile *profile = &selection->profile;
    if (slice_is(profile_text(profile, profile->meta.product), "pprof") || slice_is(quality_of(profile).samples_of, "events"))
        return false;
    if (selection->options->strategy != STRATEGY_TIMING)
        return selection->options->strategy == STRATEGY_TIME;
    for (size_t i = 0; i < selection->threads.items.count; i++)
        if (!sample_table_weights_follow(&selection->profile.threads.items[selection->threads.items.items[i].i].samples))
            return false;
    return true;
}

/* "2,976 samples", "12.5 ms in 12 rows": the sum that all percentages refer to. */
static void print_sum(const struct selection *selection, const struct answer *answer, struct line *line)
{
    enum weight_type type = answer->weights.type;
    if (answer->tree.self_uncertainty) {
        struct estimate_text total = estimate_text(answer->tree.root_total, answer->tree.root_uncertainty, type, false);
        line_print(line, "total    ");
        line_add(line, slice_of(total.text), total.width);
        if (type == WEIGHT_BLOCKS)
            line_print(line, " blocks");
    } else {
        line_print(line, "total    %s %s", number_weight(answer->tree.root_total, type).text,
                   number_unit(answer->tree.root_total, type));
    }
    if (type == WEIGHT_TRACING_MS && counts_time_until_next(selection))
        line_print(line, " in %s samples, each for the time until the next",
                   number_grouped((double)answer->tree.row_count, 0).text);
    else if (type != WEIGHT_SAMPLES)
        line_print(line, " in %s row%s", number_grouped((double)answer->tree.row_count, 0).text,
                   answer->tree.row_count == 1 ? "" : "s");
    output_line(line);
}

void print_selection(const struct selection *selection, const struct answer *answer, const struct terminal *terminal)
{
    struct line line = {0};
    print_threads(selection, &line, terminal);
    print_others(selection, answer != NULL, &line);
    print_filters(selection, &line, terminal);
    if (answer) {
        print_sum(selection, answer, &line);
        putchar('\n');
    }
    line_free(&line);
}

void print_selected(const struct selection *selection, const struct path *selected)
{
    if (!selection->query.selected)
        return;
    struct line line = {0};
    line_add(&line, SLICE("\nselected "), 9);
    if (selected->funcs.count == 0)
        line_print(&line, "(gone)");
    for (size_t i = 0; i < selected->funcs.count; i++) {
        if (i > 0)
            line_add(&line, SLICE(";"), 1);
        line_add_name(&line, func_list_name(selection->whole.funcs, selected->funcs.items[i]), SIZE_MAX);
    }
    output_line(&line);
    line_free(&line);
}
