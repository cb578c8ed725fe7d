/* sonde: one command, many questions. */
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/nearest.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pager.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* An option before the command, which is where options of the commands come. */
static int unknown_option(const char *name)
{
    struct slice long_name = slice_of(name + strspn(name, "-"));
    long_name.length = strcspn(long_name.text, "=");
    if (command_with_option(long_name))
        return usage_error(NULL, "'%s' comes after the command: sonde COMMAND FILE %s", name, name);
    struct nearest nearest;
    nearest_start(&nearest, long_name);
    nearest_offer(&nearest, SLICE("help"));
    nearest_offer(&nearest, SLICE("version"));
    if (nearest.best.text)
        return usage_error(NULL, "unknown option '%s'; did you mean '--%s'?", name, nearest.best.text);
    return usage_error(NULL, "unknown option '%s'", name);
}

static int unknown_command(const char *name)
{
    if (name[0] == '-')
        return unknown_option(name);
    struct nearest nearest;
    nearest_start(&nearest, slice_of(name));
    for (const struct command *const *command = all_commands; *command; command++)
        nearest_offer(&nearest, slice_of((*command)->name));
    if (nearest.best.text)
        return usage_error(NULL, "unknown command '%s'; did you mean '%s'?", name, nearest.best.text);
    return usage_error(NULL, "unknown command '%s'", name);
}

static int help(const char *name)
{
    if (!name)
        return help_print(all_commands);
    const struct command *command = command_find(name);
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
    const struct command *command = command_find(name);
    if (!command)
        return unknown_command(name);
    /* A reader that has seen enough (`sonde tree … | head`) ends us without a word, even where our parent ignores it. A
     * program that we run gets the signal as our parent has it. */
    if (!command->takes_words)
        signal(SIGPIPE, SIG_DFL);
    int status = command->run(command, count - 2, arguments + 2);
    pager_end();
    return status;
}
