#include "rows/pauses.h"

static bool begin(struct pauses *pauses, uint64_t time)
{
    size_t count = pauses->ranges.count;
    uint64_t earliest = count > 0 ? pauses->ranges.items[count - 1].end : 0;
    return vec_push(&pauses->ranges, ((struct pause_range){time > earliest ? time : earliest, UINT64_MAX}));
}

bool pauses_add(struct pauses *pauses, enum entry_kind kind, uint64_t time)
{
    if (kind == ENTRY_PAUSE || kind == ENTRY_PAUSE_SAMPLING)
        return pauses->depth++ > 0 || begin(pauses, time);
    /* The entry that began it is gone: it was paused from the start of what is kept. */
    if (pauses->depth == 0)
        return pauses->ranges.count > 0 || vec_push(&pauses->ranges, ((struct pause_range){0, time}));
    if (--pauses->depth > 0)
        return true;
    struct pause_range *last = &pauses->ranges.items[pauses->ranges.count - 1];
    last->end = time > last->start ? time : last->start;
    return true;
}

/* The first range that ends after `time`. */
static size_t first_after(const struct pauses *pauses, uint64_t time)
{
    size_t low = 0, high = pauses->ranges.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pauses->ranges.items[middle].end <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t pauses_between(const struct pauses *pauses, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;
    for (size_t i = first_after(pauses, from); i < pauses->ranges.count && pauses->ranges.items[i].start < to; i++) {
        const struct pause_range *range = &pauses->ranges.items[i];
        uint64_t start = range->start > from ? range->start : from, end = range->end < to ? range->end : to;
        sum += end > start ? end - start : 0;
    }
    return sum;
}

void pauses_free(struct pauses *pauses)
{
    vec_free(&pauses->ranges);
}
