/* sonde: one command, many questions. */
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/nearest.h"
#include "cli/output.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command *const commands[] = {
    &record_command,      &ctl_command,       &view_command,   &info_command,    &tree_command,
    &butterfly_command,   &functions_command, &lines_command,  &markers_command, &calls_command,
    &symbolicate_command, &convert_command,   &report_command, &recover_command, NULL,
};

static const struct command *find_command(const char *name)
{
    for (const struct command *const *command = commands; *command; command++)
        if (strcmp((*command)->name, name) == 0)
            return *command;
    return NULL;
}

static int unknown_command(const char *name)
{
    if (name[0] == '-')
        return usage_error(NULL, "unknown option '%s'", name);
    struct nearest nearest;
    nearest_start(&nearest, slice_of(name));
    for (const struct command *const *command = commands; *command; command++)
        nearest_offer(&nearest, slice_of((*command)->name));
    if (nearest.best.text)
        return usage_error(NULL, "unknown command '%s'; did you mean '%s'?", name, nearest.best.text);
    return usage_error(NULL, "unknown command '%s'", name);
}

static int help(const char *name)
{
    if (!name)
        return help_print(commands);
    const struct command *command = find_command(name);
    return command ? help_print_command(command) : unknown_command(name);
}

int main(int count, char **arguments)
{
    static char buffer[1 << 16];
    if (!isatty(STDOUT_FILENO))
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);

    if (count < 2)
        return usage_error(NULL, "no command given");
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return help(count > 2 ? arguments[2] : NULL);
    if (strcmp(name, "--version") == 0) {
        puts("sonde " SONDE_VERSION);
        return output_finish(false);
    }
    const struct command *command = find_command(name);
    if (!command)
        return unknown_command(name);
    /* A reader that has seen enough (`sonde tree … | head`) ends us without a word, even where our parent ignores it. A
     * program that we run gets the signal as our parent has it. */
    if (!command->takes_words)
        signal(SIGPIPE, SIG_DFL);
    return command->run(command, count - 2, arguments + 2);
}
