#include "capture/counters/power.h"

#include "capture/counters/power_private.h"
#include "capture/counters/sys_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const struct power_names power_names[POWER_DOMAIN_COUNT] = {
    [POWER_CORES] = {"cores", 1, "core", "Power: CPU cores"}, [POWER_PACKAGE] = {"pkg", 2, "package", "Power: CPU package"},
    [POWER_DRAM] = {"ram", 3, "dram", "Power: DRAM"},         [POWER_GPU] = {"gpu", 4, "uncore", "Power: iGPU"},
    [POWER_SYSTEM] = {"psys", 5, "psys", "Power: System"},
};

/* --- finding ----------------------------------------------------------------------------------------------------------- */

bool power_is_amd(const char *root)
{
    char path[512], text[128]; /* the maker is in the second line */
    return SYS_PATH(path, root, "/proc/cpuinfo") && sys_file_text(path, text, sizeof text) &&
           (strstr(text, "AuthenticAMD") || strstr(text, "HygonGenuine"));
}

size_t power_add(struct power_source *sources, size_t count, const struct power_source *source, bool amd)
{
    if (amd && source->place.domain == POWER_CORES)
        return count;
    sources[count] = *source;
    if (amd)
        sources[count].place.die = -1;
    for (size_t i = 0; amd && i < count; i++)
        if (power_same_place(&sources[i].place, &sources[count].place))
            return count;
    return count + 1;
}

bool power_same_place(const struct power_place *a, const struct power_place *b)
{
    return a->domain == b->domain && a->package == b->package && a->die == b->die;
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

void power_close(struct power_source *source)
{
    descriptor_close(&source->file);
}

static bool read_raw(const struct power_source *source, uint64_t *raw)
{
    int file = descriptor_get(&source->file);
    if (file < 0)
        return false;
    if (source->perf)
        return read(file, raw, sizeof *raw) == sizeof *raw;
    char text[32];
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    if (length <= 0)
        return false;
    text[length] = '\0';
    return sys_number(text, 10, raw) > text;
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
    char package[SYS_NUMBER_ROOM], die[SYS_NUMBER_ROOM];
    const char *parts[] = {power_names[place->domain].shown, " ", sys_number_text(package, place->package), ", die ",
                           sys_number_text(die, place->die >= 0 ? (uint64_t)place->die : 0)};
    size_t count = !numbered || place->domain == POWER_SYSTEM ? 1 : place->die < 0 ? 3 : 5;
    if (!sys_path_join(name, room, parts, count))
        name[0] = '\0';
}
