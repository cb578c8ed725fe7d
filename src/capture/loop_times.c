#include "capture/loop_times.h"

#include "capture/kept.h"

#include <stdlib.h>

enum { OVERHEAD_ENTRY_MAX = 128 };

ENTRY_WRITER(overhead)

static bool is_recorded;

void loop_times_init(void)
{
    const char *overheads = getenv("SONDE_RECORD_OVERHEADS");
    is_recorded = overheads && overheads[0];
}

void loop_times_begin(struct loop_times *times)
{
    times->recorded = is_recorded;
}

static void figure_add(struct loop_figure *figure, uint64_t value)
{
    if (figure->count == 0 || value < figure->min)
        figure->min = value;
    if (value > figure->max)
        figure->max = value;
    figure->count++;
    figure->sum += value;
}

void loop_times_add(struct loop_times *times, const struct loop_stamps *stamps, struct stack_writer *writer)
{
    struct overhead_entry entry = {.time = stamps->start,
                                   .locking_ns = stamps->locked - stamps->start,
                                   .cleaning_ns = stamps->cleaned - stamps->locked,
                                   .counters_ns = stamps->counted - stamps->cleaned,
                                   .threads_ns = stamps->sampled - stamps->counted};
    if (times->last_start)
        figure_add(&times->interval, stamps->start - times->last_start);
    times->last_start = stamps->start;
    figure_add(&times->overhead, stamps->sampled - stamps->start);
    figure_add(&times->locking, entry.locking_ns);
    figure_add(&times->cleaning, entry.cleaning_ns);
    figure_add(&times->counters, entry.counters_ns);
    figure_add(&times->threads, entry.threads_ns);
    if (times->recorded)
        stack_writer_put(writer, stamps->start, OVERHEAD_ENTRY_MAX, write_overhead, &entry);
}

void loop_times_leave_out(struct loop_times *times, uint64_t ns)
{
    if (times->last_start)
        times->last_start += ns;
}

#define TELL(part)                                                                                                             \
    do {                                                                                                                       \
        info->part.count = times->part.count;                                                                                  \
        info->part.sum = (double)times->part.sum / 1e3;                                                                        \
        info->part.min = (double)times->part.min / 1e3;                                                                        \
        info->part.max = (double)times->part.max / 1e3;                                                                        \
    } while (0)

void loop_times_tell(const struct loop_times *times, struct sonde_buffer_info *info)
{
    TELL(interval);
    TELL(overhead);
    TELL(locking);
    TELL(cleaning);
    TELL(counters);
    TELL(threads);
}
