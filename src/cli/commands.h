/* The commands, one file each. */
#ifndef SONDE_CLI_COMMANDS_H
#define SONDE_CLI_COMMANDS_H

#include "cli/options.h"

extern const struct command record_command;
extern const struct command ctl_command;
extern const struct command recover_command;
extern const struct command info_command;
extern const struct command tree_command;
extern const struct command butterfly_command;
extern const struct command functions_command;
extern const struct command lines_command;
extern const struct command markers_command;
extern const struct command calls_command;
extern const struct command convert_command;
extern const struct command report_command;
extern const struct command symbolicate_command;
extern const struct command view_command;

#endif
