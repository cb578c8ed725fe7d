#include "capture/counters/power.h"

#include "capture/core/full.h"
#include "capture/counters/reading.h"
#include "common/proc_file.h"
#include "ipc/feature_set.h"
#include "session/format.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define JOULE_IN_PWH (1e12 / 3600)

static const struct power_names {
    const char *event;     /* perf */
    uint64_t config;       /* perf: where the event's file does not say */
    const char *file_name; /* powercap: what `name` starts with */
    const char *shown;
} power_names[POWER_DOMAIN_COUNT] = {
    [POWER_CORES] = {"cores", 1, "core", "Power: CPU cores"}, [POWER_PACKAGE] = {"pkg", 2, "package", "Power: CPU package"},
    [POWER_DRAM] = {"ram", 3, "dram", "Power: DRAM"},         [POWER_GPU] = {"gpu", 4, "uncore", "Power: iGPU"},
    [POWER_SYSTEM] = {"psys", 5, "psys", "Power: System"},
};

static bool same_place(const struct power_place *a, const struct power_place *b)
{
    return a->domain == b->domain && a->package == b->package && a->die == b->die;
}

/* Each die of AMD shows the count of its package, and `core` that of one core. */
static bool is_amd(const char *root)
{
    char path[512], text[128]; /* the maker is in the second line */
    return PROC_PATH(path, "%s/proc/cpuinfo", root) && proc_file_line(path, text, sizeof text) &&
           (strstr(text, "AuthenticAMD") || strstr(text, "HygonGenuine"));
}

/* Appends it, unless it is one of those; returns how many there are then. */
static size_t add_source(struct power_source *sources, size_t count, const struct power_source *source, bool amd)
{
    if (amd && source->place.domain == POWER_CORES)
        return count;
    sources[count] = *source;
    if (amd)
        sources[count].place.die = -1;
    for (size_t i = 0; amd && i < count; i++)
        if (same_place(&sources[i].place, &sources[count].place))
            return count;
    return count + 1;
}

/* --- the kernel's power events ----------------------------------------------------------------------------------------- */

#define EVENTS "/sys/bus/event_source/devices/power"

static bool find_event(const char *root, enum power_domain domain, uint64_t type, struct power_source *source)
{
    char path[512], text[128];
    const struct power_names *names = &power_names[domain];
    if (!PROC_PATH(path, "%s" EVENTS "/events/energy-%s", root, names->event) || !proc_file_line(path, text, sizeof text))
        return false;
    uint64_t config = names->config;
    const char *event = strstr(text, "event=");
    if (event) {
        event += strlen("event=");
        bool hexadecimal = event[0] == '0' && (event[1] == 'x' || event[1] == 'X');
        number_parse(event + (hexadecimal ? 2 : 0), hexadecimal ? 16 : 10, &config);
    }
    /* Joules per unit; without the file 2^-32, as the kernel scales them. */
    double scale = 0;
    if (PROC_PATH(path, "%s" EVENTS "/events/energy-%s.scale", root, names->event) && proc_file_line(path, text, sizeof text))
        decimal_parse(text, &scale);
    if (!(scale > 0))
        scale = 0x1p-32;
    *source = (struct power_source){.place = {domain, 0, -1},
                                    .perf = true,
                                    .event = {.type = (uint32_t)type, .config = config},
                                    .pwh_per_unit = scale * JOULE_IN_PWH,
                                    .file = DESCRIPTOR_NONE};
    return true;
}

/* A CPU that the events of a package, or of a die, are asked on. */
struct asked_cpu {
    int cpu;
    unsigned package;
    int die;
};

static unsigned topology(const char *root, uint64_t cpu, const char *file, unsigned otherwise)
{
    char path[512];
    uint64_t number;
    bool known = PROC_PATH(path, "%s/sys/devices/system/cpu/cpu%u/topology/%s", root, (unsigned)cpu, file) &&
                 proc_file_number(path, &number);
    return known ? (unsigned)number : otherwise;
}

static size_t find_cpus(const char *root, struct asked_cpu *cpus, size_t room)
{
    char path[512], text[256];
    if (!PROC_PATH(path, "%s" EVENTS "/cpumask", root) || !proc_file_line(path, text, sizeof text))
        strcpy(text, "0");
    struct cpu_list list = {.at = text};
    size_t count = 0;
    for (uint64_t cpu; count < room && (cpu = cpu_list_next(&list)) != UINT64_MAX; count++)
        cpus[count] = (struct asked_cpu){
            (int)cpu,
            topology(root, cpu, "physical_package_id", (unsigned)count),
            (int)topology(root, cpu, "die_id", 0),
        };
    return count;
}

/* Whether it is one of several of its package. */
static bool is_die(const struct asked_cpu *cpu, const struct asked_cpu *cpus, size_t count)
{
    size_t of_package = 0;
    for (size_t i = 0; i < count; i++)
        of_package += cpus[i].package == cpu->package;
    return of_package > 1;
}

