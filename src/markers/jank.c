#include "markers/jank.h"

#define JANK_MS 50.0

/* The event that waited longest was put there `delay` before it was measured. */
static bool add_jank(struct marker_list *list, const struct marker_catalog *catalog, double time, double delay)
{
    struct marker marker = {
        .start = time - delay,
        .end = time,
        .data = catalog->jank.bytes.items,
        .name = catalog->words[WORD_JANK],
        .category = category_list_default(&catalog->profile->categories, &catalog->profile->strings),
        .row = marker_none(),
        .start_row = marker_none(),
    };
    return vec_push(&list->items, marker);
}

/* Delays grow while an event waits and fall when it is over. */
static bool find_peaks(struct marker_list *list, const struct marker_catalog *catalog, const struct sample_table *samples,
                       const double *times)
{
    size_t count = sample_count(samples);
    double before = 0, time = 0, delays[COLUMN_BLOCK_ROWS];
    for (size_t i = 0; i < count; i++) {
        size_t place = i % COLUMN_BLOCK_ROWS;
        if (place == 0)
            column_read_numbers(&samples->event_delay, i, count - i < COLUMN_BLOCK_ROWS ? count - i : COLUMN_BLOCK_ROWS,
                                delays);
        double delay = delays[place];
        if (isnan(delay))
            continue;
        if (delay < before && before >= JANK_MS && !add_jank(list, catalog, time, before))
            return false;
        before = delay;
        time = times[i];
    }
    return before < JANK_MS || add_jank(list, catalog, time, before);
}

bool jank_find(struct marker_list *list, const struct marker_catalog *catalog, const struct thread *thread)
{
    const struct sample_table *samples = &thread->samples;
    if (!sample_table_has(&samples->event_delay) || column_is_empty(&samples->event_delay))
        return true;
    double *times = memory_array(sample_count(samples), sizeof *times);
    if (!times)
        return false;
    sample_table_read_times(samples, times);
    bool ok = find_peaks(list, catalog, samples, times);
    memory_release(times);
    return ok;
}
