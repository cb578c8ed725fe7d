/* The files of powercap. */
#include "capture/counters/power_private.h"
#include "capture/counters/sys_file.h"

#include <string.h>

enum { ZONES_MAX = 40, SUBZONES_MAX = 8 };

/* "package-0", "package-0-die-1" */
static void read_package(const char *name, struct power_place *place)
{
    uint64_t number;
    if (strncmp(name, "package-", 8) != 0)
        return;
    const char *end = sys_number(name + 8, 10, &number);
    place->package = (unsigned)number;
    if (strncmp(end, "-die-", 5) == 0) {
        sys_number(end + 5, 10, &number);
        place->die = (int)number;
    }
}

/* `outer` is the place of the zone it is in. */
static bool find_file(const char *folder, const struct power_place *outer, struct power_source *source)
{
    char path[512], text[64];
    if (!SYS_PATH(path, folder, "/name") || !sys_file_text(path, text, sizeof text))
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
    if (SYS_PATH(path, folder, "/max_energy_range_uj"))
        sys_file_number(path, &source->range);
    return SYS_PATH(source->path, folder, "/energy_uj");
}

static size_t find_zone(const char *folder, unsigned number, bool amd, struct power_source *sources, size_t count, size_t room)
{
    struct power_source source;
    char inner[300], digits[SYS_NUMBER_ROOM];
    const struct power_place unnamed = {POWER_PACKAGE, number, -1};
    if (!find_file(folder, &unnamed, &source))
        return count;
    const struct power_place place = source.place;
    count = power_add(sources, count, &source, amd);
    for (unsigned i = 0; i < SUBZONES_MAX && count < room; i++)
        if (SYS_PATH(inner, folder, ":", sys_number_text(digits, i)) && find_file(inner, &place, &source))
            count = power_add(sources, count, &source, amd);
    return count;
}

size_t power_find_files(const char *root, struct power_source *sources, size_t room)
{
    static const char *const controls[] = {"/sys/class/powercap/intel-rapl:", "/sys/class/powercap/intel-rapl-mmio:"};
    bool amd = power_is_amd(root);
    size_t count = 0;
    for (size_t control = 0; control < sizeof controls / sizeof *controls; control++)
        for (unsigned zone = 0; zone < ZONES_MAX && count < room; zone++) {
            char folder[256], digits[SYS_NUMBER_ROOM];
            if (SYS_PATH(folder, root, controls[control], sys_number_text(digits, zone)))
                count = find_zone(folder, zone, amd, sources, count, room);
        }
    return count;
}
