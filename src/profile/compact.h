/* Takes out of a profile what none of its rows refers to any more: stacks, frames, functions and native symbols go, and
 * libraries, sources and resources, which keep their places, lose their texts. */
#ifndef SONDE_PROFILE_COMPACT_H
#define SONDE_PROFILE_COMPACT_H

#include "profile/func_changes.h"
#include "profile/profile.h"

/* Functions that stay in any case. */
struct func_roots {
    VEC(uint32_t) funcs; /* a number behind those of the profile stands for a resource */
};

/* `changes` is zeroed, and says what became of the functions. 0 or -ENOMEM: the profile is only good to be freed then. */
int profile_compact(struct profile *profile, const struct func_roots *roots, struct func_changes *changes, struct error *error);

#endif
