/* sonde symbolicate: a profile with the names, files and lines of its functions. */
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/modules.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/report.h"
#include "cli/table.h"
#include "export/exporter.h"
#include "print/number.h"

#include <stdio.h>
#include <string.h>

struct symbolicate_command_options {
    const char *file;
    const char *output;
    struct symbol_options symbols;
};

static int write_processed(const void *data, struct byte_sink *sink, struct error *error)
{
    return export_processed(data, sink, error);
}

/* ---- what was found ---- */

static bool print_modules(const struct profile *profile, const struct module_list *modules)
{
    static const struct table_head columns[] = {
        {"samples", ALIGN_RIGHT, 0, KEEP_START},
        {"module", ALIGN_LEFT, 40, KEEP_START},
        {"symbols", ALIGN_LEFT, 0, KEEP_START},
    };
    struct terminal terminal = terminal_of_output(SIZE_MAX, COLOUR_AUTO);
    struct table table;
    table_init(&table, &terminal, columns, 3);
    for (size_t i = 0; i < modules->rows.count; i++) {
        const struct module_row *row = &modules->rows.items[i];
        table_print(&table, STYLE_PLAIN, "%s %%", number_grouped(row->share * 100, 1).text);
        table_add(&table, profile_text(profile, profile->libs.rows.items[row->lib.i].name), STYLE_PLAIN);
        table_print(&table, row->status == SYMBOLS_FULL ? STYLE_PLAIN : STYLE_DIM, "%s%s%.*s%s",
                    module_status_text(row->status), row->detail.length > 0 ? " (" : "", (int)row->detail.length,
                    row->detail.text, row->detail.length > 0 ? ")" : "");
    }
    table_write(&table);
    table_free(&table);
    return !table.failed;
}

static int tell(struct profile *profile, const char *output)
{
    struct module_list modules = {0};
    size_t named = 0;
    bool done = module_list_collect(profile, &modules);
    for (size_t i = 0; i < modules.rows.count; i++)
        named += modules.rows.items[i].status <= SYMBOLS_EXPORTS_ONLY;
    if (done && modules.rows.count > 0 && strcmp(output, "-") != 0)
        done = print_modules(profile, &modules);
    const char *name = output_file_name(output);
    if (modules.rows.count == 0)
        report("%s: no frame says where it is in a module: there is nothing to look up%s", name,
               slice_is(profile_text(profile, profile->meta.product), "perf") ? " (perf script --show-mmap-events says it)"
                                                                              : "");
    else
        report("%s: symbols for %zu of %zu module%s", name, named, modules.rows.count, modules.rows.count == 1 ? "" : "s");
    module_list_free(&modules);
    return output_finish(!done);
}

/* ---- the command ---- */

static int symbolicate(const struct symbolicate_command_options *options)
{
    struct profile profile;
    struct load_options load = {.symbols = LOAD_SYMBOLS_OF_ALL, .search = &options->symbols};
    int status = load_profile_with(options->file, &load, &profile);
    if (status == EXIT_OK)
        status = output_file_write(options->output, write_processed, &profile);
    if (status == EXIT_OK)
        status = tell(&profile, options->output);
    profile_free(&profile);
    return status;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct symbolicate_command_options options = {0};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON)
        status = symbol_options_check(command, &options.symbols);
    if (status == OPTIONS_GO_ON)
        status = options.output ? symbolicate(&options) : usage_error(command, "no -o OUT given");
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    OPTION_ENTRY_OUTPUT(struct symbolicate_command_options),
    OPTION_ENTRIES_SYMBOLS(struct symbolicate_command_options),
    {0},
};
static const struct option_group own_group = {"options", own_options};

const struct command symbolicate_command = {
    .name = "symbolicate",
    .arguments = "FILE -o OUT [options]",
    .summary = "names, files and lines from local binaries and debug files",
    .example = "sonde symbolicate raw.json.gz -o profile.json.gz",
    .description =
        "Reads a profile of any format, looks for the binaries and debug files of its modules on this machine, and writes\n"
        "the profile with the functions, source lines and inlined calls it found, in the processed format. A file is used\n"
        "only if it is the very build that was recorded. Then tells for each module, the one with the most samples first,\n"
        "how much was found; what is missing costs names, never the profile. Debuginfod servers are asked only if\n"
        "DEBUGINFOD_URLS names some.",
    .examples = "  perf script --no-inline --show-mmap-events -F +pid | sonde symbolicate - -o profile.json.gz\n"
                "  sonde symbolicate raw.json.gz -o profile.json.gz\n"
                "  sonde symbolicate raw.json.gz -o profile.json.gz --symbol-dir /srv/debug --symbol-dir ./build\n",
    .groups = {&own_group},
    .run = run,
};
