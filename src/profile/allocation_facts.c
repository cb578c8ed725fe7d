#include "profile/allocation_facts.h"

#include <math.h>

static const uint8_t *find(const struct profile *profile, const uint8_t *object, const char *key)
{
    return object ? value_find(object, string_table_find(&profile->strings, slice_of(key))) : NULL;
}

static double find_number(const struct profile *profile, const uint8_t *object, const char *key)
{
    const uint8_t *at = find(profile, object, key);
    double number;
    if (!at)
        return NAN;
    struct value value = value_read(at);
    return value_as_number(&value, &number) ? number : NAN;
}

static struct slice find_text(const struct profile *profile, const uint8_t *object, const char *key)
{
    const uint8_t *at = find(profile, object, key);
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    return value.kind == VALUE_STRING ? profile_text(profile, value.string) : SLICE("");
}

struct allocation_facts allocation_facts_of(const struct profile *profile)
{
    const struct value_bytes *meta = &profile->meta.whole;
    const uint8_t *own = meta->bytes.count > 0 ? find(profile, meta->bytes.items, "sonde") : NULL;
    const uint8_t *said = find(profile, own, "allocations"), *quality = find(profile, own, "quality");
    return (struct allocation_facts){
        .present = said != NULL,
        .mode = find_text(profile, said, "mode"),
        .allocator = find_text(profile, said, "allocator"),
        .mean = find_number(profile, said, "mean"),
        .budget = find_number(profile, said, "budget"),
        .cost_ms = find_number(profile, said, "costMs"),
        .cpu_ms = find_number(profile, quality, "cpuMs"),
        .allocated_bytes = find_number(profile, said, "allocatedBytes"),
        .recorded = find_number(profile, said, "recorded"),
        .lost = find_number(profile, said, "lost"),
        .frees_missed = find_number(profile, said, "freesMissed"),
        .unseen = find_number(profile, said, "unseen"),
    };
}
