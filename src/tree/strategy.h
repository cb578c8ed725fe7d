/* What is counted: samples, CPU time, bytes or page faults. */
#ifndef SONDE_TREE_STRATEGY_H
#define SONDE_TREE_STRATEGY_H

#include "profile/profile.h"

enum strategy {
    STRATEGY_TIMING, /* samples, each with its weight */
    STRATEGY_CPU,
    STRATEGY_JS_ALLOCATIONS,
    STRATEGY_NATIVE_ALLOCATIONS,
    STRATEGY_NATIVE_RETAINED,
    STRATEGY_NATIVE_DEALLOCATIONS_MEMORY,
    STRATEGY_NATIVE_DEALLOCATIONS_SITES,
    STRATEGY_NATIVE_PEAK,      /* what was allocated when most of it was */
    STRATEGY_NATIVE_LEAKED,    /* what is never freed, but for the youngest (allocation_life.h) */
    STRATEGY_NATIVE_TEMPORARY, /* what is freed at once */
    STRATEGY_PAGE_FAULTS,
    STRATEGY_TIME,    /* samples, each for the ms until the next one of its thread */
    STRATEGY_SAMPLES, /* samples, each once, whatever they weigh */
    STRATEGIES
};

/* "timing", "cpu", "js-allocations", …; NULL after the last. */
extern const char *const strategy_names[STRATEGIES + 1];
bool strategy_parse(struct slice name, enum strategy *strategy);

bool strategy_is_of_samples(enum strategy strategy);

/* Of the others: what they count. */
static inline const struct allocation_table *strategy_table(enum strategy strategy, const struct thread *thread)
{
    return strategy == STRATEGY_JS_ALLOCATIONS ? &thread->js_allocations
           : strategy == STRATEGY_PAGE_FAULTS  ? &thread->page_faults
                                               : &thread->native_allocations;
}

/* Whether the thread has what the strategy counts. */
bool strategy_is_of_thread(const struct profile *profile, const struct thread *thread, enum strategy strategy);

/* False where none of the threads has what the strategy counts. */
bool strategy_is_available(const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                           enum strategy strategy);

#endif
