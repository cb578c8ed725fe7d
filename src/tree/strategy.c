#include "tree/strategy.h"

const char *const strategy_names[STRATEGIES + 1] = {
    [STRATEGY_TIMING] = "timing",
    [STRATEGY_CPU] = "cpu",
    [STRATEGY_JS_ALLOCATIONS] = "js-allocations",
    [STRATEGY_NATIVE_ALLOCATIONS] = "native-allocations",
    [STRATEGY_NATIVE_RETAINED] = "native-retained-allocations",
    [STRATEGY_NATIVE_DEALLOCATIONS_MEMORY] = "native-deallocations-memory",
    [STRATEGY_NATIVE_DEALLOCATIONS_SITES] = "native-deallocations-sites",
    [STRATEGY_NATIVE_PEAK] = "native-peak-allocations",
    [STRATEGY_NATIVE_LEAKED] = "native-leaked-allocations",
    [STRATEGY_NATIVE_TEMPORARY] = "native-temporary-allocations",
    [STRATEGY_PAGE_FAULTS] = "page-faults",
    [STRATEGY_TIME] = "time",
    [STRATEGY_SAMPLES] = "samples",
};

bool strategy_parse(struct slice name, enum strategy *strategy)
{
    for (size_t i = 0; i < STRATEGIES; i++)
        if (slice_equal(name, slice_of(strategy_names[i]))) {
            *strategy = (enum strategy)i;
            return true;
        }
    return false;
}

bool strategy_is_of_samples(enum strategy strategy)
{
    return strategy == STRATEGY_TIMING || strategy == STRATEGY_CPU || strategy == STRATEGY_TIME || strategy == STRATEGY_SAMPLES;
}

/* Rows that count something else say nothing of the time that they stand for. */
static bool samples_have_times(const struct sample_table *samples)
{
    return sample_count(samples) > 0 && (samples->weight_type == WEIGHT_TRACING_MS || !sample_table_has(&samples->weight));
}

bool strategy_is_of_thread(const struct profile *profile, const struct thread *thread, enum strategy strategy)
{
    switch (strategy) {
    case STRATEGY_CPU:
        return profile->meta.cpu_unit != CPU_UNKNOWN && sample_table_has(&thread->samples.cpu_delta);
    case STRATEGY_JS_ALLOCATIONS:
        return thread->js_allocations.present;
    case STRATEGY_PAGE_FAULTS:
        return thread->page_faults.present;
    case STRATEGY_NATIVE_ALLOCATIONS:
    case STRATEGY_NATIVE_DEALLOCATIONS_SITES:
        return thread->native_allocations.present;
    case STRATEGY_NATIVE_RETAINED:
    case STRATEGY_NATIVE_DEALLOCATIONS_MEMORY:
    case STRATEGY_NATIVE_PEAK:
    case STRATEGY_NATIVE_LEAKED:
    case STRATEGY_NATIVE_TEMPORARY:
        return thread->native_allocations.present && allocation_table_is_balanced(&thread->native_allocations);
    case STRATEGY_TIME:
        return samples_have_times(&thread->samples);
    case STRATEGY_TIMING:
    case STRATEGY_SAMPLES:
    case STRATEGIES:
        break;
    }
    return true;
}

bool strategy_is_available(const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                           enum strategy strategy)
{
    bool available = strategy == STRATEGY_TIMING || strategy == STRATEGY_SAMPLES;
    for (size_t i = 0; i < thread_count; i++)
        available |= strategy_is_of_thread(profile, &profile->threads.items[threads[i].i], strategy);
    return available;
}