size_t power_find_events(const char *root, struct power_source *sources, size_t room)
{
    char path[512];
    uint64_t type;
    if (!PROC_PATH(path, "%s" EVENTS "/type", root) || !proc_file_number(path, &type))
        return 0;
    struct asked_cpu cpus[POWER_SOURCES_MAX];
    size_t cpu_count = find_cpus(root, cpus, POWER_SOURCES_MAX), count = 0;
    bool amd = is_amd(root);
    for (int domain = 0; domain < POWER_DOMAIN_COUNT; domain++) {
        struct power_source source;
        if (!find_event(root, (enum power_domain)domain, type, &source))
            continue;
        for (size_t i = 0; i < cpu_count && count < room; i++) {
            source.event.cpu = cpus[i].cpu;
            if (domain != POWER_SYSTEM) {
                source.place.package = cpus[i].package;
                source.place.die = is_die(&cpus[i], cpus, cpu_count) ? cpus[i].die : -1;
            }
            count = add_source(sources, count, &source, amd);
            if (domain == POWER_SYSTEM)
                break; /* the same, whoever is asked */
        }
    }
    return count;
}

/* --- the files of powercap --------------------------------------------------------------------------------------------- */

enum { ZONES_MAX = 40, SUBZONES_MAX = 8 };

/* "package-0", "package-0-die-1" */
static void read_package(const char *name, struct power_place *place)
{
    uint64_t number;
    if (strncmp(name, "package-", 8) != 0)
        return;
    const char *end = number_parse(name + 8, 10, &number);
    place->package = (unsigned)number;
    if (strncmp(end, "-die-", 5) == 0) {
        number_parse(end + 5, 10, &number);
        place->die = (int)number;
    }
}

/* `outer` is the place of the zone it is in. */
static bool find_file(const char *folder, const struct power_place *outer, struct power_source *source)
{
    char path[512], text[64];
    if (!PROC_PATH(path, "%s/name", folder) || !proc_file_line(path, text, sizeof text))
        return false;
    int domain = 0;
    while (domain < POWER_DOMAIN_COUNT &&
           strncmp(text, power_names[domain].file_name, strlen(power_names[domain].file_name)) != 0)
        domain++;
    if (domain == POWER_DOMAIN_COUNT)
        return false;
    *source = (struct power_source){.place = *outer, .pwh_per_unit = JOULE_IN_PWH / 1e6, .file = DESCRIPTOR_NONE};
    source->place.domain = (enum power_domain)domain;
    if (domain == POWER_SYSTEM)
        source->place.package = 0, source->place.die = -1;
    if (domain == POWER_PACKAGE)
        read_package(text, &source->place);
    if (PROC_PATH(path, "%s/max_energy_range_uj", folder))
        proc_file_number(path, &source->range);
    return PROC_PATH(source->path, "%s/energy_uj", folder);
}

static size_t find_zone(const char *folder, unsigned number, bool amd, struct power_source *sources, size_t count, size_t room)
{
    struct power_source source;
    char inner[300];
    const struct power_place unnamed = {POWER_PACKAGE, number, -1};
    if (!find_file(folder, &unnamed, &source))
        return count;
    const struct power_place place = source.place;
    count = add_source(sources, count, &source, amd);
    for (unsigned i = 0; i < SUBZONES_MAX && count < room; i++)
        if (PROC_PATH(inner, "%s:%u", folder, i) && find_file(inner, &place, &source))
            count = add_source(sources, count, &source, amd);
    return count;
}

size_t power_find_files(const char *root, struct power_source *sources, size_t room)
{
    static const char *const controls[] = {"/sys/class/powercap/intel-rapl:", "/sys/class/powercap/intel-rapl-mmio:"};
    bool amd = is_amd(root);
    size_t count = 0;
    for (size_t control = 0; control < sizeof controls / sizeof *controls; control++)
        for (unsigned zone = 0; zone < ZONES_MAX && count < room; zone++) {
            char folder[256];
            if (PROC_PATH(folder, "%s%s%u", root, controls[control], zone))
                count = find_zone(folder, zone, amd, sources, count, room);
        }
    return count;
}

/* --- reading ----------------------------------------------------------------------------------------------------------- */

static int open_event(const struct power_source *source)
{
    struct perf_event_attr attributes = {.type = source->event.type, .size = sizeof attributes, .config = source->event.config};
    return (int)syscall(SYS_perf_event_open, &attributes, -1, source->event.cpu, -1, (unsigned long)PERF_FLAG_FD_CLOEXEC);
}

