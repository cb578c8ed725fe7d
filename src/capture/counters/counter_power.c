/* A counter for every place whose power can be read: by event if possible, else by file. Picowatt-hours since the session
 * began, which is what profilers expect. */
#include "capture/core/feature_set.h"
#include "capture/core/full.h"
#include "capture/counters/pace.h"
#include "capture/counters/power.h"
#include "session/format.h"

#include <errno.h>

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
        power_close(&measured[i].source);
}

static struct measured *find(const struct power_place *place)
{
    for (size_t i = 0; i < measured_count; i++)
        if (power_same_place(&measured[i].source.place, place))
            return &measured[i];
    return NULL;
}

/* Returns what power_open() does; where the place is measured already there is nothing to do. */
static int add(struct power_source *source, bool numbered)
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
        full_base->api->counter_register(&place->counter);
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
            counted |= refused[j] && power_same_place(&found[j].place, &found[i].place);
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
        int result = add(&found[i], numbered);
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

const struct full_part counter_power_part = {.begin = begin, .loop = loop, .end = end, .forked = end};
