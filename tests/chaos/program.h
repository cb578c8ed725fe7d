/* Runs a program for a test: with a deadline, whatever it does, and with all that it printed. */
#ifndef SONDE_TESTS_CHAOS_PROGRAM_H
#define SONDE_TESTS_CHAOS_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct program {
    const char *const *words;    /* the command line, ended by NULL */
    const char *const *settings; /* NAME=VALUE for its environment, ended by NULL; may be NULL */
    uint64_t file_limit;         /* RLIMIT_FSIZE; 0 = none */
    unsigned kill_after_us;      /* killed with SIGKILL when it has run so long; 0 = it is left to end */
};

struct ended {
    int status;            /* as waitpid gives it */
    char *output, *errors; /* what it wrote to standard output and standard error, terminated */
};

/* Runs it to its end. One that takes longer than a minute is a deadlock: the stacks of all its threads and children are
 * printed, they are all killed, and the test fails. What it left running is killed, too. */
void program_run(const struct program *program, struct ended *ended);
void ended_free(struct ended *ended);

/* "exit status 3", "signal 9": valid until the next call. */
const char *status_text(int status);

#endif
