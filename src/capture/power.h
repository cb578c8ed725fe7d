/* Where a machine says how much energy it has used: the kernel's power events (RAPL through perf, finer, but mostly for
 * administrators), and the files of powercap.
 *
 *     ROOT/sys/bus/event_source/devices/power/{type,cpumask,events/energy-pkg,events/energy-pkg.scale,…}
 *     ROOT/sys/class/powercap/intel-rapl:0/{name,energy_uj,max_energy_range_uj}, intel-rapl:0:0/…
 *
 * ROOT is empty, but for tests. */
#ifndef SONDE_CAPTURE_POWER_H
#define SONDE_CAPTURE_POWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POWER_SOURCES_MAX = 32 };

enum power_domain { POWER_CORES, POWER_PACKAGE, POWER_DRAM, POWER_GPU, POWER_SYSTEM, POWER_DOMAIN_COUNT };

/* One domain of one package. */
struct power_source {
    enum power_domain domain;
    unsigned package; /* of how many, counted from 0 */
    bool perf;
    struct {
        uint32_t type;
        uint64_t config;
        int cpu;
    } event;             /* perf */
    char path[160];      /* powercap: of energy_uj */
    uint64_t range;      /* powercap: the value after which it starts again from 0; 0 = never */
    double pwh_per_unit; /* picowatt-hours */

    /* While it is read. */
    int fd; /* -1 = not open */
    bool read_once;
    uint64_t last;
    double units; /* since the first reading */
};

/* Each finds what there is and returns how many; nothing is opened. */
size_t power_find_events(const char *root, struct power_source *sources, size_t room);
size_t power_find_files(const char *root, struct power_source *sources, size_t room);

/* False where it is not allowed or does not work. */
bool power_open(struct power_source *source);
void power_close(struct power_source *source);

/* True if the reading is a new one, after the first; *pwh: since then. */
bool power_read(struct power_source *source, int64_t *pwh);

/* "Power: CPU package"; with `numbered`, for machines that have several, "Power: CPU package 1". */
void power_name(const struct power_source *source, bool numbered, char *name, size_t room);

#endif
