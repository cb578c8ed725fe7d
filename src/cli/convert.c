/* sonde convert: the same profile in another format. */
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/folded_weights.h"
#include "cli/load.h"
#include "cli/output_file.h"
#include "cli/pprof_counts.h"
#include "cli/report.h"
#include "cli/threads.h"
#include "export/exporter.h"

#include <errno.h>
#include <stdio.h>

enum format { FORMAT_BY_NAME, FORMAT_PROCESSED, FORMAT_FOLDED, FORMAT_CHROME, FORMAT_PPROF };
static const char *const formats[] = {"auto", "processed", "folded", "chrome", "pprof", NULL};

struct convert_options {
    struct common_options common;
    const char *output;
    int format;
};

static enum format format_of_name(const char *path)
{
    struct slice name = slice_of(path);
    static const struct slice packings[] = {SLICE(".gz"), SLICE(".zst")};
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++)
        if (slice_ends_with(name, packings[i])) {
            name.length -= packings[i].length;
            break;
        }
    if (slice_ends_with(name, SLICE(".trace.json")))
        return FORMAT_CHROME;
    if (slice_ends_with(name, SLICE(".json")))
        return FORMAT_PROCESSED;
    if (slice_ends_with(name, SLICE(".folded")) || slice_ends_with(name, SLICE(".collapsed")) ||
        slice_ends_with(name, SLICE(".txt")))
        return FORMAT_FOLDED;
    if (slice_ends_with(name, SLICE(".pb")) || slice_ends_with(name, SLICE(".pprof")))
        return FORMAT_PPROF;
    return FORMAT_BY_NAME;
}

/* Folded stacks know no threads: without --thread the stacks of all are added up. */
static int choose_threads(const struct profile *profile, const struct convert_options *options, struct thread_list *threads)
{
    static const char *all = "all";
    const struct text_list everything = {{&all, 1, 1}};
    const struct text_list *names = &options->common.threads;
    struct error error = {0};
    enum strategy strategy = (enum strategy)options->common.strategy;
    if (options->format != FORMAT_FOLDED)
        return EXIT_OK;
    if (threads_choose(profile, names->values.count > 0 ? names : &everything, threads, &error) == 0) {
        if (strategy_is_available(profile, threads->items.items, threads->items.count, strategy))
            return EXIT_OK;
        error_set(&error, -ENODATA, "strategy %s: the profile holds no such data", strategy_names[strategy]);
    }
    return report_file(load_name(options->common.file), &error);
}

struct conversion {
    const struct profile *profile;
    const struct thread_list *threads;
    int format;
    enum strategy strategy;
};

static int write_folded(const struct conversion *conversion, struct byte_sink *sink, struct error *error)
{
    const struct thread_index *threads = conversion->threads->items.items;
    size_t count = conversion->threads->items.count;
    struct folded_counted counted;
    if (conversion->strategy == STRATEGY_TIMING)
        return export_folded(conversion->profile, threads, count, NULL, sink, error);
    if (folded_counted_init(&counted, conversion->profile, conversion->strategy, error))
        return error->code;
    int status = export_folded(conversion->profile, threads, count, &counted.weights, sink, error);
    folded_counted_free(&counted);
    return status;
}

static int write_pprof(const struct profile *profile, struct byte_sink *sink, struct error *error)
{
    struct pprof_counted counted;
    if (pprof_counted_init(&counted, profile, error))
        return error->code;
    int status = export_pprof(profile, &counted.counts, sink, error);
    pprof_counted_free(&counted);
    return status;
}

static int write_profile(const void *data, struct byte_sink *sink, struct error *error)
{
    const struct conversion *conversion = data;
    if (conversion->format == FORMAT_FOLDED)
        return write_folded(conversion, sink, error);
    if (conversion->format == FORMAT_CHROME)
        return export_chrome_trace(conversion->profile, sink, error);
    if (conversion->format == FORMAT_PPROF)
        return write_pprof(conversion->profile, sink, error);
    return export_processed(conversion->profile, sink, error);
}

