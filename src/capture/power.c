#include "capture/power.h"

#include "capture/proc_file.h"
#include "session/descriptor.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char *event;     /* perf */
    uint64_t config;       /* perf: where the event's file does not say */
    const char *file_name; /* powercap: what `name` starts with */
    const char *shown;
} domains[POWER_DOMAIN_COUNT] = {
    [POWER_CORES] = {"cores", 1, "core", "Power: CPU cores"}, [POWER_PACKAGE] = {"pkg", 2, "package", "Power: CPU package"},
    [POWER_DRAM] = {"ram", 3, "dram", "Power: DRAM"},         [POWER_GPU] = {"gpu", 4, "uncore", "Power: iGPU"},
    [POWER_SYSTEM] = {"psys", 5, "psys", "Power: System"},
};

#define JOULE_IN_PWH (1e12 / 3600)

/* --- small texts ------------------------------------------------------------------------------------------------------- */

/* Joins them; false where they do not fit. */
static bool join(char *out, size_t room, const char *const *parts, size_t count)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(parts[i]);
        if (length >= room - used)
            return false;
        memcpy(out + used, parts[i], length);
        used += length;
    }
    out[used] = '\0';
    return true;
}
#define JOIN(out, ...)                                                                                                         \
    join(out, sizeof out, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static const char *number_text(char text[24], uint64_t number)
{
    char *at = text + 23;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return at;
}

static const char *read_u64(const char *text, unsigned base, uint64_t *number)
{
    *number = 0;
    for (;; text++) {
        unsigned digit = *text >= '0' && *text <= '9'   ? (unsigned)(*text - '0')
                         : *text >= 'a' && *text <= 'f' ? (unsigned)(*text - 'a') + 10
                         : *text >= 'A' && *text <= 'F' ? (unsigned)(*text - 'A') + 10
                                                        : base;
        if (digit >= base)
            return text;
        *number = *number * base + digit;
    }
}

/* "2.3283064365386962890625e-10"; strtod() would go by the program's locale. */
static double read_decimal(const char *text)
{
    double value = 0;
    int exponent = 0;
    for (bool fraction = false; (*text >= '0' && *text <= '9') || (*text == '.' && !fraction); text++) {
        if (*text == '.') {
            fraction = true;
        } else {
            value = value * 10 + (*text - '0');
            exponent -= fraction;
        }
    }
    if (*text == 'e' || *text == 'E') {
        bool negative = text[1] == '-';
        uint64_t given;
        read_u64(text + 1 + (text[1] == '-' || text[1] == '+'), 10, &given);
        exponent += negative ? -(int)(given % 400) : (int)(given % 400);
    }
    for (; exponent > 0; exponent--)
        value *= 10;
    double divisor = 1;
    for (; exponent < 0; exponent++)
        divisor *= 10;
    return value / divisor;
}

static bool read_text(const char *path, char *text, size_t room)
{
    ssize_t length = proc_file_read(path, text, room);
    if (length <= 0)
        return false;
    if (text[length - 1] == '\n')
        text[length - 1] = '\0';
    return true;
}

/* --- perf -------------------------------------------------------------------------------------------------------------- */

#define EVENTS "/sys/bus/event_source/devices/power"

static bool find_event(const char *root, enum power_domain domain, uint64_t type, struct power_source *source)
{
    char path[512], text[128];
    if (!JOIN(path, root, EVENTS "/events/energy-", domains[domain].event) || !read_text(path, text, sizeof text))
        return false;
    uint64_t config = domains[domain].config;
    const char *event = strstr(text, "event=");
    if (event) {
        event += strlen("event=");
        bool hexadecimal = event[0] == '0' && (event[1] == 'x' || event[1] == 'X');
        read_u64(event + (hexadecimal ? 2 : 0), hexadecimal ? 16 : 10, &config);
    }
    /* Joules per unit; without the file 2^-32, as the kernel scales them. */
    double scale = 0;
    if (JOIN(path, root, EVENTS "/events/energy-", domains[domain].event, ".scale") && read_text(path, text, sizeof text))
        scale = read_decimal(text);
    if (!(scale > 0))
        scale = 0x1p-32;
    *source = (struct power_source){.domain = domain,
                                    .perf = true,
                                    .event = {.type = (uint32_t)type, .config = config},
                                    .pwh_per_unit = scale * JOULE_IN_PWH,
                                    .fd = -1};
    return true;
}

/* One CPU of each package: "0", "0,18" or "0-1". */
static size_t find_cpus(const char *root, int *cpus, size_t room)
{
    char path[512], text[256];
    size_t count = 0;
    if (!JOIN(path, root, EVENTS "/cpumask") || !read_text(path, text, sizeof text)) {
        cpus[0] = 0;
        return 1;
    }
    for (const char *at = text; *at >= '0' && *at <= '9'; at += *at == ',') {
        uint64_t first, last;
        at = read_u64(at, 10, &first);
        last = first;
        if (*at == '-')
            at = read_u64(at + 1, 10, &last);
        for (; first <= last && count < room; first++)
            cpus[count++] = (int)first;
    }
    return count;
}

size_t power_find_events(const char *root, struct power_source *sources, size_t room)
{
    char path[512], text[64];
    if (!JOIN(path, root, EVENTS "/type") || !read_text(path, text, sizeof text))
        return 0;
    uint64_t type;
    read_u64(text, 10, &type);
    int cpus[POWER_SOURCES_MAX];
    size_t cpu_count = find_cpus(root, cpus, POWER_SOURCES_MAX), count = 0;
    for (int domain = 0; domain < POWER_DOMAIN_COUNT; domain++) {
        struct power_source source;
        if (!find_event(root, (enum power_domain)domain, type, &source))
            continue;
        for (size_t i = 0; i < cpu_count && count < room; i++) {
            source.package = (unsigned)i;
            source.event.cpu = cpus[i];
            sources[count++] = source;
        }
    }
    return count;
}

/* --- powercap ---------------------------------------------------------------------------------------------------------- */

enum { ZONES_MAX = 16, SUBZONES_MAX = 8 };

static bool find_file(const char *folder, unsigned package, struct power_source *source)
{
    char path[512], text[64];
    if (!JOIN(path, folder, "/name") || !read_text(path, text, sizeof text))
        return false;
    int domain = 0;
    while (domain < POWER_DOMAIN_COUNT && strncmp(text, domains[domain].file_name, strlen(domains[domain].file_name)) != 0)
        domain++;
    if (domain == POWER_DOMAIN_COUNT)
        return false;
    *source = (struct power_source){
        .domain = (enum power_domain)domain, .package = package, .pwh_per_unit = JOULE_IN_PWH / 1e6, .fd = -1};
    if (domain == POWER_SYSTEM)
        source->package = 0; /* a zone of its own, beside the packages */
    if (domain == POWER_PACKAGE && text[strlen("package")] == '-') {
        uint64_t number;
        read_u64(text + strlen("package-"), 10, &number);
        source->package = (unsigned)number;
    }
    if (JOIN(path, folder, "/max_energy_range_uj") && read_text(path, text, sizeof text))
        read_u64(text, 10, &source->range);
    return JOIN(source->path, folder, "/energy_uj");
}

size_t power_find_files(const char *root, struct power_source *sources, size_t room)
{
    size_t count = 0;
    for (unsigned zone = 0; zone < ZONES_MAX && count < room; zone++) {
        char folder[256], digits[24], sub_digits[24];
        const char *zone_text = number_text(digits, zone);
        if (!JOIN(folder, root, "/sys/class/powercap/intel-rapl:", zone_text) || !find_file(folder, zone, &sources[count]))
            continue;
        unsigned package = sources[count++].package;
        for (unsigned subzone = 0; subzone < SUBZONES_MAX && count < room; subzone++)
            if (JOIN(folder, root, "/sys/class/powercap/intel-rapl:", zone_text, ":", number_text(sub_digits, subzone)) &&
                find_file(folder, package, &sources[count]))
                count++;
    }
    return count;
}

/* --- reading ----------------------------------------------------------------------------------------------------------- */

bool power_open(struct power_source *source)
{
    if (source->perf) {
        struct perf_event_attr attributes = {
            .type = source->event.type, .size = sizeof attributes, .config = source->event.config};
        source->fd =
            (int)syscall(SYS_perf_event_open, &attributes, -1, source->event.cpu, -1, (unsigned long)PERF_FLAG_FD_CLOEXEC);
    } else {
        source->fd = descriptor_move_up(open(source->path, O_RDONLY | O_CLOEXEC));
    }
    source->read_once = false;
    source->units = 0;
    return source->fd >= 0;
}

void power_close(struct power_source *source)
{
    if (source->fd >= 0)
        close(source->fd);
    source->fd = -1;
}

static bool read_raw(const struct power_source *source, uint64_t *raw)
{
    if (source->perf)
        return read(source->fd, raw, sizeof *raw) == sizeof *raw;
    char text[32];
    ssize_t length = pread(source->fd, text, sizeof text - 1, 0);
    if (length <= 0)
        return false;
    text[length] = '\0';
    return read_u64(text, 10, raw) > text;
}

bool power_read(struct power_source *source, int64_t *pwh)
{
    uint64_t raw;
    if (source->fd < 0 || !read_raw(source, &raw))
        return false;
    bool news = source->read_once && raw != source->last;
    if (news) {
        /* Smaller than before: it came to the end of its range in between. */
        uint64_t passed = raw >= source->last ? raw - source->last : raw + (source->range - source->last);
        source->units += (double)passed;
    }
    source->read_once = true;
    source->last = raw;
    *pwh = (int64_t)(source->units * source->pwh_per_unit);
    return news;
}

void power_name(const struct power_source *source, bool numbered, char *name, size_t room)
{
    char digits[24];
    const char *parts[] = {domains[source->domain].shown, numbered ? " " : "",
                           numbered ? number_text(digits, source->package) : ""};
    if (!join(name, room, parts, 3))
        name[0] = '\0';
}
