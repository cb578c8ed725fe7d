#include "api/track_samples.h"

#include "tree/cpu.h"

#include <math.h>

static void full_shares(struct track_samples *samples)
{
    memset(samples->percent, 100, samples->count + 1);
}

/* The share of what a row of Sonde's own stands for. */
static void shares_of_rows(struct track_samples *samples, const double *deltas, double reference)
{
    for (size_t i = 0; i < samples->count; i++) {
        double possible = reference * (samples->times[i] - samples->starts[i]);
        double share = possible > 0 && !isnan(deltas[i]) ? 100 * deltas[i] / possible : 0;
        samples->percent[i] = (uint8_t)fmax(0, fmin(100, floor(share + 0.5)));
    }
}

bool track_samples_read(const struct profile *profile, struct thread_index thread, double reference, struct arena *arena,
                        struct track_samples *samples)
{
    const struct sample_table *table = &profile->threads.items[thread.i].samples;
    size_t count = sample_count(table);
    *samples = (struct track_samples){
        .count = count,
        .precede = sample_table_weights_precede(table),
        .times = arena_allocate(arena, (count + 1) * sizeof(double)),
        .starts = arena_allocate(arena, (count + 1) * sizeof(double)),
        .stacks = arena_allocate(arena, (count + 1) * sizeof(uint32_t)),
        .percent = arena_allocate(arena, count + 1),
    };
    double *deltas = arena_allocate(arena, (count + 1) * sizeof *deltas);
    if (!samples->times || !samples->starts || !samples->stacks || !samples->percent || !deltas)
        return false;
    if (count == 0)
        return true;
    sample_table_read_times(table, samples->times);
    column_read_u32(&table->stack, 0, count, samples->stacks);
    if (samples->precede)
        sample_table_read_starts(table, samples->starts);
    if (reference <= 0 || !sample_table_has(&table->cpu_delta)) {
        full_shares(samples);
        return true;
    }
    column_read_numbers(&table->cpu_delta, 0, count, deltas);
    if (samples->precede)
        shares_of_rows(samples, deltas, reference);
    else
        cpu_percents(deltas, samples->times, count, reference, samples->percent);
    return true;
}
