/* What the allocations of a profile come to, in a few lines: for `sonde info`, and for the end of a recording. */
#ifndef SONDE_CLI_MEMORY_USE_H
#define SONDE_CLI_MEMORY_USE_H

#include "cli/output.h"
#include "profile/allocation_facts.h"
#include "tree/allocation_peak.h"

struct memory_use {
    struct allocation_facts facts;
    struct allocation_peak peak;
    double zero;      /* what times count from, ms */
    double allocated; /* bytes, as exact as they are known */
};

/* Of all threads. */
int memory_use_find(const struct profile *profile, double zero, struct memory_use *use, struct error *error);

/* Whether there is anything to say. */
static inline bool memory_use_is_known(const struct memory_use *use)
{
    return use->peak.any || use->facts.present;
}

/* "memory     12.4 MiB ±0.6 at the peak, after 1.23 s; …", and how they were recorded. */
void memory_use_print(const struct memory_use *use);

/* The key `allocations`: an object, or null. */
void memory_use_put(struct json_output *output, const struct memory_use *use);

#endif
