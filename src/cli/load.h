/* Reading the profile a command is about. */
#ifndef SONDE_CLI_LOAD_H
#define SONDE_CLI_LOAD_H

#include "profile/profile.h"

/* Reads `file` (`-` = standard input), with a bar on a terminal while it takes long. `profile` needs no initialisation and is
 * to be freed in any case. EXIT_OK, or EXIT_DATA after saying what is wrong. */
int load_profile(const char *file, struct profile *profile);

/* How messages and headings name it: "standard input" for `-`. */
const char *load_name(const char *file);

#endif
