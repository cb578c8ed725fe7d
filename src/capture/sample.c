#include "capture/sample.h"

#include "capture/announced_wait.h"
#include "capture/clock.h"
#include "capture/cpu_time.h"
#include "capture/feature_set.h"
#include "capture/handler.h"
#include "capture/pages.h"
#include "capture/sample_put.h"
#include "capture/syscall_file.h"
#include "capture/timed.h"

enum { LONGEST_SKIP_SHIFT = 12 }; /* a thread that never answers is asked every 2^12 ticks */

/* --- whether anybody works ----------------------------------------------------------------------------------------------- */

/* CPU time that the thread has used since it was last looked at. */
static uint64_t cpu_time_since(const struct registration *thread, uint64_t cpu_ns)
{
    uint64_t before = thread->sampled.waiting ? thread->sampled.seen_cpu_ns : thread->sampled.cpu_ns;
    return cpu_ns > before ? cpu_ns - before : 0;
}

static void note_other(struct sampling *sampling, const struct registration *thread)
{
    sampling->finding.others = true;
    sampling->finding.unannounced |= !announced_wait_is(thread);
}

/* It is not where it was. A thread that has just come was nowhere. One that will say when its wait is over need not be looked
 * at again so soon. */
static void note_news(struct sampling *sampling, const struct registration *thread, bool blocked)
{
    sampling->finding.works |= !blocked || !announced_wait_is(thread);
    sampling->finding.elsewhere |= blocked && thread->sampled.stack_chunk != 0;
}

/* --- by signal ----------------------------------------------------------------------------------------------------------- */

/* Until the next look, which may be some ticks away. */
static void hold(struct sampling *sampling, struct registration *thread)
{
    if (sampling->stride == 1 || thread->sampled.timed || thread->sampled.is_over || sampling->held_count == ASKED_MAX)
        return;
    thread->sampled.even_from = (struct cpu_time){thread->sampled.asked_cpu_ns, thread->sampled.asked_time};
    sampling->held[sampling->held_count++] = thread;
}

static void take_answer(struct sampling *sampling, struct registration *thread)
{
    const struct raw_stack *raw = &thread->slot.raw;
    count_held(sampling, atomic_load_explicit(&thread->slot.held_ns, memory_order_relaxed));
    sampling_count(sampling, STATISTIC_INTERRUPTED_CALLS, thread->slot.interrupted);
    /* The stack is from the moment of the handler. If the thread ran a long time between, it is not the one asked for. */
    if (thread->sampled.seen_cpu_ns - thread->sampled.asked_cpu_ns >= sampling_patience_ns(sampling))
        return;
    /* It was looked at from outside meanwhile, and the answer may be older than that. */
    if (thread->sampled.row_tick == sampling->tick)
        return;
    thread->sampled.timeouts = 0;
    put_stack(sampling, thread, raw);
    thread->sampled.last = raw;
    thread->sampled.answered_at = thread->slot.asked_in;
    thread->sampled.answered_cpu_ns = thread->sampled.asked_cpu_ns;
    put_sample(sampling, thread, thread->sampled.asked_time, thread->sampled.asked_cpu_ns, raw);
    sampling_count(sampling, STATISTIC_SAMPLES_SIGNALLED, 1);
    timed_note_stack(thread);
    hold(sampling, thread);
}

void sample_collect(struct sampling *sampling)
{
    size_t left = 0;
    for (size_t i = 0; i < sampling->asked_count; i++) {
        struct registration *thread = sampling->asked[i];
        if (!thread->sampled.waiting || thread->sampled.generation != sampling->generation)
            continue; /* it is another thread by now */
        if (handler_answered(thread)) {
            thread->sampled.waiting = false;
            take_answer(sampling, thread);
        } else {
            sampling->asked[left++] = thread;
        }
    }
    sampling->asked_count = left;
}

void sample_read_held(struct sampling *sampling)
{
    size_t left = 0;
    for (size_t i = 0; i < sampling->held_count; i++) {
        struct registration *thread = sampling->held[i];
        if (!thread->sampled.is_over && cpu_time_read(thread->info.cpu_clock, clock_now(), &thread->sampled.even_to))
            sampling->held[left++] = thread;
    }
    sampling->held_count = left;
}

void sample_put_held(struct sampling *sampling, uint64_t time)
{
    for (size_t i = 0; i < sampling->held_count; i++)
        put_held(sampling, sampling->held[i], time);
}

static void ask(struct sampling *sampling, struct registration *thread, const struct cpu_time *now)
{
    if (!thread->sampled.timed)
        note_news(sampling, thread, thread->sampled.blocked_at.pc != 0);
    if (sampling->tick < thread->sampled.skip_until || sampling->asked_count == ASKED_MAX) {
        put_unknown(sampling, thread, now);
        return;
    }
    /* slot.raw is the handler's now. */
    if (thread->sampled.last == &thread->slot.raw)
        thread->sampled.last = NULL;
    thread->slot.asked_in = thread->sampled.blocked_at;
    if (!handler_ask(thread)) {
        put_unknown(sampling, thread, now);
        return;
    }
    thread->sampled.waiting = true;
    sampling->asked[sampling->asked_count++] = thread;
    thread->sampled.asked_time = now->time;
    thread->sampled.asked_cpu_ns = thread->sampled.seen_cpu_ns = now->cpu_ns;
}

