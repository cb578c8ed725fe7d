/* The profile that an api's own is compared with: which of its threads, functions and transforms stand for those of a state. */
#ifndef SONDE_API_BASE_PROFILE_H
#define SONDE_API_BASE_PROFILE_H

#include "api/first_view.h"
#include "api/state.h"
#include "tree/view.h"

struct base_profile {
    const struct profile *profile;
    char *name; /* as people are told it */
    struct view whole;
    struct first_view first;
    uint32_t *func_of; /* for each func of the api's profile; INDEX_NONE = there is none of this name; NULL = not made yet */
};

/* The profile must outlive it. NULL with `error` filled. */
struct base_profile *base_profile_open(const struct profile *profile, const char *name, struct error *error);
void base_profile_close(struct base_profile *base); /* NULL is fine */

/* The functions of the api's profile have changed. */
void base_profile_forget_funcs(struct base_profile *base);

/* The same question about this profile, without its ranges: which are of one recording only. Threads are
 *
 *     those that are shown at first, and all     where the state has these of its own profile
 *     those of the same names                    where it has all of a name
 *     the nth of that name                       where it has some of them only
 *
 * Transforms go by names. 0, or a negative errno with `error` filled; `asked` needs no initialisation, and is to be freed by
 * state_free() in any case. */
int base_profile_query(struct base_profile *base, const struct view *whole, const struct first_view *first,
                       const struct state *state, struct state *asked, struct error *error);

#endif
