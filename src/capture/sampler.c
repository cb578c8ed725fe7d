#include "capture/alone.h"
#include "capture/announced_wait.h"
#include "capture/clock.h"
#include "capture/counters.h"
#include "capture/follow.h"
#include "capture/handler.h"
#include "capture/handler_number.h"
#include "capture/internal_thread.h"
#include "capture/lifecycle.h"
#include "capture/link.h"
#include "capture/log.h"
#include "capture/pages.h"
#include "capture/registry.h"
#include "capture/sampler_private.h"
#include "capture/timed.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    CPU_EVERY = 64,    /* ticks between readings of the sampler's own CPU clock */
    CHECK_EVERY = 256, /* … and between looks whether the signal is still ours */
    YOUNG_TICKS = 16,  /* so long nothing is prepared for later: many processes do not live to need it */
};

/* --- one loop ------------------------------------------------------------------------------------------------------------ */

/* Those that were found waiting, and will be found there again. */
static uint64_t waiting_rows(const struct sampling *sampling)
{
    return sampling->counts[STATISTIC_SAMPLES_SAME] + sampling->counts[STATISTIC_SAMPLES_REMOTE];
}

static void look_at_threads(const struct core_locked *locked, struct sampler *sampler, uint64_t now)
{
    struct sampling *sampling = &sampler->sampling;
    uint64_t before = waiting_rows(sampling);
    sampler->wait_ends = announced_wait_ends();
    uint64_t cpu_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
    sampling->our_off_ns = now - cpu_ns;
    for (struct registration *thread = registry_first(locked); thread; thread = thread->next)
        sample_look(sampling, thread);
    sampling->all_were_idle = false;
    sampler->slept.rows = waiting_rows(sampling) - before;
    next_loop_reckon(&sampler->next, sampling, cpu_ns);
}

/* What the chunk that goes next says, and no other, is said again. `sampled`: there was a tick. */
static void restate_and_prepare(const struct core_locked *locked, struct sampler *sampler, uint64_t now, bool sampled)
{
    struct stack_writer *writer = &sampler->sampling.writer;
    uint64_t victim = chunk_manager_next_victim(writer->chunks, CHUNK_SAMPLES);
    if (victim != sampler->last_victim)
        for (struct registration *thread = registry_first(locked); thread; thread = thread->next)
            stack_writer_restate(writer, now, thread, victim);
    sampler->last_victim = victim;
    if (sampler->sampling.tick > YOUNG_TICKS || !sampled)
        chunk_manager_prepare(writer->chunks);
}

/* The threads that were asked answer, whatever happens to the signal; if none does, the program may have taken it. */
static void check_signal(struct sampler *sampler)
{
    if (sampler->sampling.tick < sampler->next_check)
        return;
    sampler->next_check = sampler->sampling.tick + CHECK_EVERY;
    if (!handler_check())
        log_line(LOG_WARNING, "the program took the sampling signal; another one is used");
}

static void note_cpu(struct sampler *sampler)
{
    if (sampler->sampling.tick < sampler->next_cpu)
        return;
    sampler->next_cpu = sampler->sampling.tick + CPU_EVERY;
    uint64_t now = clock_read(CLOCK_THREAD_CPUTIME_ID);
    sampling_count(&sampler->sampling, STATISTIC_SAMPLER_CPU_NS, now - sampler->cpu_ns);
    sampler->cpu_ns = now;
}

/* They may come later than the base. */
static void look_for_parts(const struct core_locked *locked, struct sampler *sampler)
{
    struct sampling *sampling = &sampler->sampling;
    const struct capture_parts *parts = core_state(locked)->parts;
    if (parts == sampling->parts)
        return;
    sampling->parts = parts;
    handler_use(parts, sampling->features & FEATURE_BIT(FEATURE_STACKWALK));
}

static void sample_all(const struct core_locked *locked, struct sampler *sampler, struct loop_stamps *stamps)
{
    struct sampling *sampling = &sampler->sampling;
    tick_put(sampling, stamps->cleaned, stamps->cleaned);
    if (sampling->parts)
        sampling->parts->tick(sampling->tick_time);
    counters_tick(locked, sampling->tick_time);
    stamps->counted = clock_now();
    look_at_threads(locked, sampler, stamps->counted);
    stamps->sampled = clock_now();
    restate_and_prepare(locked, sampler, stamps->sampled, true);
    check_signal(sampler);
    if (sampling->parts)
        sampling->parts->after_tick(stamps->sampled);
}

