/* What a profile file says of itself at its start, without reading the rest: for lists of files. */
#ifndef SONDE_IMPORT_PROFILE_HEAD_H
#define SONDE_IMPORT_PROFILE_HEAD_H

#include <stdbool.h>

struct profile_head {
    char command[200];  /* the command line, or else the name of the program; cut to what fits */
    double duration_ms; /* NaN = unknown */
};

/* False where the file cannot be read or is no processed or Gecko profile whose `meta` comes first, as everybody writes it. */
bool profile_head_read(const char *path, struct profile_head *head);

#endif
