#include "capture/next_loop.h"

#include "capture/clock.h"
#include "capture/timed.h"

void next_loop_begin(struct next_loop *next, struct sampling *sampling)
{
    sampling->finding.ticks = 1;
    thrift_begin(&next->thrift, sampling->features & FEATURE_BIT(FEATURE_THRIFT),
                 chunk_manager_cpus_are_scarce(sampling->writer.chunks));
    sampling->stride = next->thrift.stride;
    next->shift = (uint64_t)sampling->header->pid;
}

uint64_t next_loop_look(const struct next_loop *next, const struct sampling *sampling, uint64_t time)
{
    return thrift_next_look(sampling->stride, clock_origin + time, sampling->interval_ns, next->shift);
}

void next_loop_reckon(struct next_loop *next, struct sampling *sampling, uint64_t cpu_ns)
{
    thrift_add(&next->thrift, &(struct thrift_look){
                                  .answers = sampling->answers,
                                  .held_ns = sampling->held_ns,
                                  .sampler_ns = cpu_ns - next->look_cpu_ns,
                                  .work_ns = sampling->finding.ran_ns + sampling->finding.timed_ran_ns,
                                  .cpus_scarce = chunk_manager_cpus_are_scarce(sampling->writer.chunks),
                              });
    timed_set_stride(sampling, next->thrift.stride);
    next->look_cpu_ns = cpu_ns;
    sampling->held_ns = sampling->answers = 0;
}

/* All that take samples by themselves have said that they wait. */
static bool all_wait(const struct sampling *sampling)
{
    for (size_t i = 0; i < sampling->timed_count; i++)
        if (!sampling->timed[i]->sampled.by_cpu.waits)
            return false;
    return true;
}

/* Somebody has still to answer. The answer of one that takes samples by itself is fetched with these. */
static bool awaits_answers(const struct sampling *sampling)
{
    for (size_t i = 0; i < sampling->asked_count; i++)
        if (!sampling->asked[i]->sampled.timed)
            return true;
    return false;
}

void next_loop_decide(struct next_loop *next, struct sampling *sampling, uint64_t time, bool urgent)
{
    struct idle_finding *finding = &sampling->finding;
    next->timed = finding->timed = sampling->timed_count > 0;
    finding->by_cpu = next->timed && own_timer_is_by_cpu(&sampling->timed[0]->timer);
    finding->all_wait = all_wait(sampling);
    next->announced = finding->others && !finding->unannounced;
    finding->works |= awaits_answers(sampling) || urgent;
    next->ticks = idle_next(&next->idle, finding);
    next->thrifty = next->ticks == 1 && sampling->stride > 1 && !urgent;
    if (next->thrifty)
        next->ticks = next_loop_look(next, sampling, time);
    *finding = (struct idle_finding){.ticks = 1};
}
