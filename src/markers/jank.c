#include "markers/jank.h"

#define JANK_MS 50.0

/* The event that waited longest was put there `delay` before it was measured. */
struct marker jank_marker(const struct marker_catalog *catalog, double time, double delay)
{
    return (struct marker){
        .start = time - delay,
        .end = time,
        .data = catalog->jank.bytes.items,
        .name = catalog->texts.words[WORD_JANK],
        .category = category_list_default(&catalog->texts.profile->categories, &catalog->texts.profile->strings),
        .row = marker_none(),
        .start_row = marker_none(),
    };
}

static bool add_jank(struct marker_list *list, const struct marker_catalog *catalog, double time, double delay)
{
    return vec_push(&list->items, jank_marker(catalog, time, delay));
}

/* Delays grow while an event waits and fall when it is over. */
bool jank_find(struct marker_list *list, const struct marker_catalog *catalog, const struct thread *thread)
{
    const struct sample_table *samples = &thread->samples;
    if (!sample_table_has(&samples->event_delay) || column_is_empty(&samples->event_delay))
        return true;
    double times[COLUMN_BLOCK_ROWS], delays[COLUMN_BLOCK_ROWS], clock = 0, before = 0, time = 0;
    size_t row = 0;
    for (size_t count; (count = column_next_times(&samples->time, samples->time_is_deltas, row, &clock, times)) > 0;
         row += count) {
        column_read_numbers(&samples->event_delay, row, count, delays);
        for (size_t i = 0; i < count; i++) {
            if (isnan(delays[i]))
                continue;
            if (delays[i] < before && before >= JANK_MS && !add_jank(list, catalog, time, before))
                return false;
            before = delays[i];
            time = times[i];
        }
    }
    return before < JANK_MS || add_jank(list, catalog, time, before);
}
