/* Where a machine says how much energy it has used: the kernel's power events (RAPL through perf, finer, but mostly for
 * administrators), and the files of powercap, which since 2020 only root may read unless somebody allows it.
 *
 *     ROOT/sys/bus/event_source/devices/power/{type,cpumask,events/energy-pkg,events/energy-pkg.scale,…}
 *     ROOT/sys/class/powercap/intel-rapl:0/{name,energy_uj,max_energy_range_uj}, intel-rapl:0:0/…, intel-rapl-mmio:0/…
 *
 * ROOT is empty, but for tests. What can be met there:
 *
 *     intel-rapl:0      package-1           zones are numbered as they were found: only their names say what they are
 *     intel-rapl:0:0      dram
 *     intel-rapl:1      psys                the whole machine, beside the packages or between them
 *     intel-rapl:2      package-0
 *     intel-rapl-mmio:0 package-0           the same again, by another way
 *     intel-rapl:0      package-0-die-0     one of several dies that count for themselves; with AMD they all show the
 *     intel-rapl:1      package-0-die-1     count of the package
 *
 * With AMD the zone `core` is the core that happens to be asked, not all of them: it is left out.
 *
 * counter_power_part (full.h) has a counter for every place whose power can be read: by event if possible, else by file.
 * Picowatt-hours since the session began, which is what profilers expect. */
#ifndef SONDE_CAPTURE_COUNTERS_POWER_H
#define SONDE_CAPTURE_COUNTERS_POWER_H

#include "session/descriptor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POWER_SOURCES_MAX = 64 };

enum power_domain { POWER_CORES, POWER_PACKAGE, POWER_DRAM, POWER_GPU, POWER_SYSTEM, POWER_DOMAIN_COUNT };

/* Something that has a count of its own. */
struct power_place {
    enum power_domain domain;
    unsigned package; /* its number with the kernel; 0 for the system */
    int die;          /* -1 = the whole package */
};

struct power_source {
    struct power_place place;
    bool perf;
    struct {
        uint32_t type;
        uint64_t config;
        int cpu;
    } event;             /* perf */
    char path[160];      /* powercap: of energy_uj */
    uint64_t range;      /* powercap: the value after which it starts again from 0; 0 = not known */
    double pwh_per_unit; /* picowatt-hours */

    /* While it is read. */
    struct descriptor file;
    bool read_once;
    uint64_t last;
    double units; /* since the first reading */
};

/* Each finds what there is and returns how many; nothing is opened. One place can have several sources, the best first. */
size_t power_find_events(const char *root, struct power_source *sources, size_t room);
size_t power_find_files(const char *root, struct power_source *sources, size_t room);

/* Opens source->file. 0, or a negative errno: -EACCES and -EPERM where it is there, but not for this user. */
int power_open(struct power_source *source);

/* True if the reading is a new one, after the first; *pwh: since then. */
bool power_read(struct power_source *source, int64_t *pwh);

/* "Power: CPU package"; with `numbered`, for machines that have several, "Power: CPU package 1", "Power: DRAM 0, die 1". */
void power_name(const struct power_place *place, bool numbered, char *name, size_t room);

#endif
