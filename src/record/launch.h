/* Starting the program that is to be recorded. */
#ifndef SONDE_RECORD_LAUNCH_H
#define SONDE_RECORD_LAUNCH_H

#include "common/error.h"
#include "record/environment.h"
#include "record/signals.h"

#include <sys/types.h>

struct launch {
    const char *path;                /* the file … */
    char *const *words;              /* … and the command line, whose first word may be another name of it */
    struct environment *environment; /* gets the variable below, with the new process id … */
    const char *pid_variable;        /* … by which the library tells the process from its children; NULL = it is not set */
    const struct signals *signals;   /* given back in the program */
};

/* 0 once the program itself runs, with its process id. A negative errno where it does not: `*exec_failed` tells whether it was
 * the program that could not be executed, or this process that failed before. */
int launch_program(const struct launch *launch, pid_t *pid, bool *exec_failed, struct error *error);

#endif