/* False when the session is over. */
static bool loop(struct sampler *sampler)
{
    struct sampling *sampling = &sampler->sampling;
    struct loop_stamps stamps = {.start = clock_now()};
    const struct core_locked *locked = core_lock();
    stamps.locked = clock_now();
    struct active_state *active = active_state(locked);
    if (!active || active->generation != sampling->generation) {
        core_unlock(locked);
        return false;
    }
    sampling_count(sampling, STATISTIC_TICKS_MISSED, sampler->missed);
    look_for_parts(locked, sampler);
    sample_collect(sampling);
    handler_collect(locked);
    sample_read_held(sampling);
    timed_read_clocks(sampling);
    sampler_put_slept_ticks(locked, sampler, sampler->schedule.next);
    sampler->slept.left = 0;
    sampling->held_count = 0;
    timed_put(sampling, clock_now());
    timed_judge(sampling);
    bool calls_are_due = after_sampling_advance(&sampler->calls, active, sampling->asked_count == 0);
    registry_collect(locked);
    link_receive(locked, active);
    stamps.cleaned = clock_now();
    bool paused = sampler_is_paused(active);
    if (!paused) {
        sample_all(locked, sampler, &stamps);
        loop_times_add(&sampler->times, &stamps, &sampling->writer);
    } else {
        timed_stop(sampling);
        restate_and_prepare(locked, sampler, stamps.cleaned, false);
    }
    bool obeyed = chunk_manager_obey(active->chunks);
    link_report(locked, active, obeyed);
    note_cpu(sampler);
    /* Memory that is beyond the limit has to be given back as soon as that is possible. */
    bool urgent = after_sampling_pending(&sampler->calls) || !obeyed;
    next_loop_decide(&sampler->next, sampling, sampler->schedule.next, urgent);
    sampling_flush(sampling);
    core_unlock(locked);

    if (calls_are_due)
        after_sampling_call_due(&sampler->calls);
    if (paused)
        after_sampling_call_paused(&sampler->calls);
    lifecycle_after_loop(sampling->generation);
    return true;
}

/* Where threads have timers, ticks are not missed because the sampler wakes up late: their samples are there. */
static uint64_t late_ticks(const struct sampler *sampler)
{
    return sampler->next.timed ? own_timer_samples(sampler->sampling.interval_ns) / 2 : 0;
}

/* The session is not over, and nobody waits for the next loop. */
static bool may_sleep_long(const struct sampler *sampler, const struct active_state *active)
{
    return active && active->generation == sampler->sampling.generation && active->after_sampling_count == 0;
}

/* How many ticks it may sleep through: none if there is something to do by now. From here on others write them. */
static uint64_t begin_long_sleep(struct sampler *sampler)
{
    struct sampling *sampling = &sampler->sampling;
    uint64_t next = sampler->schedule.next, ticks = 0;
    const struct core_locked *locked = core_lock();
    const struct active_state *active = active_state(locked);
    if (may_sleep_long(sampler, active)) {
        uint64_t deadline = lifecycle_next_deadline(locked);
        uint64_t until_then = deadline > next ? (deadline - next - 1) / sampling->interval_ns + 1 : 0;
        ticks = sampler->next.ticks - 1 < until_then ? sampler->next.ticks - 1 : until_then;
        sampler->slept.next = next;
        sampler->slept.thrifty = sampler->next.thrifty;
        sampler->slept.left = ticks > 0 ? ticks + late_ticks(sampler) : 0;
    }
    core_unlock(locked);
    return ticks;
}

static void rest(struct sampler *sampler)
{
    struct idle_finding *finding = &sampler->sampling.finding;
    uint64_t until = schedule_next(&sampler->schedule, clock_now(), &sampler->missed), ticks = 0;
    bool may_sleep = sampler->next.ticks > 1 && !sampler->long_sleep.off;
    if (may_sleep && (!sampler->next.announced || announced_waits_rely(sampler->wait_ends)))
        ticks = begin_long_sleep(sampler);
    if (ticks > 0) {
        uint64_t end = sampler->schedule.next + ticks * sampler->sampling.interval_ns;
        bool may_work = sampler->next.timed || sampler->next.thrifty;
        finding->alarmed = long_sleep_until(&sampler->long_sleep, end, may_work ? 0 : LONG_SLEEP_SOON_NS);
        finding->thrifty = sampler->next.thrifty;
        finding->called = sampler->next.announced && announced_wait_ends() != sampler->wait_ends;
    }
    announced_waits_rely_no_more();
    if (ticks > 0) {
        uint64_t now = clock_now();
        finding->ticks += schedule_skip(&sampler->schedule, now, ticks);
        finding->ticks += schedule_skip_late(&sampler->schedule, now, late_ticks(sampler));
        until = sampler->schedule.next;
        if (until <= now)
            return; /* the kernel would sleep for no time, which takes it 20 µs */
    }
    clock_sleep_until(until);
}

/* --- the thread ---------------------------------------------------------------------------------------------------------- */

static void rest_calling_nobody(struct sampler *sampler)
{
    atomic_store_explicit(&sampler->rests, true, memory_order_relaxed);
    rest(sampler);
    atomic_store_explicit(&sampler->rests, false, memory_order_relaxed);
}

