#include "preload_allocations/adapt.h"

#include "preload_allocations/state.h"

#include <stdatomic.h>

enum {
    BATCH = 16,       /* samples between two looks at the clock */
    YOUNG_BATCH = 64, /* of all threads that have had no batch yet */
};
/* A larger mean saves nothing that would be noticed, and leaves sums of a few MiB to chance. */
static const uint64_t mean_least = 4 << 10, mean_most = 2 << 20;
/* What others allocate says little of a thread that begins. */
static const uint64_t first_most = 512 << 10;

static _Atomic uint64_t process_mean;
static _Atomic uint64_t young_ns, young_start_cpu;
static _Atomic uint32_t young_samples;

static uint64_t bounded(uint64_t mean)
{
    return mean < mean_least ? mean_least : mean > mean_most ? mean_most : mean;
}

/* So that no more than so many of the bytes that are live would be sampled. */
static uint64_t mean_of_live(uint32_t most)
{
    int64_t bytes = atomic_load_explicit(&live.bytes, memory_order_relaxed);
    return bytes > 0 ? (uint64_t)bytes / (most / 2) : 0;
}

/* What the mean should be where so much of the CPU time went into samples. Also where so many are live that more might find no
 * place, or that frees are held up which nobody measures. */
static uint64_t next_mean(uint64_t mean, uint64_t ns, uint64_t cpu)
{
    const uint64_t million = 1000000;
    const uint32_t most = plan.is_adaptive ? LIVE_BLOCKS_QUICK : LIVE_BLOCKS_MANY;
    uint64_t least = mean_of_live(most);
    if (atomic_load_explicit(&live.count, memory_order_relaxed) > most)
        return mean > least ? mean : least;
    if (!plan.is_adaptive || cpu == 0)
        return mean;
    uint64_t ppm = ns * million / cpu;
    if (ppm > 4 * plan.budget_ppm)
        return bounded(mean * 4);
    if (ppm > plan.budget_ppm)
        return bounded(mean * 2);
    /* Not where so many would be live again. */
    return ppm * 5 < plan.budget_ppm * 2 && mean / 2 >= least ? bounded(mean / 2) : mean;
}

static uint64_t mean_of_process(void)
{
    return atomic_load_explicit(&process_mean, memory_order_relaxed);
}

uint64_t adapt_first_mean(void)
{
    uint64_t mean = mean_of_process();
    return plan.is_adaptive && mean > first_most ? first_most : mean;
}

void adapt_begin(uint64_t mean)
{
    atomic_store_explicit(&process_mean, mean, memory_order_relaxed);
    atomic_store_explicit(&young_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&young_samples, 0, memory_order_relaxed);
    atomic_store_explicit(&young_start_cpu, 0, memory_order_relaxed);
}

/* One step towards the mean of a thread. */
static void follow(uint64_t mean)
{
    uint64_t process = mean_of_process();
    if (mean != process)
        atomic_store_explicit(&process_mean, mean > process ? process * 2 : process / 2, memory_order_relaxed);
}

static void adapt_young(const struct allocation_recorder *to, uint64_t ns)
{
    uint64_t spent = atomic_fetch_add_explicit(&young_ns, ns, memory_order_relaxed) + ns;
    if ((atomic_fetch_add_explicit(&young_samples, 1, memory_order_relaxed) + 1) % YOUNG_BATCH != 0)
        return;
    uint64_t cpu = to->process_cpu(), since = cpu - atomic_load_explicit(&young_start_cpu, memory_order_relaxed);
    uint64_t process = mean_of_process(), next = next_mean(process, spent, cpu > 0 ? since : 0);
    /* Down it goes by whoever lives longer. */
    if (next > process)
        atomic_store_explicit(&process_mean, next, memory_order_relaxed);
    atomic_store_explicit(&young_start_cpu, cpu, memory_order_relaxed);
    atomic_fetch_sub_explicit(&young_ns, spent, memory_order_relaxed);
}

void adapt_note(uint64_t ns, bool is_sample)
{
    const struct allocation_recorder *to = atomic_load_explicit(&recorder, memory_order_acquire);
    ns = allocation_cost(ns);
    own.batch_ns += ns;
    if (!to || !is_sample)
        return;
    if (!own.has_batch)
        adapt_young(to, ns);
    if (++own.batch_samples < BATCH)
        return;
    uint64_t cpu = to->thread_cpu();
    if (cpu > 0)
        own.mean = next_mean(own.mean, own.batch_ns, cpu - own.batch_start_cpu);
    if (plan.is_adaptive)
        follow(own.mean);
    own.batch_start_cpu = cpu;
    own.batch_samples = 0;
    own.batch_ns = 0;
    own.has_batch = true;
}
