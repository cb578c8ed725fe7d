#include "cli/quality.h"

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

struct quality quality_of(const struct profile *profile)
{
    const struct value_bytes *meta = &profile->meta.whole;
    const uint8_t *own = meta->bytes.count > 0 ? find(profile, meta->bytes.items, SLICE("sonde")) : NULL;
    const uint8_t *said = find(profile, own, SLICE("quality"));
    const uint8_t *notes = find(profile, said, SLICE("notes"));
    return (struct quality){
        .expected = find_number(profile, said, SLICE("expected")),
        .taken = find_number(profile, said, SLICE("taken")),
        .lost = find_number(profile, said, SLICE("lost")),
        .truncated = find_number(profile, said, SLICE("truncated")),
        .stopped_p50 = find_number(profile, said, SLICE("stoppedMsP50")),
        .stopped_p99 = find_number(profile, said, SLICE("stoppedMsP99")),
        .notes = notes && value_read(notes).kind == VALUE_ARRAY ? notes : NULL,
    };
}
