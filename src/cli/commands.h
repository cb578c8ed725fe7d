/* The commands, one file each. */
#ifndef SONDE_CLI_COMMANDS_H
#define SONDE_CLI_COMMANDS_H

#include "cli/command.h"
#include "common/slice.h"

extern const struct command record_command;
extern const struct command ctl_command;
extern const struct command recover_command;
extern const struct command info_command;
extern const struct command top_command;
extern const struct command tree_command;
extern const struct command butterfly_command;
extern const struct command functions_command;
extern const struct command lines_command;
extern const struct command leaks_command;
extern const struct command diff_command;
extern const struct command markers_command;
extern const struct command calls_command;
extern const struct command convert_command;
extern const struct command report_command;
extern const struct command symbolicate_command;
extern const struct command view_command;

/* All of them, in the order of the help; NULL after the last. */
extern const struct command *const all_commands[];

/* NULL = there is none. */
const struct command *command_find(const char *name);

/* The first one that takes this option (without its dashes). */
const struct command *command_with_option(struct slice name);

#endif
