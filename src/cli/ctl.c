/* sonde ctl: a session that is being recorded, from outside. */
#include "cli/commands.h"
#include "cli/gather.h"
#include "cli/output.h"
#include "cli/report.h"
#include "common/count.h"
#include "record/control.h"
#include "record/recording_folder.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct ctl_options {
    const char *session;
    const char *action;
    const char *output;
    bool no_symbols;
    struct symbol_options symbols;
};

static const struct {
    const char *name;
    enum link_command command;
    const char *done;
} actions[] = {
    {"status", LINK_COMMAND_STATUS, NULL},        {"pause", LINK_COMMAND_PAUSE, "paused"},
    {"resume", LINK_COMMAND_RESUME, "recording"}, {"stop", LINK_COMMAND_STOP, "stopped: its recorder writes the profile"},
    {"dump", LINK_COMMAND_STATUS, NULL},
};

/* Reads what is there now. The processes record on meanwhile, and their recorder knows nothing of it. */
static int dump(const struct ctl_options *options)
{
    struct gathering gathering = {
        .session = options->session,
        .output = options->output ? options->output : "profile.json.gz",
        .load = {.symbols = options->no_symbols ? LOAD_NO_SYMBOLS : LOAD_SYMBOLS_OF_SESSIONS, .search = &options->symbols},
    };
    struct profile profile;
    int status = gather_session(&gathering, &profile);
    if (status == EXIT_OK)
        gather_report(&gathering, &profile);
    profile_free(&profile);
    return status;
}

static bool has_session(const char *path)
{
    struct recording_folder folder = {0};
    return snprintf(folder.path, sizeof folder.path, "%s", path) < (int)sizeof folder.path &&
           recording_folder_has_files(&folder);
}

static int control(const struct ctl_options *options, size_t action)
{
    static struct control_answer answer;
    struct error error = {0};
    int failed = control_ask(options->session, actions[action].command, &answer, &error);
    if (failed == -ECONNREFUSED && !has_session(options->session)) {
        report("%s: there is no session in this folder", options->session);
        return EXIT_DATA;
    }
    if (failed == -ECONNREFUSED) {
        report("%s: %s: sonde recover %s -o OUT makes a profile of it", options->session, error.message, options->session);
        return EXIT_DATA;
    }
    if (failed)
        return report_file(options->session, &error);
    if (strcmp(actions[action].name, "dump") == 0)
        return dump(options);
    if (actions[action].done)
        printf("%s\n", actions[action].done);
    else
        fputs(answer.text, stdout);
    return output_finish(false);
}

static int run(const struct command *command, int count, char **arguments)
{
    struct ctl_options options = {0};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON)
        status = symbol_options_check(command, &options.symbols);
    if (status == OPTIONS_GO_ON) {
        size_t action = 0;
        while (action < COUNT(actions) && strcmp(actions[action].name, options.action) != 0)
            action++;
        if (action == COUNT(actions))
            status = usage_error(command, "'%s' is none of status, pause, resume, stop and dump", options.action);
        else if (options.output && strcmp(options.action, "dump") != 0)
            status = usage_error(command, "--output belongs to dump");
        else
            status = control(&options, action);
    }
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    {
        .name = "output",
        .letter = 'o',
        .kind = OPTION_TEXT,
        .target = offsetof(struct ctl_options, output),
        .argument = "FILE",
        .help = "of dump: where to write (profile.json.gz)",
    },
    {
        .name = "no-symbols",
        .kind = OPTION_FLAG,
        .target = offsetof(struct ctl_options, no_symbols),
        .help = "of dump: leave functions as addresses",
    },
    OPTION_ENTRIES_SYMBOLS(struct ctl_options),
    {0},
};
static const struct option_group own_group = {"options", own_options};

const struct command ctl_command = {
    .name = "ctl",
    .arguments = "SESSION status|pause|resume|stop|dump [options]",
    .summary = "pauses, stops or dumps a session that is being recorded",
    .example = "sonde ctl /var/tmp/night dump -o now.json.gz",
    .description = "Talks to the recorder of a session, which is named by its folder (see 'sonde record --session'):\n"
                   "\n"
                   "  status   whether it records, how many processes there are, and how much they hold of the limit\n"
                   "  pause    all processes stop taking samples and markers, also those that start meanwhile\n"
                   "  resume   they go on\n"
                   "  stop     ends the recording: its recorder writes the profile and ends, the programs go on\n"
                   "  dump     writes a profile of what is there now, while the recording goes on\n"
                   "\n"
                   "With a --buffer-size that a recording may run at for days, 'dump' is a flight recorder: when something\n"
                   "happened, it has what was before.",
    .examples = "  sonde record --session /var/tmp/night --buffer-size 64MiB ./server &\n"
                "  sonde ctl /var/tmp/night status\n"
                "  sonde ctl /var/tmp/night dump -o incident.json.gz\n",
    .groups = {&own_group},
    .operand = "SESSION",
    .second_operand = "ACTION",
    .run = run,
};
