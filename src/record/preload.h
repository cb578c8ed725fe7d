/* What is loaded into recorded programs: libraries, and a script into those of Node. */
#ifndef SONDE_RECORD_PRELOAD_H
#define SONDE_RECORD_PRELOAD_H

#include "common/error.h"
#include "record/environment.h"

#include <limits.h>

enum preload_library {
    PRELOAD_RECORDER,    /* libsonde-preload */
    PRELOAD_ALLOCATIONS, /* libsonde-allocations, behind it, where allocations are recorded */
    PRELOAD_NODE,        /* a script: what Node programs tell performance.mark and its like becomes markers */
};

/* Where it is: beside this executable (as it is built), or in the folder of libraries of its prefix (as it is installed). 0, or
 * -ENOENT with a message that says where it was looked for. */
int preload_find(enum preload_library library, char path[PATH_MAX], struct error *error);

/* Puts it in front of what LD_PRELOAD already says, and has AddressSanitizer, in whatever is started, agree to that. */
int preload_add(struct environment *environment, const char *path, struct error *error);

/* Has all Node programs load the script before their own. */
int preload_add_to_node(struct environment *environment, const char *path, struct error *error);

#endif
