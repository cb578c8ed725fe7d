/* Holds a profile against what its target wrote down: nothing is lost, nothing is made up. */
#ifndef SONDE_TESTS_CHAOS_KILL_CHECK_H
#define SONDE_TESTS_CHAOS_KILL_CHECK_H

#include "kill_log.h"

#include <stdbool.h>
#include <stddef.h>

struct kill_figures {
    uint64_t published;                            /* markers that must be in the profile */
    uint64_t open;                                 /* streams with one that may be or not */
    uint64_t owed_samples;                         /* samples that must be there … */
    uint64_t lost_samples;                         /* … but for so many */
    uint64_t markers, samples, processes, threads; /* in the profile */
};

enum kill_wanted {
    KILL_WANT_ALL,        /* all that was published must be there */
    KILL_WANT_BEFORE_END, /* all that was published before the target ended */
    KILL_WANT_TRUE,       /* what is there must be true */
};

/* Looks at the profile in a file; `profile` NULL = there is none, which is right where nothing was published. What is
 * wrong is printed, a few lines of it; false then. */
bool kill_check(const struct kill_log *log, const char *profile, enum kill_wanted wanted, struct kill_figures *figures);

#endif
