#include "cli/help.h"

#include "cli/output.h"

#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 30 };

int help_print(const struct command *const *commands)
{
    puts("usage: sonde COMMAND FILE [options]\n"
         "       sonde record [options] CMD [ARGS...]\n\n"
         "Records programs, reads profiles (its own and those of the Firefox Profiler, Gecko, V8 .cpuprofile, Chrome\n"
         "traces, perf script, folded stacks; plain, gzip or zstd) and answers questions about them. FILE may be - (standard "
         "input).\n");
    for (const struct command *const *command = commands; *command; command++)
        printf("  %-11s %s\n              $ %s\n", (*command)->name, (*command)->summary, (*command)->example);
    puts("\n"
         "  sonde COMMAND --help    what a command takes and prints, with examples\n"
         "  sonde --version         the version\n\n"
         "Exit status: 0 it worked, 1 the input or the data does not allow it, 2 wrong usage; of record that of CMD.");
    return output_finish(false);
}

/* The text of an option, each of its lines at the same column. */
static void print_indented(const char *text)
{
    for (const char *line_end; (line_end = strchr(text, '\n')); text = line_end + 1)
        printf("%.*s\n%*s", (int)(line_end - text), text, HELP_COLUMN, "");
    puts(text);
}

static void print_option(const struct option *option)
{
    char left[80];
    int width = option->letter ? snprintf(left, sizeof left, "  -%c, --%s", option->letter, option->name)
                               : snprintf(left, sizeof left, "      --%s", option->name);
    if (option->argument)
        width += snprintf(left + width, sizeof left - (size_t)width, option->kind == OPTION_MAYBE ? "[=%s]" : " %s",
                          option->argument);
    printf("%s", left);
    if (width >= HELP_COLUMN)
        printf("\n%*s", HELP_COLUMN, "");
    else
        printf("%*s", HELP_COLUMN - width, "");
    print_indented(option->help);
}

int help_print_command(const struct command *command)
{
    printf("usage: sonde %s %s\n\n%s\n", command->name, command->arguments, command->description);
    for (const struct option_group *const *group = command->groups; *group; group++) {
        printf("\n%s:\n", (*group)->title);
        for (const struct option *option = (*group)->options; option->name; option++)
            print_option(option);
    }
    printf("\n  -h, --help                  this text\n\nexamples:\n%s", command->examples);
    return output_finish(false);
}
