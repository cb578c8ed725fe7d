#include "capture/timed.h"

#include "capture/announced_wait.h"
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

/* The kernel looks at timers of CPU time in its own ticks: where threads are not to be asked more often, these do. */
static bool goes_by_cpu(const struct sampling *sampling)
{
    return sampling->stride > 1 && sampling->stride * sampling->interval_ns >= sampling->kernel_tick_ns;
}

static struct own_timer_pace pace_now(const struct sampling *sampling)
{
    uint64_t interval = sampling->stride * sampling->interval_ns;
    bool by_cpu = goes_by_cpu(sampling);
    return (struct own_timer_pace){by_cpu, by_cpu ? interval : first_sample(sampling), interval};
}

/* From now on it takes samples by itself. */
static void add(struct sampling *sampling, struct registration *thread, const struct cpu_time *now)
{
    thread->sampled.busy = 0;
    thread->sampled.timed = true;
    thread->sampled.timed_since = sampling->tick;
    thread->sampled.timed_cpu_ns = now->cpu_ns;
    thread->sampled.timed_clocks = thread->sampled.even_from = thread->sampled.even_to = *now;
    thread->sampled.by_cpu.has_waited = false;
    thread->sampled.by_cpu.waited_times = -1;
    sampling->timed[sampling->timed_count++] = thread;
}

static void begin(struct sampling *sampling, struct registration *thread, const struct cpu_time *now)
{
    if (sampling->timed_count == TIMED_MAX || atomic_load_explicit(&thread->waits_for_signals, memory_order_relaxed))
        return;
    while (own_timer_oldest(&thread->timer))
        own_timer_take(&thread->timer);
    struct own_timer_pace pace = pace_now(sampling);
    if (!handler_start_timer(thread, &pace))
        return;
    add(sampling, thread, now);
    /* It was just seen there. */
    thread->sampled.by_cpu.waits =
        thread->sampled.blocked_at.pc != 0 && atomic_load_explicit(&thread->announced_at, memory_order_relaxed) != 0;
    atomic_store_explicit(&thread->timer.is_to_go_on, thread->sampled.by_cpu.waits, memory_order_relaxed);
    thread->sampled.by_cpu.spoke = true; /* it has just been asked */
}

void timed_adopt(struct sampling *sampling, struct registration *thread)
{
    const struct timed_sample *oldest = own_timer_oldest(&thread->timer);
    struct cpu_time since = {thread->sampled.cpu_ns, clock_now()};
    if (oldest)
        since = (struct cpu_time){oldest->cpu_ns, oldest->raw.time};
    sample_begin(sampling, thread);
    thread->sampled.cpu_ns = since.cpu_ns;
    add(sampling, thread, &since);
    thread->sampled.by_cpu.waits = thread->sampled.by_cpu.spoke = false;
}

void timed_consider(struct sampling *sampling, struct registration *thread, const struct cpu_time *now)
{
    if (++thread->sampled.busy >= (goes_by_cpu(sampling) ? 1 : looks_needed(thread)))
        begin(sampling, thread, now);
}

void timed_consider_waiting(struct sampling *sampling, struct registration *thread, const struct cpu_time *now)
{
    if (goes_by_cpu(sampling) && announced_wait_is(thread)) {
        begin(sampling, thread, now);
        timed_note_stack(thread);
    }
}

void timed_note_stack(struct registration *thread)
{
    if (!thread->sampled.timed || !own_timer_is_by_cpu(&thread->timer) || !announced_wait_is(thread))
        return;
    thread->sampled.by_cpu.waits = true;
    atomic_store_explicit(&thread->timer.is_to_go_on, true, memory_order_relaxed);
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
        sampling->finding.timed_ran_ns += now.cpu_ns - thread->sampled.timed_clocks.cpu_ns;
        thread->sampled.timed_clocks = now;
        if (!own_timer_is_by_cpu(&thread->timer)) {
            thread->sampled.even_from = thread->sampled.even_to;
            thread->sampled.even_to = now;
        }
    }
}

static void put(struct sampling *sampling, struct registration *thread, const struct timed_sample *sample)
{
    const struct raw_stack *raw = &sample->raw;
    count_held(sampling, sample->held_ns);
    put_stack(sampling, thread, raw);
    thread->sampled.timed_cpu_ns = sample->cpu_ns ? sample->cpu_ns : even_cpu_ns(thread, raw->time);
    put_sample(sampling, thread, raw->time, thread->sampled.timed_cpu_ns, raw);
    sampling_count(sampling, STATISTIC_SAMPLES_SIGNALLED, 1);
}

