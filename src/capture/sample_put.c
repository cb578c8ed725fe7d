#include "capture/sample_put.h"

#include "capture/kept.h"
#include "capture/merge.h"

enum { SAMPLE_ENTRY_MAX = 64 };

ENTRY_WRITER(sample)

void sampling_flush(struct sampling *sampling)
{
    for (unsigned i = 0; i < STATISTIC_COUNT; i++) {
        if (sampling->counts[i])
            atomic_fetch_add_explicit(&sampling->header->statistics[i], sampling->counts[i], memory_order_relaxed);
        sampling->counts[i] = 0;
    }
}

void put_sample(struct sampling *sampling, struct registration *thread, uint64_t time, uint64_t cpu_ns,
                const struct raw_stack *raw)
{
    struct sample_entry entry = {.thread = thread->info.number,
                                 .since_tick_ns = time > sampling->tick_time ? time - sampling->tick_time : 0,
                                 .cpu_ns = cpu_ns > thread->sampled.cpu_ns ? cpu_ns - thread->sampled.cpu_ns : 0,
                                 .has_event_delay = raw && raw->has_event_delay,
                                 .event_delay_ns = raw && raw->has_event_delay ? raw->event_delay_ns : 0};
    /* A late answer may be older than what was written meanwhile. */
    if (stack_writer_put(&sampling->writer, time, SAMPLE_ENTRY_MAX, write_sample, &entry))
        thread->sampled.cpu_ns += entry.cpu_ns;
    thread->sampled.row_tick = sampling->tick;
}

void put_stack(struct sampling *sampling, struct registration *thread, const struct raw_stack *raw)
{
    bool cut;
    thread->sampled.answered_at = (struct blocked_at){0};
    size_t count = merge_stack(raw, false, sampling->writer.merged, &cut);
    bool truncated = cut || raw->end != UNWIND_COMPLETE;
    if (cut)
        sampling_count(sampling, STATISTIC_STACKS_CUT, 1);
    if (truncated)
        sampling_count(sampling, STATISTIC_STACKS_TRUNCATED, 1);
    stack_writer_stack(&sampling->writer, raw->time, thread, sampling->writer.merged, count, truncated);
}

uint64_t even_cpu_ns(const struct registration *thread, uint64_t time)
{
    const struct cpu_time *from = &thread->sampled.even_from, *to = &thread->sampled.even_to;
    if (time <= from->time)
        return from->cpu_ns;
    if (time >= to->time)
        return to->cpu_ns;
    double share = (double)(time - from->time) / (double)(to->time - from->time);
    return from->cpu_ns + (uint64_t)((double)(to->cpu_ns - from->cpu_ns) * share);
}

void put_held(struct sampling *sampling, struct registration *thread, uint64_t time)
{
    uint64_t cpu_ns = even_cpu_ns(thread, time);
    bool ran = cpu_ns > thread->sampled.cpu_ns; /* or it did not get a CPU */
    if (ran)
        put_sample(sampling, thread, time, cpu_ns, NULL);
    sampling_count(sampling, ran ? STATISTIC_SAMPLES_HELD : STATISTIC_SAMPLES_SAME, 1);
}

void put_unknown(struct sampling *sampling, struct registration *thread, const struct cpu_time *now)
{
    stack_writer_stack(&sampling->writer, now->time, thread, NULL, 0, true);
    thread->sampled.last = NULL;
    put_sample(sampling, thread, now->time, now->cpu_ns, NULL);
    sampling_count(sampling, STATISTIC_SAMPLES_LOST, 1);
}

void count_held(struct sampling *sampling, uint64_t held_ns)
{
    unsigned bucket = 0;
    while (bucket < HELD_BUCKETS - 1 && held_ns >= UINT64_C(64) << bucket)
        bucket++;
    atomic_fetch_add_explicit(&sampling->header->held[bucket], 1, memory_order_relaxed);
    sampling_count(sampling, STATISTIC_HELD_NS, held_ns);
    sampling->held_ns += held_ns;
    sampling->answers++;
}
