/* sonde recover: a profile from what a recording left behind. */
#include "cli/commands.h"
#include "cli/gather.h"

#include <stddef.h>

struct recover_options {
    const char *file;
    const char *output;
    bool gecko;
    struct symbol_options symbols;
};

static int recover(const struct recover_options *options)
{
    struct gathering gathering = {options->file, options->output, options->gecko, {.search = &options->symbols}};
    struct profile profile;
    int status = gather_session(&gathering, &profile);
    if (status == EXIT_OK) {
        gather_report(&gathering, &profile);
        gather_report_notes(&profile);
    }
    profile_free(&profile);
    return status;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct recover_options options = {0};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON)
        status = symbol_options_check(command, &options.symbols);
    if (status == OPTIONS_GO_ON)
        status = options.output ? recover(&options) : usage_error(command, "no -o OUT given");
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    {
        .name = "output",
        .letter = 'o',
        .kind = OPTION_TEXT,
        .target = offsetof(struct recover_options, output),
        .argument = "OUT",
        .help = "where to write (- = standard output); packed if the name\nends in .gz or .zst",
    },
    {
        .name = "gecko",
        .kind = OPTION_FLAG,
        .target = offsetof(struct recover_options, gecko),
        .help = "write the Gecko format instead of the processed one",
    },
    OPTION_ENTRIES_SYMBOLS(struct recover_options),
    {0},
};
static const struct option_group own_group = {"options", own_options};

const struct command recover_command = {
    .name = "recover",
    .arguments = "SESSION -o OUT [options]",
    .summary = "a profile from the session of a recording that was cut off",
    .example = "sonde recover /dev/shm/sonde-x7Yq2a -o profile.json.gz",
    .description =
        "A recorded program writes into files that stay readable whoever is killed: the program, the recorder or\n"
        "both. Reads the folder of such a session, or one of its files, and writes the profile that 'sonde record'\n"
        "would have written, and says what is missing. A file that is damaged costs what is damaged of it, and no other\n"
        "process. The session stays as it is; the programs may even be still running. A session that was\n"
        "not named (sonde record --session) is in a folder sonde-XXXXXX under $TMPDIR, /dev/shm or /tmp: remove it when you\n"
        "have the profile.",
    .examples = "  sonde record --session /var/tmp/night -o night.json.gz ./server\n"
                "  sonde recover /var/tmp/night -o night.json.gz\n",
    .groups = {&own_group},
    .run = run,
};