static void hear(struct registration *thread, const struct timed_sample *sample)
{
    bool ran_before = !thread->sampled.by_cpu.waits && sample->kind == TIMED_RUNS;
    long before = thread->sampled.by_cpu.waited_times;
    thread->sampled.by_cpu.spoke = true;
    thread->sampled.by_cpu.has_waited |= ran_before && before >= 0 && sample->waits != before;
    thread->sampled.by_cpu.waited_times = sample->waits;
    thread->sampled.by_cpu.waits = sample->kind == TIMED_WAITS;
    thread->sampled.even_from = (struct cpu_time){sample->cpu_ns, sample->raw.time};
}

/* What stands in the ring, up to the first stack, which is written. False: there is none before `until`. */
static bool put_from_ring(struct sampling *sampling, struct registration *thread, uint64_t until)
{
    const struct timed_sample *sample;
    bool is_put = false;
    while (!is_put && (sample = own_timer_oldest(&thread->timer)) && sample->raw.time < until) {
        is_put = sample->kind != TIMED_GOES_ON;
        if (is_put)
            put(sampling, thread, sample);
        if (sample->cpu_ns)
            hear(thread, sample);
        own_timer_take(&thread->timer);
    }
    return is_put;
}

/* Its row, in a tick in which it took no sample. By the CPU time: its clocks are known whenever it said something, and it ran
 * evenly from one of these to the next. */
static void put_between(struct sampling *sampling, struct registration *thread)
{
    const struct timed_sample *next = own_timer_oldest(&thread->timer);
    bool by_cpu = own_timer_is_by_cpu(&thread->timer);
    if (by_cpu)
        thread->sampled.even_to = next ? (struct cpu_time){next->cpu_ns, next->raw.time} : thread->sampled.timed_clocks;
    /* It waits: it has said so, or its last signal found it there. */
    if (by_cpu ? thread->sampled.by_cpu.waits : !own_timer_signal(&thread->timer))
        sampling_count(sampling, STATISTIC_SAMPLES_SAME, 1);
    else if (sampling->stride > 1 && thread->sampled.stack_chunk)
        put_held(sampling, thread, sampling->tick_time);
}

void timed_put(struct sampling *sampling, uint64_t until)
{
    for (size_t i = 0; i < sampling->timed_count; i++) {
        struct registration *thread = sampling->timed[i];
        /* One row a tick: there may be the answer to a signal from before it had its timer. */
        if (thread->sampled.row_tick == sampling->tick || thread->sampled.is_over)
            continue;
        if (!put_from_ring(sampling, thread, until))
            put_between(sampling, thread);
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
    return thread->sampled.timed_clocks.cpu_ns - thread->sampled.timed_cpu_ns >=
           sampling->stride * sampling_patience_ns(sampling);
}

/* Back among those that are asked. */
static void drop(struct registration *thread)
{
    own_timer_stop(&thread->timer);
    while (own_timer_oldest(&thread->timer))
        own_timer_take(&thread->timer);
    thread->sampled.timed = thread->sampled.by_cpu.waits = false;
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

/* By the CPU time: one that may wait without having said so has to be looked at. */
static bool has_told_all(const struct sampling *sampling, struct registration *thread)
{
    bool ran = thread->sampled.by_cpu.spoke && !thread->sampled.by_cpu.has_waited && !sampling->all_were_idle;
    bool told = thread->sampled.by_cpu.waits || ran;
    thread->sampled.by_cpu.spoke = false;
    return told;
}

static bool keeps_timer(struct sampling *sampling, struct registration *thread)
{
    bool is_on = own_timer_signal(&thread->timer);
    if (own_timer_is_by_cpu(&thread->timer))
        is_on &= has_told_all(sampling, thread);
    else if (!is_on)
        judge_wait(sampling, thread);
    return is_on && !is_silent(sampling, thread);
}

void timed_judge(struct sampling *sampling)
{
    size_t left = 0;
    for (size_t i = 0; i < sampling->timed_count; i++) {
        struct registration *thread = sampling->timed[i];
        give_up_old(sampling, thread);
        if (keeps_timer(sampling, thread))
            sampling->timed[left++] = thread;
        else
            drop(thread);
    }
    sampling->finding.unsteady |= left < sampling->timed_count;
    sampling->timed_count = left;
}

void timed_set_stride(struct sampling *sampling, uint64_t stride)
{
    if (sampling->stride == stride)
        return;
    sampling->stride = stride;
    struct own_timer_pace pace = pace_now(sampling);
    size_t count = sampling->timed_count;
    sampling->timed_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct registration *thread = sampling->timed[i];
        if (own_timer_is_by_cpu(&thread->timer) == pace.by_cpu) {
            handler_pace_timer(thread, &pace);
            sampling->timed[sampling->timed_count++] = thread;
        } else {
            bool waits = thread->sampled.by_cpu.waits;
            struct cpu_time clocks = thread->sampled.timed_clocks;
            drop(thread);
            if (!waits)
                begin(sampling, thread, &clocks);
        }
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
