#include "profile/thread_times.h"

#include <math.h>

double thread_cpu_ms(const struct profile *profile, const struct thread *thread)
{
    const struct column *deltas = &thread->samples.cpu_delta;
    enum cpu_unit unit = profile->meta.cpu_unit;
    if (!sample_table_has(deltas) || (unit != CPU_NANOSECONDS && unit != CPU_MICROSECONDS))
        return NAN;
    double sum = 0, block[COLUMN_BLOCK_ROWS];
    size_t count = column_count(deltas);
    for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
        size_t rows = count - first < COLUMN_BLOCK_ROWS ? count - first : COLUMN_BLOCK_ROWS;
        column_read_numbers(deltas, first, rows, block);
        for (size_t i = 0; i < rows; i++)
            sum += isnan(block[i]) ? 0 : block[i];
    }
    return sum / (unit == CPU_NANOSECONDS ? 1e6 : 1e3);
}

static bool is_ready(const struct profile *profile, uint32_t stack, struct category_index ready)
{
    if (stack == INDEX_NONE || !category_exists(ready))
        return false;
    struct frame_index frame = stack_frame(&profile->stacks, stack_at(stack));
    return column_get_index(&profile->frames.category, frame.i) == ready.i;
}

/* CPU time that no sample met has a row with a single frame that says so. */
static bool is_sample(const struct profile *profile, uint32_t stack)
{
    if (stack == INDEX_NONE || stack_exists(stack_prefix(&profile->stacks, stack_at(stack))))
        return true;
    struct func_index func = frame_func(&profile->frames, stack_frame(&profile->stacks, stack_at(stack)));
    struct slice name = profile_text(profile, func_name(&profile->funcs, func));
    return !slice_is(name, "(program start)") && !slice_is(name, "(profiler start)") && !slice_is(name, "(kernel)") &&
           !slice_is(name, "(not sampled)");
}

struct thread_times thread_times(const struct profile *profile, const struct thread *thread)
{
    const struct sample_table *samples = &thread->samples;
    struct category_index ready = category_list_find(&profile->categories, &profile->strings, SLICE("Waiting for CPU"));
    struct thread_times times = {.waiting_ms = NAN, .ready_ms = NAN, .samples = sample_count(samples)};
    if (!sample_table_weights_precede(samples))
        return times;
    times = (struct thread_times){0};
    for (size_t i = 0; i < sample_count(samples); i++) {
        double weight = column_get_number(&samples->weight, i);
        uint32_t stack = column_get_index(&samples->stack, i);
        if (column_get_number(&samples->cpu_delta, i) > 0 || weight == 0) {
            times.samples += is_sample(profile, stack);
            continue;
        }
        *(is_ready(profile, stack, ready) ? &times.ready_ms : &times.waiting_ms) += weight;
        times.looks++;
    }
    return times;
}

static void add_row(const struct profile *profile, const struct sample_table *samples, size_t row, struct category_index ready,
                    struct range_times *times)
{
    times->rows++;
    double cpu = isnan(times->cpu_ms) ? NAN : column_get_number(&samples->cpu_delta, row);
    if (!isnan(cpu))
        times->cpu_ms += profile->meta.cpu_unit == CPU_NANOSECONDS ? cpu / 1e6 : cpu / 1e3;
    if (isnan(times->waiting_ms) || cpu > 0)
        return;
    bool waits_for_cpu = is_ready(profile, column_get_index(&samples->stack, row), ready);
    *(waits_for_cpu ? &times->ready_ms : &times->waiting_ms) += column_get_number(&samples->weight, row);
}

struct range_times thread_range_times(const struct profile *profile, const struct thread *thread, double start, double end)
{
    const struct sample_table *samples = &thread->samples;
    enum cpu_unit unit = profile->meta.cpu_unit;
    bool has_cpu = sample_table_has(&samples->cpu_delta) && (unit == CPU_NANOSECONDS || unit == CPU_MICROSECONDS);
    bool has_waits = sample_table_weights_precede(samples);
    struct category_index ready = category_list_find(&profile->categories, &profile->strings, SLICE("Waiting for CPU"));
    struct range_times sums = {
        .cpu_ms = has_cpu ? 0 : NAN,
        .waiting_ms = has_waits ? 0 : NAN,
        .ready_ms = has_waits ? 0 : NAN,
    };
    double block[COLUMN_BLOCK_ROWS], time = 0;
    size_t row = 0;
    for (size_t count; (count = column_next_times(&samples->time, samples->time_is_deltas, row, &time, block)) > 0;
         row += count)
        for (size_t i = 0; i < count; i++)
            if (block[i] >= start && block[i] < end)
                add_row(profile, samples, row + i, ready, &sums);
    return sums;
}

struct thread_index thread_busiest(const struct profile *profile)
{
    struct thread_index busiest = thread_none(), fullest = thread_at(0);
    double most_cpu = 0;
    size_t most_samples = 0;
    for (size_t i = 0; i < profile->threads.count; i++) {
        const struct thread *thread = &profile->threads.items[i];
        double cpu = thread_cpu_ms(profile, thread);
        if (cpu > most_cpu) {
            most_cpu = cpu;
            busiest = thread_at(i);
        }
        if (sample_count(&thread->samples) > most_samples) {
            most_samples = sample_count(&thread->samples);
            fullest = thread_at(i);
        }
    }
    return thread_exists(busiest) ? busiest : fullest;
}
