/* A counter for every source of power that can be read: by event if possible, else by file. Picowatt-hours since the session
 * began, which is what profilers expect. */
#include "capture/features.h"
#include "capture/full.h"
#include "capture/pace.h"
#include "capture/power.h"

enum { PACKAGES_MAX = 8 };

static struct power_source sources[POWER_SOURCES_MAX]; /* those that are open */
static size_t source_count;
static struct sonde_counter counters[POWER_DOMAIN_COUNT][PACKAGES_MAX]; /* used again by later sessions */
static struct pace pace;

static void end(void)
{
    for (size_t i = 0; i < source_count; i++)
        power_close(&sources[i]);
    source_count = 0;
}

static bool is_there(const struct power_source *source)
{
    for (size_t i = 0; i < source_count; i++)
        if (sources[i].domain == source->domain && sources[i].package == source->package)
            return true;
    return false;
}

static void add(struct power_source *source, bool numbered)
{
    if (source->package >= PACKAGES_MAX || is_there(source) || !power_open(source))
        return;
    struct sonde_counter *counter = &counters[source->domain][source->package];
    if (!counter->cell) {
        char name[64];
        power_name(source, numbered, name, sizeof name);
        *counter = (struct sonde_counter){name, "power", "Energy used", NULL};
        full_base->api->counter_register(counter);
        counter->name = NULL; /* it was copied */
    }
    __atomic_store_n(&counter->cell->count, 0, __ATOMIC_RELAXED);
    sources[source_count++] = *source;
}

static bool several_packages(const struct power_source *found, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (found[i].package > 0)
            return true;
    return false;
}

static void begin(uint64_t features, uint64_t now_ns)
{
    (void)now_ns;
    end();
    if (!(features & FEATURE_BIT(FEATURE_POWER)))
        return;
    struct power_source found[POWER_SOURCES_MAX];
    size_t count = power_find_events(full_root, found, POWER_SOURCES_MAX / 2);
    count += power_find_files(full_root, found + count, POWER_SOURCES_MAX - count);
    bool numbered = several_packages(found, count);
    for (size_t i = 0; i < count; i++)
        add(&found[i], numbered);
    pace = (struct pace){0};
}

static void tick(uint64_t now_ns)
{
    if (source_count == 0 || !pace_begin(&pace, now_ns))
        return;
    for (size_t i = 0; i < source_count; i++) {
        int64_t pwh;
        if (power_read(&sources[i], &pwh))
            __atomic_store_n(&counters[sources[i].domain][sources[i].package].cell->count, pwh, __ATOMIC_RELAXED);
    }
    pace_end(&pace, 100, 0);
}

const struct full_part counter_power_part = {.begin = begin, .tick = tick, .end = end, .forked = end};
