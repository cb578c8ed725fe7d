/* How well the functions of each module are known, and how many samples that concerns. */
#ifndef SONDE_PROFILE_MODULE_FACTS_H
#define SONDE_PROFILE_MODULE_FACTS_H

#include "profile/profile.h"

/* Native code without a symbol is named after its address: "0x12ab". */
bool module_name_is_address(struct slice name);

struct module_facts {
    size_t frames;       /* that have an address in it */
    size_t samples;      /* of all threads, that have such a frame */
    bool is_noted;       /* its symbols were looked for, by whoever made the profile or since */
    bool has_names;      /* some function of it has a name */
    struct slice status; /* "full", "no-file" … (symbols/request.h) as noted, else as its frames look like */
    struct slice detail; /* may be empty */
};

struct profile_facts {
    VEC(struct module_facts) modules; /* one for each lib of the profile */
    size_t samples;                   /* that have a stack */
    size_t unnamed;                   /* … with a frame in it that is named after its address */
};

/* False when the heap is empty. `facts` needs no initialisation and is to be freed in any case; its texts are the profile's. */
bool profile_facts_collect(const struct profile *profile, struct profile_facts *facts);
void profile_facts_free(struct profile_facts *facts);

#endif