/* --- from outside -------------------------------------------------------------------------------------------------------- */

/* False when there is no need to: the thread runs at this very moment. */
static bool open_file_late(struct registration *thread)
{
    if (clock_read(thread->info.cpu_clock) != thread->sampled.seen_cpu_ns)
        return false;
    thread->sampled.syscall_fd = syscall_file_open(thread->info.tid);
    thread->sampled.syscall_later = false;
    return true;
}

/* The base alone cannot look. But a thread that waits must not be asked for ever because it answers: one that only answered,
 * and when it was asked once more only answered again, was already waiting the second time. */
static bool waits_by_its_clock(struct registration *thread)
{
    bool again = thread->sampled.only_answered;
    thread->sampled.only_answered = registration_only_answered(thread);
    return again && thread->sampled.only_answered;
}

static enum blocked_result look_from_outside(struct sampling *sampling, struct registration *thread)
{
    if (!sampling->parts)
        return waits_by_its_clock(thread) ? BLOCKED_SAME : BLOCKED_NOT;
    if (thread->sampled.syscall_later && !open_file_late(thread))
        return BLOCKED_NOT;
    if (!thread->sampled.blocked)
        thread->sampled.blocked = pages_map(sizeof *thread->sampled.blocked);
    if (!thread->sampled.blocked)
        return BLOCKED_NOT;
    enum blocked_result result = sampling->parts->look_at_blocked(thread, thread->sampled.blocked);
    /* Anything else may have written into it. */
    if (result != BLOCKED_SAME && thread->sampled.last == thread->sampled.blocked)
        thread->sampled.last = NULL;
    return result;
}

static void take_from_outside(struct sampling *sampling, struct registration *thread, const struct cpu_time *now)
{
    struct raw_stack *raw = thread->sampled.blocked;
    thread->sampled.last = raw;
    note_news(sampling, thread, true);
    if (!(sampling->features & FEATURE_BIT(FEATURE_STACKWALK)) && raw->native_count > 1) {
        raw->native_count = 1;
        raw->end = UNWIND_COMPLETE;
    }
    put_stack(sampling, thread, raw);
    put_sample(sampling, thread, now->time, now->cpu_ns, NULL);
    sampling_count(sampling, STATISTIC_SAMPLES_REMOTE, 1);
}

/* --- one look ------------------------------------------------------------------------------------------------------------ */

/* A thread that says it sleeps is looked at once more, and then left alone until it wakes. */
static bool sleeps_observed(struct registration *thread)
{
    uint32_t sleep = atomic_load_explicit(&thread->sleep, memory_order_relaxed);
    if (sleep == THREAD_SLEEPING_NOT_OBSERVED)
        /* Fails where it woke up this very moment. */
        atomic_compare_exchange_strong_explicit(&thread->sleep, &sleep, THREAD_SLEEPING_OBSERVED, memory_order_relaxed,
                                                memory_order_relaxed);
    else if (sleep == THREAD_SLEEPING_OBSERVED)
        return true;
    return false;
}

/* Its stack cannot be taken from outside, and it was asked for it when it was here before, and has not run for longer than that
 * took: it went back to its wait. If it were asked again and again the time limit of that wait would never be over
 * (call_again.h). */
static bool went_back(const struct registration *thread)
{
    enum { DELIVERY_MOST_NS = 100000, HANDLER_MOST_NS = 1000000 };
    const struct blocked_at *here = &thread->sampled.blocked_at, *answered = &thread->sampled.answered_at;
    uint64_t held = atomic_load_explicit(&thread->slot.held_ns, memory_order_relaxed);
    uint64_t most = (held < HANDLER_MOST_NS ? held : HANDLER_MOST_NS) + DELIVERY_MOST_NS;
    return here->pc == answered->pc && here->sp == answered->sp &&
           thread->sampled.seen_cpu_ns - thread->sampled.answered_cpu_ns <= most;
}

/* True if that was enough; else it has to be asked. */
static bool looked_from_outside(struct sampling *sampling, struct registration *thread, const struct cpu_time *now)
{
    thread->sampled.seen_cpu_ns = now->cpu_ns;
    enum blocked_result result = look_from_outside(sampling, thread);
    if ((result == BLOCKED_NEEDS_SIGNAL || result == BLOCKED_WITH_LIMIT) && went_back(thread))
        result = BLOCKED_SAME;
    switch (result) {
    case BLOCKED_SAME:
        if (now->cpu_ns != thread->sampled.cpu_ns)
            put_sample(sampling, thread, now->time, now->cpu_ns, NULL);
        sampling_count(sampling, STATISTIC_SAMPLES_SAME, 1);
        return true;
    case BLOCKED_STACK:
    case BLOCKED_UNSIGNALLABLE:
        take_from_outside(sampling, thread, now);
        return true;
    case BLOCKED_WITH_LIMIT:
        if (sampling->all_were_idle)
            take_from_outside(sampling, thread, now);
        return sampling->all_were_idle;
    case BLOCKED_NEEDS_SIGNAL:
    case BLOCKED_NOT:
        return false;
    }
    return false;
}

