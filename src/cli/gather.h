/* From a session to a profile file: what `record` ends with, and all that `recover` does. */
#ifndef SONDE_CLI_GATHER_H
#define SONDE_CLI_GATHER_H

#include "cli/load.h"

struct gathering {
    const char *session; /* its folder, or one of its files */
    const char *output;
    bool gecko; /* in the Gecko format instead of the processed one */
    struct load_options load;
};

/* Reads the session into `profile`, which needs no initialisation and is to be freed in any case, and writes it. EXIT_OK, or
 * EXIT_DATA after saying what is wrong. */
int gather_session(const struct gathering *gathering, struct profile *profile);

/* One line on standard error: file, samples, losses, duration. */
void gather_report(const struct gathering *gathering, const struct profile *profile);

/* What is to be known about the recording, a line each: what is missing, and why. */
void gather_report_notes(const struct profile *profile);

#endif
