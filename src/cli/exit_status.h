/* The exit statuses of the command. */
#ifndef SONDE_CLI_EXIT_STATUS_H
#define SONDE_CLI_EXIT_STATUS_H

enum exit_status {
    EXIT_OK = 0,
    EXIT_DATA = 1,
    EXIT_USAGE = 2,
    EXIT_TOO_MUCH = 3, /* of `leaks`: more than --fail-above; of `diff`: what --fail-if looks for */
    /* of `record`, as env has them: */
    EXIT_NOT_STARTED = 125, /* it failed itself, before the command ran */
    EXIT_CANNOT_RUN = 126,  /* the command is there but cannot be executed */
    EXIT_NOT_FOUND = 127,
};

#endif