int power_open(struct power_source *source)
{
    int file = source->perf ? open_event(source) : open(source->path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    source->file = descriptor_keep(file);
    source->read_once = false;
    source->units = 0;
    return 0;
}

static bool read_raw(const struct power_source *source, uint64_t *raw)
{
    char text[32];
    if (!source->perf)
        return file_reread(&source->file, text, sizeof text) && number_parse(text, 10, raw) > text;
    int file = descriptor_get(&source->file);
    return file >= 0 && read(file, raw, sizeof *raw) == sizeof *raw;
}

/* A count that is smaller than before came to the end of its range, or was set to 0 while the machine slept. Half the range
 * takes minutes at the most that a package can use: if it came round it came less far. */
static uint64_t units_passed(const struct power_source *source, uint64_t raw)
{
    if (raw >= source->last)
        return raw - source->last;
    uint64_t around = source->range >= source->last ? source->range - source->last + raw : UINT64_MAX;
    return around <= source->range / 2 ? around : raw;
}

bool power_read(struct power_source *source, int64_t *pwh)
{
    uint64_t raw;
    if (!read_raw(source, &raw))
        return false;
    bool news = source->read_once && raw != source->last;
    if (news)
        source->units += (double)units_passed(source, raw);
    source->read_once = true;
    source->last = raw;
    *pwh = (int64_t)(source->units * source->pwh_per_unit);
    return news;
}

void power_name(const struct power_place *place, bool numbered, char *name, size_t room)
{
    const char *shown = power_names[place->domain].shown;
    if (!numbered || place->domain == POWER_SYSTEM)
        snprintf(name, room, "%s", shown);
    else if (place->die < 0)
        snprintf(name, room, "%s %u", shown, place->package);
    else
        snprintf(name, room, "%s %u, die %d", shown, place->package, place->die);
}

/* --- the part of libsonde ---------------------------------------------------------------------------------------------- */

static struct power_source found[POWER_SOURCES_MAX];

/* Places that had a counter in this session or an earlier one. */
static struct measured {
    struct sonde_counter counter;
    struct power_source source; /* open = of this session */
} measured[POWER_SOURCES_MAX];
static size_t measured_count;

static struct pace pace;

static void end(void)
{
    for (size_t i = 0; i < measured_count; i++)
        descriptor_close(&measured[i].source.file);
}

static struct measured *find(const struct power_place *place)
{
    for (size_t i = 0; i < measured_count; i++)
        if (same_place(&measured[i].source.place, place))
            return &measured[i];
    return NULL;
}

/* Returns what power_open() does; where the place is measured already there is nothing to do. */
static int measure(struct power_source *source, bool numbered)
{
    struct measured *place = find(&source->place);
    if (place && place->source.file.fd >= 0)
        return 0;
    if (!place && measured_count == POWER_SOURCES_MAX)
        return -ENOSPC;
    int result = power_open(source);
    if (result < 0)
        return result;
    if (!place) {
        char name[64];
        place = &measured[measured_count++];
        power_name(&source->place, numbered, name, sizeof name);
        place->counter = (struct sonde_counter){name, "power", "Energy used", NULL};
        sonde_api_1.counter_register(&place->counter);
        place->counter.name = NULL; /* it was copied */
    }
    __atomic_store_n(&place->counter.cell->count, 0, __ATOMIC_RELAXED);
    place->source = *source;
    return 0;
}

static bool several_packages(size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (found[i].place.domain != POWER_SYSTEM &&
            (found[i].place.die >= 0 || found[i].place.package != found[0].place.package))
            return true;
    return false;
}

/* Places whose power only others may read. */
static unsigned refused_places(const bool *refused, size_t count)
{
    unsigned places = 0;
    for (size_t i = 0; i < count; i++) {
        const struct measured *place = find(&found[i].place);
        bool counted = place && place->source.file.fd >= 0;
        for (size_t j = 0; j < i; j++)
            counted |= refused[j] && same_place(&found[j].place, &found[i].place);
        places += refused[i] && !counted;
    }
    return places;
}

static void begin(uint64_t features, uint64_t now_ns)
{
    (void)now_ns;
    end();
    if (!(features & FEATURE_BIT(FEATURE_POWER)))
        return;
    bool refused[POWER_SOURCES_MAX] = {false};
    size_t count = power_find_events(full_root, found, POWER_SOURCES_MAX / 2);
    count += power_find_files(full_root, found + count, POWER_SOURCES_MAX - count);
    bool numbered = several_packages(count);
    for (size_t i = 0; i < count; i++) {
        int result = measure(&found[i], numbered);
        refused[i] = result == -EACCES || result == -EPERM;
    }
    unsigned places = refused_places(refused, count);
    if (places > 0)
        full_base->statistic_add(STATISTIC_POWER_REFUSED, places);
    pace = (struct pace){0};
}

static void loop(uint64_t now_ns)
{
    if (measured_count == 0 || !pace_begin(&pace, now_ns))
        return;
    for (size_t i = 0; i < measured_count; i++) {
        int64_t pwh;
        if (power_read(&measured[i].source, &pwh))
            __atomic_store_n(&measured[i].counter.cell->count, pwh, __ATOMIC_RELAXED);
    }
    pace_end(&pace, 100, 0);
}

const struct full_part counter_power_part = {.begin = begin, .loop = loop, .end = end};
