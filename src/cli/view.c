/* sonde view: a profile in the browser, served on this machine only. */
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/recordings.h"
#include "cli/report.h"
#include "cli/serve.h"

struct view_options {
    struct text_list files;
    const char *diff; /* the profile that the first file is compared with */
    bool firefox, no_open;
    struct optional_count port;
    struct text_list source_folders;
    struct symbol_options symbols;
};

/* The newest recordings of the folder, after a list of them. */
static int choose_newest(struct recordings *recordings, struct text_list *files)
{
    int failed = recordings_find(".", recordings);
    if (failed) {
        report("the current folder: %s", error_text(-failed));
        return EXIT_DATA;
    }
    if (recordings->count == 0) {
        report("there is no recording in this folder: give a FILE, or make one with 'sonde record'");
        return EXIT_DATA;
    }
    for (size_t i = 0; i < recordings->count; i++)
        if (!vec_push(&files->values, recordings->items[i].name)) {
            report("out of memory");
            return EXIT_DATA;
        }
    return output_finish(!recordings_print(recordings));
}

/* The profile of the other side can be looked at, too: it is the second of the list. */
static int add_base(const struct view_options *options, struct text_list *files)
{
    struct text_list all = {0};
    bool fits = true;
    for (size_t i = 0; i < files->values.count && fits; i++)
        fits = (i != 1 || vec_push(&all.values, options->diff)) && vec_push(&all.values, files->values.items[i]);
    if (files->values.count == 1)
        fits = fits && vec_push(&all.values, options->diff);
    vec_free(&files->values);
    *files = all;
    if (fits)
        return EXIT_OK;
    report("out of memory");
    return EXIT_DATA;
}

static int view_files(const struct view_options *options, struct text_list *files, const struct site *site)
{
    struct recordings recordings = {0};
    int status = files->values.count > 0 ? EXIT_OK : choose_newest(&recordings, files);
    if (status == EXIT_OK && options->diff)
        status = add_base(options, files);
    if (status == EXIT_OK) {
        struct serve_options serve = {
            .files = files->values.items,
            .file_count = files->values.count,
            .firefox = options->firefox,
            .no_open = options->no_open,
            .port = (uint16_t)options->port.value,
            .site = *site,
            .base = options->diff,
            .search = {&options->symbols, &options->source_folders},
        };
        status = serve_files(&serve);
    }
    recordings_free(&recordings);
    return status;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct view_options options = {0};
    struct site site;
    struct error error = {0};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON)
        status = symbol_options_check(command, &options.symbols);
    if (status == OPTIONS_GO_ON && options.port.value > UINT16_MAX)
        status = usage_error(command, "--port: a number from 0 to %u is wanted", UINT16_MAX);
    if (status == OPTIONS_GO_ON && options.diff && options.firefox)
        status = usage_error(command, "--diff: the Firefox Profiler cannot show it");
    if (status == OPTIONS_GO_ON && options.diff && options.files.values.count == 0)
        status = usage_error(command, "--diff %s: a FILE to compare it with is wanted", options.diff);
    if (status == OPTIONS_GO_ON && serve_site(&site, &error))
        status = usage_error(command, "%s", error.message);
    if (status == OPTIONS_GO_ON)
        status = view_files(&options, &options.files, &site);
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    {
        .name = "diff",
        .kind = OPTION_TEXT,
        .target = offsetof(struct view_options, diff),
        .argument = "BASE",
        .help =
            "compare FILE with this profile: its page has a panel for\nwhat changed since, as 'sonde diff BASE FILE' says it",
    },
    {
        .name = "firefox",
        .kind = OPTION_FLAG,
        .target = offsetof(struct view_options, firefox),
        .help = "in the Firefox Profiler, whose page comes from the internet",
    },
    {
        .name = "port",
        .kind = OPTION_COUNT,
        .target = offsetof(struct view_options, port),
        .argument = "N",
        .help = "serve at this port (0: one that is free)",
    },
    {
        .name = "no-open",
        .kind = OPTION_FLAG,
        .target = offsetof(struct view_options, no_open),
        .help = "print the address only, and open no browser",
    },
    {
        .name = "source-dir",
        .kind = OPTION_LIST,
        .target = offsetof(struct view_options, source_folders),
        .argument = "DIR",
        .help = "look here first for source files; repeatable",
    },
    OPTION_ENTRIES_SYMBOLS(struct view_options),
    {0},
};
static const struct option_group own_group = {"options", own_options};

const struct command view_command = {
    .name = "view",
    .arguments = "[FILE...] [options]",
    .summary = "the profile in a browser",
    .example = "sonde view profile.json.gz",
    .description =
        "Reads a profile of any format, or a session, serves it on this machine only, and opens a page on it in a browser,\n"
        "with symbols, source files and instructions from here. Nothing of it comes from the internet, or goes there. Ctrl-C\n"
        "ends it. Of several FILEs the first is shown, and the page has a list of all. Without a FILE these are the newest\n"
        "recordings of the current folder.\n"
        "\n"
        "--firefox opens the Firefox Profiler's site instead, which runs in the browser, too: the profile is not uploaded\n"
        "anywhere. PROFILER_URL names another deployment of it.\n"
        "\n"
        "The address is printed, too. It has a secret in it: whoever knows it, and can reach this machine's loopback, can see\n"
        "the profile. Only pages of this server and of the Firefox Profiler may ask.",
    .examples = "  sonde view\n"
                "  sonde view before.json.gz after.json.gz\n"
                "  sonde view --diff before.json.gz after.json.gz\n"
                "  sonde view profile.json.gz --port 8080 --no-open\n"
                "  sonde view --firefox perf.txt\n",
    .groups = {&own_group},
    .optional_file = true,
    .many_files = true,
    .run = run,
};