/* It was asked in an earlier tick and has not answered. */
static void look_at_silent(struct sampling *sampling, struct registration *thread, const struct cpu_time *now)
{
    if (now->cpu_ns == thread->sampled.seen_cpu_ns) {
        sampling_count(sampling, STATISTIC_SAMPLES_SAME, 1);
        return;
    }
    uint64_t patience = sampling_patience_ns(sampling), asked = thread->sampled.asked_cpu_ns;
    bool had_patience = thread->sampled.seen_cpu_ns - asked < patience;
    if (looked_from_outside(sampling, thread, now))
        return;
    if (now->cpu_ns - asked < patience) {
        sampling_count(sampling, STATISTIC_SAMPLES_LOST, 1);
        return;
    }
    if (had_patience) {
        sampling_count(sampling, STATISTIC_TIMEOUTS, 1);
        if (thread->sampled.timeouts < LONGEST_SKIP_SHIFT)
            thread->sampled.timeouts++;
        thread->sampled.skip_until = sampling->tick + (UINT64_C(1) << thread->sampled.timeouts);
    }
    put_unknown(sampling, thread, now);
}

/* It has not run, again. */
static void stays_idle(struct sampling *sampling, struct registration *thread)
{
    enum { LATE_SHARE = 512, LATEST = 3 };
    sampling_count(sampling, STATISTIC_SAMPLES_SAME, 1);
    thread->sampled.busy = 0;
    if (thread->info.main || thread->hooks.event_delay)
        return;
    uint64_t pause = ++thread->sampled.idle / LATE_SHARE;
    thread->sampled.look_at = sampling->tick + 1 + (pause < LATEST ? pause : LATEST);
}

void sample_begin(const struct sampling *sampling, struct registration *thread)
{
    thread->sampled.generation = sampling->generation;
    thread->sampled.last = NULL;
    thread->sampled.watch = (struct cpu_watch){0};
    thread->sampled.waiting = false;
    thread->sampled.timed = thread->sampled.by_cpu.waits = false; /* it may have been the parent's, before a fork */
    thread->sampled.timeouts = thread->sampled.idle = thread->sampled.busy = thread->sampled.busy_doublings = 0;
    thread->sampled.skip_until = thread->sampled.look_at = thread->sampled.row_tick = 0;
}

/* By all means that there are. */
static void look(struct sampling *sampling, struct registration *thread, const struct cpu_time *now, bool ran)
{
    thread->sampled.idle = 0;
    if (!ran && looked_from_outside(sampling, thread, now)) {
        thread->sampled.busy /= 2;
        timed_consider_waiting(sampling, thread, now);
    } else {
        timed_consider(sampling, thread, now);
        ask(sampling, thread, now);
    }
}

void sample_look(struct sampling *sampling, struct registration *thread)
{
    uint32_t features = atomic_load_explicit(&thread->features, memory_order_relaxed);
    if (!(features & (THREAD_CPU | THREAD_SAMPLING)) || (!sampling->parts && !thread->info.main))
        return;
    if (thread->sampled.generation != sampling->generation)
        sample_begin(sampling, thread);
    bool stack = features & THREAD_SAMPLING && !(sampling->features & FEATURE_BIT(FEATURE_NOSTACKSAMPLING));
    bool known = thread->sampled.stack_chunk != 0;
    if (thread->sampled.timed)
        return;
    if ((sleeps_observed(thread) || sampling->tick < thread->sampled.look_at) && known) {
        note_other(sampling, thread);
        sampling_count(sampling, STATISTIC_SAMPLES_SAME, 1);
        return;
    }
    struct cpu_time now;
    if (!cpu_time_read(thread->info.cpu_clock, clock_now(), &now)) {
        sampling_count(sampling, STATISTIC_SAMPLES_LOST, 1); /* it has just ended */
        return;
    }
    uint64_t ran_ns = cpu_time_since(thread, now.cpu_ns);
    bool ran = cpu_watch_ran(&thread->sampled.watch, &now, now.time - sampling->our_off_ns);
    thread->sampled.blocked_at = (struct blocked_at){0};
    if (!stack) {
        if (now.cpu_ns != thread->sampled.cpu_ns)
            put_sample(sampling, thread, now.time, now.cpu_ns, NULL);
    } else if (thread->sampled.waiting) {
        look_at_silent(sampling, thread, &now);
    } else if (known && now.cpu_ns == thread->sampled.cpu_ns) {
        stays_idle(sampling, thread);
    } else {
        look(sampling, thread, &now, ran);
    }
    if (thread->sampled.timed) {
        sampling->finding.timed_ran_ns += ran_ns;
    } else {
        sampling->finding.ran_ns += ran_ns;
        note_other(sampling, thread);
    }
}
