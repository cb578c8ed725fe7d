/* The calls of threads one by one, in the order in which they began: as an indented log, or as JSON. */
#ifndef SONDE_CLI_CALLS_LOG_H
#define SONDE_CLI_CALLS_LOG_H

#include "cli/calls_input.h"

/* Both return the exit status. */
int calls_log_print(struct calls_input *input);
int calls_log_print_json(struct calls_input *input);

#endif
