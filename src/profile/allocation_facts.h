/* How the allocations of a recording were recorded, as the profile itself tells (meta.sonde.allocations). */
#ifndef SONDE_PROFILE_ALLOCATION_FACTS_H
#define SONDE_PROFILE_ALLOCATION_FACTS_H

#include "profile/profile.h"

/* NaN, or an empty text = unknown. */
struct allocation_facts {
    bool present;           /* the profile says something */
    struct slice mode;      /* "adaptive", "fixed", "all" */
    struct slice allocator; /* path of the library whose malloc was called */
    double mean;            /* bytes: of "fixed", and of "adaptive" at first */
    double budget;          /* of "adaptive": the share of the CPU time */
    double cost_ms, cpu_ms; /* what recording them took, and the CPU time of all threads */
    double allocated_bytes; /* by all allocations, recorded or not */
    double recorded, lost, frees_missed;
    double unseen; /* processes that have an allocator of their own, whose blocks are not seen */
};

struct allocation_facts allocation_facts_of(const struct profile *profile);

#endif
