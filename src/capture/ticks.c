#include "capture/ticks.h"

#include "capture/clock.h"
#include "capture/kept.h"
#include "capture/timed.h"

enum { TICK_ENTRY_MAX = 32 };

ENTRY_WRITER(tick)

void tick_put(struct sampling *sampling, uint64_t time, uint64_t now)
{
    struct tick_entry tick = {time};
    sampling->tick++;
    sampling->tick_time = time;
    sampling_count(sampling, STATISTIC_TICKS, 1);
    stack_writer_put(&sampling->writer, now, TICK_ENTRY_MAX, write_tick, &tick);
}

uint64_t slept_ticks_put(struct slept_ticks *slept, struct sampling *sampling, uint64_t time, bool paused)
{
    uint64_t now = slept->left ? clock_now() : 0, written = 0;
    for (; slept->left > 0 && slept->next < time; slept->left--, slept->next += sampling->interval_ns) {
        if (paused)
            continue;
        timed_put(sampling, slept->next);
        tick_put(sampling, slept->next, now);
        sample_put_held(sampling, slept->next);
        sampling_count(sampling, STATISTIC_TICKS_IDLE, sampling->timed_count == 0 && !slept->thrifty);
        sampling_count(sampling, STATISTIC_SAMPLES_SAME, slept->rows);
        written++;
    }
    return written;
}
