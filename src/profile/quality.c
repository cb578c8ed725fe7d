#include "profile/quality.h"

#include <math.h>

static const uint8_t *find(const struct profile *profile, const uint8_t *object, struct slice key)
{
    return value_find(object, string_table_find(&profile->strings, key));
}

static double find_number(const struct profile *profile, const uint8_t *object, struct slice key)
{
    const uint8_t *at = find(profile, object, key);
    double number;
    if (!at)
        return NAN;
    struct value value = value_read(at);
    return value_as_number(&value, &number) ? number : NAN;
}

static struct slice find_text(const struct profile *profile, const uint8_t *object, struct slice key)
{
    const uint8_t *at = find(profile, object, key);
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    return value.kind == VALUE_STRING ? profile_text(profile, value.string) : SLICE("");
}

static const uint8_t *find_own(const struct profile *profile)
{
    const struct value_bytes *meta = &profile->meta.whole;
    return meta->bytes.count > 0 ? find(profile, meta->bytes.items, SLICE("sonde")) : NULL;
}

const uint8_t *quality_find(const struct profile *profile)
{
    return find(profile, find_own(profile), SLICE("quality"));
}

struct quality quality_of(const struct profile *profile)
{
    const uint8_t *said = quality_find(profile);
    const uint8_t *notes = find(profile, said, SLICE("notes"));
    const uint8_t *events = find(profile, find_own(profile), SLICE("events"));
    const uint8_t *faults = find(profile, find_own(profile), SLICE("pageFaults"));
    return (struct quality){
        .taken = find_number(profile, said, SLICE("taken")),
        .lost = find_number(profile, said, SLICE("lost")),
        .looks = find_number(profile, said, SLICE("looks")),
        .looks_ms = find_number(profile, said, SLICE("looksMs")),
        .clock = find_text(profile, said, SLICE("clock")),
        .clock_refused = find_text(profile, said, SLICE("clockRefused")),
        .fault_period = find_number(profile, faults, SLICE("period")),
        .faults_minor = find_number(profile, faults, SLICE("minor")),
        .faults_major = find_number(profile, faults, SLICE("major")),
        .tick_ms = find_number(profile, said, SLICE("tickMs")),
        .truncated_share = find_number(profile, said, SLICE("truncatedShare")),
        .kernel_ms = find_number(profile, said, SLICE("kernelMs")),
        .not_sampled_ms = find_number(profile, said, SLICE("notSampledMs")),
        .profiler_start_ms = find_number(profile, said, SLICE("profilerStartMs")),
        .unseen_ms = find_number(profile, said, SLICE("unseenMs")),
        .gone_ms = find_number(profile, said, SLICE("goneMs")),
        .stopped_p50 = find_number(profile, said, SLICE("stoppedMsP50")),
        .stopped_p99 = find_number(profile, said, SLICE("stoppedMsP99")),
        .event = find_text(profile, find_own(profile), SLICE("event")),
        .samples_of = find_text(profile, find_own(profile), SLICE("samplesOf")),
        .events = events && value_read(events).kind == VALUE_OBJECT ? events : NULL,
        .notes = notes && value_read(notes).kind == VALUE_ARRAY ? notes : NULL,
    };
}

/* The kernel's settings say EACCES, the filters of containers EPERM. */
const char *quality_clock_advice(const struct quality *quality)
{
    if (slice_is(quality->clock_refused, "EACCES"))
        return "sysctl kernel.perf_event_paranoid=2 allows events, which are exact";
    if (slice_is(quality->clock_refused, "EPERM"))
        return "events, which are exact, are allowed by --cap-add=PERFMON (Docker, Podman) or a seccomp profile";
    if (slice_is(quality->clock_refused, "EMFILE") || slice_is(quality->clock_refused, "ENFILE"))
        return "a higher limit of open files (ulimit -n) allows more events, which are exact";
    return "";
}
