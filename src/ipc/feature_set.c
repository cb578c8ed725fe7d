#include "ipc/feature_set.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *description;
} features[FEATURE_COUNT] = {
    [FEATURE_STACKWALK] = {"stackwalk", "native stacks"},
    [FEATURE_JS] = {"js", "frames of language runtimes that give them"},
    [FEATURE_NOMARKERSTACKS] = {"nomarkerstacks", "markers capture no stacks"},
    [FEATURE_NOSTACKSAMPLING] = {"nostacksampling", "no stacks are sampled, CPU time still is"},
    [FEATURE_CPUALLTHREADS] = {"cpuallthreads", "CPU time of all threads, whatever the filter says"},
    [FEATURE_SAMPLINGALLTHREADS] = {"samplingallthreads", "stacks of all threads, whatever the filter says"},
    [FEATURE_MARKERSALLTHREADS] = {"markersallthreads", "markers of all threads, whatever the filter says"},
    [FEATURE_UNREGISTEREDTHREADS] = {"unregisteredthreads", "looks for threads that are not registered"},
    [FEATURE_PROCESSCPU] = {"processcpu", "CPU time of the process"},
    [FEATURE_POWER] = {"power", "energy that the machine takes"},
    [FEATURE_CPUFREQ] = {"cpufreq", "clock rates of the CPUs"},
    [FEATURE_BANDWIDTH] = {"bandwidth", "bytes that the program says it sent and received"},
    [FEATURE_MEMORY] = {"memory", "memory of the process"},
    [FEATURE_FLOWS] = {"flows", "markers that belong together across threads"},
};

uint64_t features_default(void)
{
    return FEATURE_BIT(FEATURE_STACKWALK) | FEATURE_BIT(FEATURE_JS) | FEATURE_BIT(FEATURE_PROCESSCPU);
}

/* Everything that can be recorded: not the features that take something away. */
static uint64_t features_all(void)
{
    const uint64_t less = FEATURE_BIT(FEATURE_NOMARKERSTACKS) | FEATURE_BIT(FEATURE_NOSTACKSAMPLING);
    return (FEATURE_BIT(FEATURE_COUNT) - 1) & ~less;
}

static uint64_t feature_bits_of_name(const char *name, size_t length)
{
    for (int i = 0; i < FEATURE_COUNT; i++)
        if (strlen(features[i].name) == length && memcmp(features[i].name, name, length) == 0)
            return FEATURE_BIT(i);
    if (length == 7 && memcmp(name, "default", 7) == 0)
        return features_default();
    if (length == 3 && memcmp(name, "all", 3) == 0)
        return features_all();
    return 0;
}

int features_parse(const char *list, uint64_t *bits, const char **bad, int *bad_length)
{
    int result = 0;
    while (*list) {
        size_t length = strcspn(list, ",");
        uint64_t found = feature_bits_of_name(list, length);
        *bits |= found;
        if (length > 0 && !found && result == 0) {
            *bad = list;
            *bad_length = (int)length;
            result = -EINVAL;
        }
        list += length;
        if (*list == ',')
            list++;
    }
    return result;
}

size_t features_list(uint64_t bits, const char *between, char text[FEATURES_LONGEST])
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < FEATURE_COUNT; i++)
        if (bits & FEATURE_BIT(i) && length < FEATURES_LONGEST)
            length +=
                (size_t)snprintf(text + length, FEATURES_LONGEST - length, "%s%s", length > 0 ? between : "", features[i].name);
    return length;
}

const char *feature_name(enum feature feature)
{
    return features[feature].name;
}

const char *feature_description(enum feature feature)
{
    return features[feature].description;
}
