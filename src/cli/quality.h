/* How good a recording is, as the profile itself tells. */
#ifndef SONDE_CLI_QUALITY_H
#define SONDE_CLI_QUALITY_H

#include "profile/profile.h"

/* NaN = unknown: profiles that others made do not say. */
struct quality {
    double expected, taken, lost;    /* samples */
    double truncated;                /* stacks whose oldest frames are missing */
    double stopped_p50, stopped_p99; /* ms a thread was held for a sample */
    const uint8_t *notes;            /* a packed array of texts for people; NULL = none */
};

struct quality quality_of(const struct profile *profile);

#endif
