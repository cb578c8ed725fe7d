#include "cli/commands.h"

const struct command *const all_commands[] = {
    &record_command,
    &ctl_command,
    /* questions */
    &view_command,
    &info_command,
    &top_command,
    &tree_command,
    &butterfly_command,
    &functions_command,
    &lines_command,
    &leaks_command,
    &diff_command,
    &markers_command,
    &calls_command,
    /* files */
    &symbolicate_command,
    &convert_command,
    &report_command,
    &recover_command,
    NULL,
};

const struct command *command_find(const char *name)
{
    for (const struct command *const *command = all_commands; *command; command++)
        if (strcmp((*command)->name, name) == 0)
            return *command;
    return NULL;
}

const struct command *command_with_option(struct slice name)
{
    for (const struct command *const *command = all_commands; *command; command++)
        for (const struct option_group *const *group = (*command)->groups; *group; group++)
            for (const struct option *option = (*group)->options; option->name; option++)
                if (slice_equal(slice_of(option->name), name))
                    return *command;
    return NULL;
}
