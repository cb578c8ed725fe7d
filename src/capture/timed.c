#include "capture/timed.h"

#include "capture/clock.h"
#include "capture/handler.h"
#include "capture/registry.h"
#include "capture/sample_put.h"

enum {
    BUSY_LOOKS = 64, /* then a thread gets a timer; if it does not keep it for long … */
    LONG_TICKS = 1024,
    LONG_TIMES = 16,  /* … and so many times as many looks, it takes twice as many the next time … */
    DOUBLINGS = 10,   /* … and so on */
    WAITING_MOST = 3, /* samples that may be left for the next ticks; of more the oldest are given up */
};

static uint32_t looks_needed(const struct registration *thread)
{
    return (uint32_t)BUSY_LOOKS << thread->sampled.busy_doublings;
}

/* At a multiple of the interval since the machine was started: there the kernel's own ticks are, and an interrupt that comes
 * together with one of them costs nothing. The ticks of the sampler are in the middle between them, if it was never late, so
 * that it is plain which one a sample belongs to. */
static uint64_t first_sample(const struct sampling *sampling)
{
    uint64_t soonest = clock_origin + sampling->tick_time + sampling->interval_ns;
    return soonest + sampling->interval_ns - soonest % sampling->interval_ns - clock_origin;
}

void timed_consider(struct sampling *sampling, struct registration *thread, const struct cpu_time *now)
{
    if (++thread->sampled.busy < looks_needed(thread) || sampling->timed_count == TIMED_MAX ||
        atomic_load_explicit(&thread->waits_for_signals, memory_order_relaxed))
        return;
    thread->sampled.busy = 0;
    while (own_timer_oldest(&thread->timer))
        own_timer_take(&thread->timer);
    if (!handler_start_timer(thread, first_sample(sampling), sampling->stride * sampling->interval_ns))
        return;
    thread->sampled.timed = true;
    thread->sampled.timed_since = sampling->tick;
    thread->sampled.timed_cpu_ns = now->cpu_ns;
    thread->sampled.even_from = thread->sampled.even_to = *now;
    sampling->timed[sampling->timed_count++] = thread;
}

void timed_refuse(void)
{
    struct registration *thread = registration_mine();
    /* In the child of a vfork() this is the parent's. */
    if (!thread || !handler_is_own_process())
        return;
    /* Sequentially consistent, and so is the other side, in handler_start_timer(): one of the two sees the other. */
    atomic_store(&thread->waits_for_signals, true);
    /* Acquire: as in own_timer_signal(). What was raised before comes on the way back from these calls. */
    if (atomic_load(&thread->timer.signal))
        own_timer_stop(&thread->timer);
}

void timed_read_clocks(struct sampling *sampling)
{
    for (size_t i = 0; i < sampling->timed_count; i++) {
        struct registration *thread = sampling->timed[i];
        struct cpu_time now;
        /* One that has stopped its timer may have ended, and the clock be that of another. */
        if (!own_timer_signal(&thread->timer) || !cpu_time_read(thread->info.cpu_clock, clock_now(), &now))
            continue;
        thread->sampled.even_from = thread->sampled.even_to;
        thread->sampled.even_to = now;
        sampling->finding.timed_ran_ns += now.cpu_ns - thread->sampled.even_from.cpu_ns;
    }
}

static void put(struct sampling *sampling, struct registration *thread, const struct timed_sample *sample)
{
    const struct raw_stack *raw = &sample->raw;
    count_held(sampling, sample->held_ns);
    put_stack(sampling, thread, raw);
    thread->sampled.timed_cpu_ns = even_cpu_ns(thread, raw->time);
    put_sample(sampling, thread, raw->time, thread->sampled.timed_cpu_ns, raw);
    sampling_count(sampling, STATISTIC_SAMPLES_SIGNALLED, 1);
}

void timed_put(struct sampling *sampling, uint64_t until)
{
    for (size_t i = 0; i < sampling->timed_count; i++) {
        struct registration *thread = sampling->timed[i];
        const struct timed_sample *sample = own_timer_oldest(&thread->timer);
        /* One row a tick: there may be the answer to a signal from before it had its timer. */
        if (thread->sampled.row_tick == sampling->tick)
            continue;
        if (sample && sample->raw.time < until) {
            put(sampling, thread, sample);
            own_timer_take(&thread->timer);
        } else if (!own_timer_signal(&thread->timer)) {
            sampling_count(sampling, STATISTIC_SAMPLES_SAME, 1); /* it waits where its last signal found it */
        } else if (sampling->stride > 1) {
            put_held(sampling, thread, sampling->tick_time);
        }
    }
}

static void give_up_old(struct sampling *sampling, struct registration *thread)
{
    uint64_t lost = atomic_exchange_explicit(&thread->timer.lost, 0, memory_order_relaxed);
    for (; own_timer_count(&thread->timer) > WAITING_MOST; lost++)
        own_timer_take(&thread->timer);
    sampling_count(sampling, STATISTIC_SAMPLES_LOST, lost);
    sampling_count(sampling, STATISTIC_INTERRUPTED_CALLS,
                   atomic_exchange_explicit(&thread->timer.interrupted, 0, memory_order_relaxed));
}

/* It has run, and no signal came: it blocks them. */
static bool is_silent(const struct sampling *sampling, const struct registration *thread)
{
    return thread->sampled.even_to.cpu_ns - thread->sampled.timed_cpu_ns >= sampling->stride * sampling_patience_ns(sampling);
}

/* Back among those that are asked. */
static void drop(struct registration *thread)
{
    own_timer_stop(&thread->timer);
    while (own_timer_oldest(&thread->timer))
        own_timer_take(&thread->timer);
    thread->sampled.timed = false;
    thread->sampled.last = NULL;
    thread->sampled.watch = (struct cpu_watch){0};
    thread->sampled.seen_cpu_ns = thread->sampled.asked_cpu_ns = thread->sampled.cpu_ns;
}

static void judge_wait(const struct sampling *sampling, struct registration *thread)
{
    uint32_t *doublings = &thread->sampled.busy_doublings;
    uint64_t kept = sampling->tick - thread->sampled.timed_since;
    bool long_enough = kept >= LONG_TICKS && kept >= LONG_TIMES * (uint64_t)looks_needed(thread);
    if (long_enough && *doublings > 0)
        --*doublings;
    else if (!long_enough && *doublings < DOUBLINGS)
        ++*doublings;
}

void timed_judge(struct sampling *sampling)
{
    size_t left = 0;
    for (size_t i = 0; i < sampling->timed_count; i++) {
        struct registration *thread = sampling->timed[i];
        give_up_old(sampling, thread);
        bool waited = !own_timer_signal(&thread->timer);
        if (waited)
            judge_wait(sampling, thread);
        if (waited || is_silent(sampling, thread))
            drop(thread);
        else
            sampling->timed[left++] = thread;
    }
    sampling->timed_count = left;
}

void timed_set_stride(struct sampling *sampling, uint64_t stride)
{
    if (sampling->stride == stride)
        return;
    sampling->stride = stride;
    for (size_t i = 0; i < sampling->timed_count; i++) {
        handler_pace_timer(sampling->timed[i], first_sample(sampling), stride * sampling->interval_ns);
    }
}

void timed_stop(struct sampling *sampling)
{
    for (size_t i = 0; i < sampling->timed_count; i++) {
        drop(sampling->timed[i]);
        own_timer_remove(&sampling->timed[i]->timer);
    }
    sampling->timed_count = 0;
}
