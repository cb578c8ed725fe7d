/* The kernel's power events. */
#include "capture/counters/power_private.h"
#include "capture/counters/sys_file.h"

#include <string.h>

#define EVENTS "/sys/bus/event_source/devices/power"

static bool find_event(const char *root, enum power_domain domain, uint64_t type, struct power_source *source)
{
    char path[512], text[128];
    const struct power_names *names = &power_names[domain];
    if (!SYS_PATH(path, root, EVENTS "/events/energy-", names->event) || !sys_file_text(path, text, sizeof text))
        return false;
    uint64_t config = names->config;
    const char *event = strstr(text, "event=");
    if (event) {
        event += strlen("event=");
        bool hexadecimal = event[0] == '0' && (event[1] == 'x' || event[1] == 'X');
        sys_number(event + (hexadecimal ? 2 : 0), hexadecimal ? 16 : 10, &config);
    }
    /* Joules per unit; without the file 2^-32, as the kernel scales them. */
    double scale = 0;
    if (SYS_PATH(path, root, EVENTS "/events/energy-", names->event, ".scale") && sys_file_text(path, text, sizeof text))
        scale = sys_decimal(text);
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
    char path[512], digits[SYS_NUMBER_ROOM];
    uint64_t number;
    bool known = SYS_PATH(path, root, "/sys/devices/system/cpu/cpu", sys_number_text(digits, cpu), "/topology/", file) &&
                 sys_file_number(path, &number);
    return known ? (unsigned)number : otherwise;
}

static size_t find_cpus(const char *root, struct asked_cpu *cpus, size_t room)
{
    char path[512], text[256];
    if (!SYS_PATH(path, root, EVENTS "/cpumask") || !sys_file_text(path, text, sizeof text))
        strcpy(text, "0");
    struct sys_list list = {.at = text};
    size_t count = 0;
    for (uint64_t cpu; count < room && (cpu = sys_list_next(&list)) != UINT64_MAX; count++)
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
    if (!SYS_PATH(path, root, EVENTS "/type") || !sys_file_number(path, &type))
        return 0;
    struct asked_cpu cpus[POWER_SOURCES_MAX];
    size_t cpu_count = find_cpus(root, cpus, POWER_SOURCES_MAX), count = 0;
    bool amd = power_is_amd(root);
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
            count = power_add(sources, count, &source, amd);
            if (domain == POWER_SYSTEM)
                break; /* the same, whoever is asked */
        }
    }
    return count;
}
