/* Why `sonde lines` has no line of a function to show. */
#ifndef SONDE_CLI_MISSING_LINES_H
#define SONDE_CLI_MISSING_LINES_H

#include "profile/profile.h"

/* Prints one line that says it, and what would help. */
void missing_lines_print(const struct profile *profile, struct func_index func);

#endif
