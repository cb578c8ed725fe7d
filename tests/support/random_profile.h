/* Small random profiles with something of everything: recursion, scripts and native code, inlined frames, samples without
 * stacks, weights, CPU times, allocations, markers. The same seed gives the same profile. */
#ifndef SONDE_TESTS_RANDOM_PROFILE_H
#define SONDE_TESTS_RANDOM_PROFILE_H

#include "profile/profile.h"

struct random {
    uint64_t state; /* the seed, to begin with */
};

uint32_t random_below(struct random *random, uint32_t limit);
bool random_chance(struct random *random, uint32_t one_in);

enum random_weights {
    RANDOM_WEIGHTS_ANY,      /* none, or whole numbers of both signs */
    RANDOM_WEIGHTS_POSITIVE, /* none, or whole numbers above 0 */
};

/* Finished, to be given to profile_free(). All functions have names of their own. */
void random_profile(struct profile *profile, struct random *random, enum random_weights weights);

#endif
