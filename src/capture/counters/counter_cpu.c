/* The counter of CPU time of the whole process, in nanoseconds since the session began. */
#include "capture/core/clock.h"
#include "capture/core/feature_set.h"
#include "capture/core/full.h"

static struct sonde_counter counter = {"processCPU", "CPU", "CPU time of the process", NULL};
static bool on;
static uint64_t start, next_ns;

/* Of threads that run on other CPUs the kernel adds up what they used when its own tick comes, every 4 ms as a rule; to ask it
 * means to go through all threads. */
enum { EVERY_NS = 4000000 };

static void begin(uint64_t features, uint64_t now_ns)
{
    next_ns = now_ns;
    on = features & FEATURE_BIT(FEATURE_PROCESSCPU) && !full_base->is_observed();
    if (!on)
        return;
    full_base->api->counter_register(&counter);
    __atomic_store_n(&counter.cell->count, 0, __ATOMIC_RELAXED);
    start = clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

static void loop(uint64_t now_ns)
{
    if (!on || now_ns < next_ns)
        return;
    next_ns = now_ns + EVERY_NS;
    __atomic_store_n(&counter.cell->count, (int64_t)(clock_read(CLOCK_PROCESS_CPUTIME_ID) - start), __ATOMIC_RELAXED);
}

const struct full_part counter_cpu_part = {.begin = begin, .loop = loop};