static int check(const struct command *command, struct convert_options *options)
{
    if (!options->output)
        return usage_error(command, "no -o OUT given");
    if (options->format == FORMAT_BY_NAME)
        options->format = (int)format_of_name(options->output);
    if (options->format == FORMAT_BY_NAME)
        return usage_error(command, "the name '%s' does not tell the format: give --to", options->output);
    if (options->format != FORMAT_FOLDED && options->common.threads.values.count > 0)
        return usage_error(command, "--thread is for --to folded; this format holds all threads");
    if (options->format != FORMAT_FOLDED && options->common.strategy != STRATEGY_TIMING)
        return usage_error(command, "--strategy is for --to folded");
    return OPTIONS_GO_ON;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct convert_options options = {0};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON)
        status = check(command, &options);
    if (status == OPTIONS_GO_ON) {
        struct profile profile;
        struct thread_list threads = {0};
        struct load_options load = {.import = {.thin = options.common.thin, .event = options.common.event}};
        status = load_profile_with(options.common.file, &load, &profile);
        if (status == EXIT_OK)
            status = choose_threads(&profile, &options, &threads);
        if (status == EXIT_OK)
            status = output_file_write(
                options.output, write_profile,
                &(struct conversion){&profile, &threads, options.format, (enum strategy)options.common.strategy});
        vec_free(&threads.items);
        profile_free(&profile);
    }
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    OPTION_ENTRY_OUTPUT(struct convert_options),
    {
        .name = "to",
        .kind = OPTION_CHOICE,
        .target = offsetof(struct convert_options, format),
        .argument = "FORMAT",
        .choices = formats,
        .help = "processed (Firefox Profiler), folded (a;b;c 12), chrome\n"
                "(trace events) or pprof; auto, the default, goes by the\n"
                "name: .trace.json is chrome, any other .json is processed,\n"
                ".folded, .collapsed and .txt are folded, .pb and .pprof are\n"
                "pprof",
    },
    {
        .name = "thread",
        .letter = 't',
        .kind = OPTION_LIST,
        .target = offsetof(struct common_options, threads),
        .argument = "T",
        .help = "folded: only this thread (t-N or its name); repeatable",
    },
    {
        .name = "strategy",
        .kind = OPTION_CHOICE,
        .target = offsetof(struct common_options, strategy),
        .argument = "S",
        .choices = strategy_names,
        .help = "folded: what is counted, as in 'sonde tree': timing (default),\n"
                "cpu, allocations …; times in microseconds",
    },
    OPTION_ENTRY_THIN,
    OPTION_ENTRY_EVENT,
    {0},
};
static const struct option_group own_group = {"options", own_options};

const struct command convert_command = {
    .name = "convert",
    .arguments = "FILE -o OUT [options]",
    .summary = "to another format: processed (Firefox Profiler), folded, Chrome trace, pprof",
    .example = "sonde convert perf.txt -o perf.json.gz",
    .description =
        "Reads a profile of any format and writes it in another one. Processed profiles open in the Firefox\n"
        "Profiler and are written in the oldest version of the format that can hold them. Chrome traces open in\n"
        "Chrome DevTools, Perfetto and chrome://tracing. pprof profiles have all that is known of each stack: samples, wall\n"
        "and CPU time, allocations; threads are labels.",
    .examples = "  perf script | sonde convert - -o perf.json.gz\n"
                "  sonde convert profile.json.gz -o - --to folded --thread t-0 | flamegraph.pl > profile.svg\n"
                "  sonde convert app.json.gz -o - --to folded --strategy cpu | flamegraph.pl --countname us > cpu.svg\n"
                "  sonde convert profile.json.gz -o profile.trace.json.gz\n"
                "  sonde convert profile.json.gz -o profile.pb.gz && go tool pprof -top profile.pb.gz\n",
    .groups = {&own_group},
    .run = run,
};
