/* What power_events.c and power_files.c share. */
#ifndef SONDE_CAPTURE_COUNTERS_POWER_PRIVATE_H
#define SONDE_CAPTURE_COUNTERS_POWER_PRIVATE_H

#include "capture/counters/power.h"

#define JOULE_IN_PWH (1e12 / 3600)

struct power_names {
    const char *event;     /* perf */
    uint64_t config;       /* perf: where the event's file does not say */
    const char *file_name; /* powercap: what `name` starts with */
    const char *shown;
};
extern const struct power_names power_names[POWER_DOMAIN_COUNT];

/* Each die of AMD shows the count of its package, and `core` that of one core. */
bool power_is_amd(const char *root);

/* Appends it, unless it is one of those; how many there are then. */
size_t power_add(struct power_source *sources, size_t count, const struct power_source *source, bool amd);

#endif
