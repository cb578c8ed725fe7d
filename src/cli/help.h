/* `sonde --help` and `sonde COMMAND --help`, made from the commands' own tables. */
#ifndef SONDE_CLI_HELP_H
#define SONDE_CLI_HELP_H

#include "cli/command.h"

/* Both return the exit status. */
int help_print(const struct command *const *commands);
int help_print_command(const struct command *command);

#endif
