#include "record/settings.h"

#include "allocations/plan.h"
#include "ipc/feature_set.h"
#include "session/chunk_manager.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILTERS_LONGEST = 1023, PAGE_FAULTS_MOST = 1000000 };
static const double rate_most = 20000, duration_most = 1e9;

static int check_features(const char *list, struct error *error)
{
    uint64_t features = 0;
    const char *bad;
    int bad_length;
    if (features_parse(list, &features, &bad, &bad_length) == 0)
        return 0;
    char known[FEATURES_LONGEST];
    features_list(UINT64_MAX, ", ", known);
    return error_set(error, -EINVAL, "--features: '%.*s' is none of default, all, %s", bad_length < 40 ? bad_length : 40, bad,
                     known);
}

/* Every how many faults there is a sample. The usual number is a prime, so that it is in step with few programs. NULL:
 * nonsense, or not wanted. */
static const char *page_fault_period(const char *words)
{
    if (!words || !*words)
        return words ? "61" : NULL;
    char *end;
    long period = strtol(words, &end, 10);
    return *end == '\0' && *words >= '0' && *words <= '9' && period >= 1 && period <= PAGE_FAULTS_MOST ? words : NULL;
}

int settings_check(const struct capture_settings *settings, struct error *error)
{
    if (!(settings->rate >= 1 && settings->rate <= rate_most))
        return error_set(error, -EINVAL, "--rate: %g is not from 1 to %g", settings->rate, rate_most);
    if (!(settings->duration >= 0 && settings->duration <= duration_most))
        return error_set(error, -EINVAL, "--duration: %g is not up to %g", settings->duration, duration_most);
    if (settings->buffer_bytes > INT64_MAX)
        return error_set(error, -EINVAL, "--buffer-size: %zu bytes are not possible", settings->buffer_bytes);
    const size_t least = (size_t)CHUNKS_LEAST * CHUNK_BYTES;
    if (settings->buffer_bytes < least)
        return error_set(error, -EINVAL, "--buffer-size: less than %zu KiB are not possible", least >> 10);
    if (settings->threads && strlen(settings->threads) > FILTERS_LONGEST)
        return error_set(error, -EINVAL, "--threads: the list is longer than %d characters", FILTERS_LONGEST);
    struct allocation_plan plan;
    if (settings->allocations && !allocation_plan_read(settings->allocations, &plan))
        return error_set(error, -EINVAL,
                         "--allocations: '%s' is neither 'all' nor a number of bytes, such as 64KiB, with or without ',maps'",
                         settings->allocations);
    if (settings->page_faults && !page_fault_period(settings->page_faults))
        return error_set(error, -EINVAL, "--page-faults: '%s' is not a number from 1 to %d", settings->page_faults,
                         PAGE_FAULTS_MOST);
    return check_features(settings->features, error);
}

/* The library reads digits and a point, in any locale. */
static bool set_number(struct environment *environment, const char *name, double number)
{
    char text[40];
    snprintf(text, sizeof text, "%.9f", number);
    return environment_set(environment, name, text);
}

static uint64_t features_of(const struct capture_settings *settings)
{
    uint64_t features = 0;
    const char *bad;
    int bad_length;
    features_parse(settings->features, &features, &bad, &bad_length); /* settings_check() has found them good */
    return features;
}

bool settings_count_cpu(const struct capture_settings *settings)
{
    return features_of(settings) & FEATURE_BIT(FEATURE_PROCESSCPU);
}

static bool set_features(struct environment *environment, const struct capture_settings *settings)
{
    char text[FEATURES_LONGEST];
    features_list(features_of(settings), ",", text);
    return environment_set(environment, "SONDE_STARTUP_FEATURES", text);
}

/* Who records us may have set it. */
static bool set_or_remove(struct environment *environment, const char *variable, const char *text)
{
    environment_remove(environment, variable);
    return !text || environment_set(environment, variable, text);
}

bool settings_apply(const struct capture_settings *settings, struct environment *environment)
{
    char size[40];
    snprintf(size, sizeof size, "%zuKiB", settings->buffer_bytes / 1024 + (settings->buffer_bytes % 1024 > 0));
    return environment_set(environment, "SONDE_STARTUP", "recorder") &&
           environment_set(environment, "SONDE_SESSION", settings->folder) &&
           set_number(environment, "SONDE_STARTUP_INTERVAL", 1000 / settings->rate) &&
           set_number(environment, "SONDE_STARTUP_DURATION", settings->duration) &&
           environment_set(environment, "SONDE_STARTUP_ENTRIES", size) && set_features(environment, settings) &&
           environment_set(environment, "SONDE_STARTUP_FILTERS", settings->threads ? settings->threads : "") &&
           set_or_remove(environment, "SONDE_ALLOCATIONS", settings->allocations) &&
           set_or_remove(environment, "SONDE_PAGE_FAULTS", page_fault_period(settings->page_faults));
}
