/* Holds a profile against what its target wrote down: nothing is lost, nothing is made up. */
#ifndef SONDE_TESTS_CHAOS_KILL_CHECK_H
#define SONDE_TESTS_CHAOS_KILL_CHECK_H

#include "kill_log.h"

#include <stdbool.h>

struct kill_figures {
    uint64_t published;                            /* markers that must be in the profile */
    uint64_t open;                                 /* streams with one that may be or not */
    uint64_t markers, samples, processes, threads; /* in the profile */
};

/* Looks at the profile in a file; `profile` NULL = there is none, which is right where nothing was published. What is wrong is
 * printed, a few lines of it; false then. `complete` = all that was published must be there. */
bool kill_check(const struct kill_log *log, const char *profile, bool complete, struct kill_figures *figures);

#endif
