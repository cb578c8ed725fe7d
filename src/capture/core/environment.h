/* What the SONDE_… variables ask for. A program that runs with other rights than its user ignores them all. */
#ifndef SONDE_CAPTURE_CORE_ENVIRONMENT_H
#define SONDE_CAPTURE_CORE_ENVIRONMENT_H

#include "capture/core/core.h"

#include <stdbool.h>

struct environment {
    bool help;
    bool foreign; /* SONDE_SESSION_PID names another process: nothing is to be done for this one */
    bool start, signals;
    bool joins;    /* a recording that a recorder began: its folder is there, or it is over */
    bool children; /* those that are forked are recorded, too: into the folder that the recorder gave */
    int log_level;
    struct sonde_start_options options; /* texts point into the environment */
    const char *shutdown_path;          /* NULL = none */
};

/* `get` looks a variable up (getenv). -EINVAL with a message that names the variable and what is allowed. */
int environment_read(struct environment *environment, const char *(*get)(const char *name), int pid, struct error *error);

/* The text of SONDE_HELP, to standard output. */
void environment_help(void);

#endif
