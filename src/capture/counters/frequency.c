#include "capture/counters/frequency.h"

#include "capture/core/full.h"
#include "capture/counters/reading.h"
#include "common/proc_file.h"
#include "ipc/feature_set.h"

#include <fcntl.h>
#include <unistd.h>

unsigned frequency_cores(const char *root)
{
    char path[512], text[256];
    uint64_t last = 0, core;
    if (!PROC_PATH(path, "%s/sys/devices/system/cpu/present", root) || !proc_file_line(path, text, sizeof text))
        return (unsigned)sysconf(_SC_NPROCESSORS_CONF);
    for (struct cpu_list list = {.at = text}; last < FREQUENCY_CORES_MAX && (core = cpu_list_next(&list)) != UINT64_MAX;)
        last = core;
    return last < FREQUENCY_CORES_MAX ? (unsigned)last + 1 : FREQUENCY_CORES_MAX;
}

struct descriptor frequency_open(const char *root, unsigned core)
{
    char path[512];
    bool fits = PROC_PATH(path, "%s/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", root, core);
    return fits ? descriptor_keep(open(path, O_RDONLY | O_CLOEXEC)) : DESCRIPTOR_NONE;
}

int frequency_read(const struct descriptor *file)
{
    char text[32];
    uint64_t khz = 0;
    if (file_reread(file, text, sizeof text))
        number_parse(text, 10, &khz);
    return khz > 0 && khz <= INT32_MAX ? (int)(khz / 10000 * 10) : -1;
}

/* --- the part of libsonde: intervals that end when the speed changes --------------------------------------------------- */

static struct {
    struct descriptor file;
    int mhz;
} cores[FREQUENCY_CORES_MAX];
static unsigned core_count;
static struct pace pace;

static const struct sonde_field fields[] = {{"speed", "CPU Speed (GHz)", "decimal", SONDE_DOUBLE, false, 0}};
static struct sonde_marker_type speed_type = {"CPUSpeed",
                                              {.chart_label = "{marker.data.speed} GHz",
                                               .tooltip_label = "{marker.name} at {marker.data.speed} GHz",
                                               .table_label = "{marker.name} at {marker.data.speed} GHz"},
                                              fields,
                                              1,
                                              0};

static void end(void)
{
    for (unsigned i = 0; i < core_count; i++)
        descriptor_close(&cores[i].file);
    core_count = 0;
}

static void begin(uint64_t features, uint64_t now_ns)
{
    (void)now_ns;
    end();
    if (!(features & FEATURE_BIT(FEATURE_CPUFREQ)))
        return;
    unsigned count = frequency_cores(full_root);
    while (core_count < FREQUENCY_CORES_MAX && core_count < count) {
        cores[core_count].file = frequency_open(full_root, core_count);
        cores[core_count++].mhz = -1;
    }
    pace = (struct pace){0};
}

static void mark(unsigned core, enum sonde_phase phase, uint64_t now_ns, int mhz)
{
    char name[16];
    int length = snprintf(name, sizeof name, "CPU %u", core);
    double ghz = mhz / 1e3;
    struct sonde_marker_options options = {.phase = phase, .start = now_ns, .end = now_ns};
    full_base->marker(phase == SONDE_START ? &speed_type : NULL, name, (size_t)length, SONDE_CATEGORY_OTHER, &options, &ghz);
}

/* Asking a core can mean to interrupt it: at most one fiftieth of the time. */
static void loop(uint64_t now_ns)
{
    if (core_count == 0 || !pace_begin(&pace, now_ns))
        return;
    for (unsigned i = 0; i < core_count; i++) {
        int mhz = frequency_read(&cores[i].file);
        if (mhz == cores[i].mhz)
            continue;
        if (cores[i].mhz >= 0)
            mark(i, SONDE_END, now_ns, 0);
        if (mhz >= 0)
            mark(i, SONDE_START, now_ns, mhz);
        cores[i].mhz = mhz;
    }
    pace_end(&pace, 50, 0);
}

const struct full_part counter_frequency_part = {.begin = begin, .loop = loop, .end = end};