/* Outside the loops nothing of the session is looked at: it may be over by now. */
void sampler_run(struct sampler *sampler)
{
    struct sampling *sampling = &sampler->sampling;
    sampler->cpu_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
    sampler->schedule = (struct schedule){.interval_ns = sampling->interval_ns,
                                          .next = sampler_tick_before(clock_now(), sampling->interval_ns)};
    if (sampler->begins_late) {
        uint64_t ticks = next_loop_look(&sampler->next, sampling, sampler->schedule.next);
        sampler->schedule.next += (ticks - 1) * sampling->interval_ns;
        rest(sampler);
    }
    /* The kernel may otherwise let it sleep 50 µs longer, to wake it together with others. */
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    idle_begin(&sampler->next.idle, sampling->interval_ns, long_sleep_begin(&sampler->long_sleep));
    atomic_store_explicit(&sampler->rests, false, memory_order_relaxed);
    while (loop(sampler))
        rest_calling_nobody(sampler);
    long_sleep_end(&sampler->long_sleep);
    after_sampling_call_stopped(&sampler->calls);
    if (sampler->ends_alone)
        pages_unmap(sampler, sizeof *sampler);
}

static void *run(void *sampler)
{
    internal_thread_begin();
    sampler_run(sampler);
    return NULL;
}

struct sampler *sampler_start(const struct core_locked *locked, const pthread_t *thread, struct error *error)
{
    struct active_state *active = active_state(locked);
    struct sampler *sampler = pages_map_lasting(sizeof *sampler);
    if (!sampler) {
        error_out_of_memory(error);
        return NULL;
    }
    int number = handler_install();
    if (number < 0) {
        error_set(error, number, "no real-time signal is free for the sampler");
        pages_unmap(sampler, sizeof *sampler);
        return NULL;
    }
    struct sampling *sampling = &sampler->sampling;
    sampling->generation = active->generation;
    sampling->features = active->features;
    sampling->interval_ns = active->interval_ns;
    sampling->kernel_tick_ns = clock_kernel_tick_ns();
    sampling->writer.chunks = active->chunks;
    sampling->header = chunk_manager_header(active->chunks);
    next_loop_begin(&sampler->next, sampling);
    handler_use(NULL, sampling->features & FEATURE_BIT(FEATURE_STACKWALK));
    look_for_parts(locked, sampler);
    loop_times_begin(&sampler->times);
    sampler_adopt(locked, sampler);
    bool makes_thread = !thread && !alone_is();
    sampler->begins_late = makes_thread && follow_wants_children();
    /* A process may be at its end before this thread has got a CPU for the first time. */
    atomic_store_explicit(&sampler->rests, sampler->begins_late, memory_order_relaxed);
    if (thread)
        sampler_give_thread(sampler, *thread);
    if (makes_thread)
        sampler->has_thread = true;
    int code = !makes_thread ? 0 : internal_thread_create(&sampler->thread, "SamplerThread", SAMPLER_STACK_BYTES, run, sampler);
    if (code < 0) {
        error_set(error, code, "the sampler thread cannot be made: %s", strerrordesc_np(-code));
        pages_unmap(sampler, sizeof *sampler);
        return NULL;
    }
    return sampler;
}

void sampler_give_thread(struct sampler *sampler, pthread_t thread)
{
    sampler->thread = thread;
    sampler->has_thread = true;
}

void sampler_begins_idle(struct sampler *sampler)
{
    sampler->sampling.all_were_idle = true;
}

void sampler_end(const struct core_locked *locked, struct sampler *sampler, bool for_good)
{
    struct sampling *sampling = &sampler->sampling;
    handler_rest();
    handler_answer_now();
    sample_collect(sampling);
    timed_read_clocks(sampling);
    /* At the end of the process nobody waits for it: it would only take the CPU from others, to find out that it is over. */
    if (for_good)
        sampler_catch_up_with(locked, sampler);
    else
        sampler_wake(locked);
    timed_put(sampling, clock_now());
    timed_stop(sampling);
    stack_writer_end(&sampling->writer, clock_now());
    sampling_flush(sampling);
}

void sampler_join(struct sampler *sampler)
{
    if (!sampler)
        return;
    if (!sampler->has_thread) {
        pages_unmap(sampler, sizeof *sampler);
        return;
    }
    if (pthread_equal(sampler->thread, pthread_self())) {
        sampler->ends_alone = true;
        pthread_detach(sampler->thread);
        return;
    }
    pthread_join(sampler->thread, NULL);
    pages_unmap(sampler, sizeof *sampler);
}

bool sampler_leave(struct sampler *sampler)
{
    if (!sampler->has_thread)
        return true;
    bool calls_nobody = atomic_load_explicit(&sampler->rests, memory_order_relaxed) && !after_sampling_pending(&sampler->calls);
    if (calls_nobody) {
        internal_threads_end_here();
        pthread_detach(sampler->thread);
    }
    return calls_nobody;
}

void sampler_forget(struct sampler *sampler)
{
    handler_use(NULL, false);
    pages_unmap(sampler, sizeof *sampler);
}

void sampler_statistics(const struct core_locked *locked, const struct sampler *sampler, struct sonde_buffer_info *info)
{
    (void)locked;
    loop_times_tell(&sampler->times, info);
}
