#include "capture/sampler.h"

#include "capture/announced_wait.h"
#include "capture/clock.h"
#include "capture/counters.h"
#include "capture/follow.h"
#include "capture/handler.h"
#include "capture/handler_number.h"
#include "capture/idle.h"
#include "capture/internal_thread.h"
#include "capture/kept.h"
#include "capture/lifecycle.h"
#include "capture/link.h"
#include "capture/log.h"
#include "capture/long_sleep.h"
#include "capture/pages.h"
#include "capture/registry.h"
#include "capture/sample.h"
#include "capture/schedule.h"
#include "capture/thrift.h"
#include "capture/timed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum {
    TICK_ENTRY_MAX = 32,
    OVERHEAD_ENTRY_MAX = 128,
    CPU_EVERY = 64,    /* ticks between readings of the sampler's own CPU clock */
    CHECK_EVERY = 256, /* … and between looks whether the signal is still ours */
    YOUNG_TICKS = 16,  /* so long nothing is prepared for later: many processes do not live to need it */
};

ENTRY_WRITER(tick)
ENTRY_WRITER(overhead)

/* Ticks that the sampler sleeps through. Guarded by the core lock, and `left` is 0 while it does not sleep. */
struct slept_ticks {
    uint64_t next, left; /* the next one that is not written, and how many there are */
    uint64_t rows;       /* of each: threads, all as before */
};

/* One figure per loop, in ns. */
struct running {
    uint64_t count, sum, min, max;
};

struct sampler {
    pthread_t thread;
    struct schedule schedule;
    struct idle idle;
    struct thrift thrift;
    struct long_sleep long_sleep;
    struct slept_ticks slept;
    uint64_t next_in;              /* ticks from this loop to the next … */
    bool next_timed;               /* … in which threads take samples by themselves … */
    bool next_thrifty;             /* … or which are left out to spare them … */
    bool next_announced;           /* … or in which all wait, and will call */
    uint64_t look_cpu_ns;          /* the sampler's CPU clock when the cost of looks was last reckoned … */
    uint64_t look_work_ns;         /* … and what threads have used since */
    uint32_t wait_ends;            /* before threads were looked at: announced_wait.h */
    uint64_t next_cpu, next_check; /* the ticks for these */
    bool ends_alone;               /* nobody joins it */
    bool begins_late;              /* after a first interval, which many processes do not live to see */
    _Atomic bool rests;            /* between two loops: it calls nobody. Relaxed: looked at when the session is over */
    bool record_overheads;
    uint64_t last_start, cpu_ns;
    uint64_t missed;      /* ticks before this one */
    uint64_t last_victim; /* for which stacks were stated anew */
    struct running interval, overhead, locking, cleaning, counters, threads;
    /* Calls after sampling: those that came before this loop, and before an earlier one. What they wait for is complete when
     * all threads that were asked in the first loop after them have answered. */
    struct after_sampling_call taken[CALLBACKS_MAX], due[CALLBACKS_MAX];
    size_t taken_count, due_count;
    unsigned due_loops; /* since they are due: a thread may never answer */
    struct sampling sampling;
};

/* The times of one loop. */
struct stamps {
    uint64_t start, locked, cleaned, counted, sampled;
};

/* --- statistics ---------------------------------------------------------------------------------------------------------- */

static void running_add(struct running *running, uint64_t value)
{
    if (running->count == 0 || value < running->min)
        running->min = value;
    if (value > running->max)
        running->max = value;
    running->count++;
    running->sum += value;
}

static void note_overhead(struct sampler *sampler, const struct stamps *stamps)
{
    struct overhead_entry entry = {.time = stamps->start,
                                   .locking_ns = stamps->locked - stamps->start,
                                   .cleaning_ns = stamps->cleaned - stamps->locked,
                                   .counters_ns = stamps->counted - stamps->cleaned,
                                   .threads_ns = stamps->sampled - stamps->counted};
    if (sampler->last_start)
        running_add(&sampler->interval, stamps->start - sampler->last_start);
    sampler->last_start = stamps->start;
    running_add(&sampler->overhead, stamps->sampled - stamps->start);
    running_add(&sampler->locking, entry.locking_ns);
    running_add(&sampler->cleaning, entry.cleaning_ns);
    running_add(&sampler->counters, entry.counters_ns);
    running_add(&sampler->threads, entry.threads_ns);
    if (sampler->record_overheads)
        stack_writer_put(&sampler->sampling.writer, stamps->start, OVERHEAD_ENTRY_MAX, write_overhead, &entry);
}

#define GIVE(part)                                                                                                             \
    do {                                                                                                                       \
        info->part.count = sampler->part.count;                                                                                \
        info->part.sum = (double)sampler->part.sum / 1e3;                                                                      \
        info->part.min = (double)sampler->part.min / 1e3;                                                                      \
        info->part.max = (double)sampler->part.max / 1e3;                                                                      \
    } while (0)

void sampler_statistics(const struct core_locked *locked, const struct sampler *sampler, struct sonde_buffer_info *info)
{
    (void)locked;
    GIVE(interval);
    GIVE(overhead);
    GIVE(locking);
    GIVE(cleaning);
    GIVE(counters);
    GIVE(threads);
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

/* --- ticks --------------------------------------------------------------------------------------------------------------- */

static void put_tick(struct sampling *sampling, uint64_t time, uint64_t now)
{
    struct tick_entry tick = {time};
    sampling->tick++;
    sampling->tick_time = time;
    sampling_count(sampling, STATISTIC_TICKS, 1);
    stack_writer_put(&sampling->writer, now, TICK_ENTRY_MAX, write_tick, &tick);
}

/* Those that the sampler slept through, before `time`. While the recording is paused there are none. */
static void put_slept_ticks(const struct core_locked *locked, struct sampler *sampler, uint64_t time)
{
    struct sampling *sampling = &sampler->sampling;
    struct slept_ticks *slept = &sampler->slept;
    const struct active_state *active = active_state(locked);
    bool paused = active->paused || active->sampling_paused;
    uint64_t now = slept->left ? clock_now() : 0;
    for (; slept->left > 0 && slept->next < time; slept->left--, slept->next += sampling->interval_ns) {
        if (paused)
            continue;
        if (sampler->last_start)
            sampler->last_start += sampling->interval_ns; /* the interval between loops is measured without them */
        timed_put(sampling, slept->next);
        put_tick(sampling, slept->next, now);
        sample_put_held(sampling, slept->next);
        sampling_count(sampling, STATISTIC_TICKS_IDLE, sampling->timed_count == 0 && !sampler->next_thrifty);
        sampling_count(sampling, STATISTIC_SAMPLES_SAME, slept->rows);
    }
}

/* Between its waking and its next loop the sampler is about to make a tick that is already written here. Then there is one too
 * many, which nobody will notice. */
static bool catch_up(const struct core_locked *locked, struct sampler *sampler)
{
    bool sleeps = sampler && sampler->slept.left > 0;
    if (sleeps) {
        sample_collect(&sampler->sampling);
        sample_read_held(&sampler->sampling);
        timed_read_clocks(&sampler->sampling);
        put_slept_ticks(locked, sampler, clock_now());
    }
    return sleeps;
}

void sampler_catch_up(const struct core_locked *locked)
{
    const struct active_state *active = active_state(locked);
    if (active)
        catch_up(locked, active->sampler);
}

void sampler_wake(const struct core_locked *locked)
{
    const struct active_state *active = active_state(locked);
    if (active && catch_up(locked, active->sampler))
        long_sleep_call(&active->sampler->long_sleep);
}

bool sampler_put(const struct core_locked *locked, size_t max, size_t (*write)(uint8_t *out, size_t room, const void *entry),
                 const void *entry)
{
    const struct active_state *active = active_state(locked);
    if (!active || !active->sampler)
        return false;
    catch_up(locked, active->sampler);
    return stack_writer_put(&active->sampler->sampling.writer, clock_now(), max, write, entry);
}

/* --- one loop ------------------------------------------------------------------------------------------------------------ */

/* When a thread has answered: what looking at all of them cost since that was so before. */
static void reckon_cost(struct sampler *sampler, uint64_t look_cpu_ns)
{
    struct sampling *sampling = &sampler->sampling;
    sampler->look_work_ns += sampling->finding.ran_ns + sampling->finding.timed_ran_ns;
    if (sampling->held_ns == 0)
        return;
    thrift_add(&sampler->thrift, &(struct thrift_look){
                                     .held_ns = sampling->held_ns,
                                     .sampler_ns = look_cpu_ns - sampler->look_cpu_ns,
                                     .work_ns = sampler->look_work_ns,
                                     .cpus_scarce = chunk_manager_cpus_are_scarce(sampling->writer.chunks),
                                 });
    timed_set_stride(sampling, sampler->thrift.stride);
    sampler->look_cpu_ns = look_cpu_ns;
    sampler->look_work_ns = sampling->held_ns = 0;
}

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
    sampler->slept.rows = waiting_rows(sampling) - before;
    reckon_cost(sampler, cpu_ns);
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

static void sample_all(const struct core_locked *locked, struct sampler *sampler, struct stamps *stamps)
{
    struct sampling *sampling = &sampler->sampling;
    put_tick(sampling, stamps->cleaned, stamps->cleaned);
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

static void move_calls(struct after_sampling_call *to, size_t *to_count, const struct after_sampling_call *from,
                       size_t *from_count)
{
    if (*to_count > 0)
        return;
    memcpy(to, from, *from_count * sizeof *from);
    *to_count = *from_count;
    *from_count = 0;
}

/* When answers have been collected, and before threads are asked again. True if those that are due can be made. */
static bool advance_calls(struct sampler *sampler, struct active_state *active)
{
    enum { PATIENCE = 32 };
    if (sampler->due_count == 0)
        sampler->due_loops = 0;
    move_calls(sampler->due, &sampler->due_count, sampler->taken, &sampler->taken_count);
    move_calls(sampler->taken, &sampler->taken_count, active->after_sampling, &active->after_sampling_count);
    return sampler->due_count > 0 && (sampler->sampling.asked_count == 0 || sampler->due_loops++ == PATIENCE);
}

static void make_calls(const struct after_sampling_call *calls, size_t *count, enum sonde_sampling state)
{
    for (size_t i = 0; i < *count; i++)
        calls[i].call(calls[i].data, state);
    *count = 0;
}

/* By the clock of the machine, not from when the process began: of many short processes that do the same, each is looked at in
 * other moments. And not of all processes at once. */
static uint64_t ticks_to_look(const struct sampler *sampler)
{
    const struct sampling *sampling = &sampler->sampling;
    uint64_t tick = (clock_origin + sampler->schedule.next) / sampling->interval_ns + (uint64_t)sampling->header->pid;
    return sampling->stride - tick % sampling->stride;
}

/* In how many ticks the next loop is due. `hurries`: memory has to be given back as soon as that is possible. */
static void decide_next(struct sampler *sampler, bool hurries)
{
    struct sampling *sampling = &sampler->sampling;
    struct idle_finding *finding = &sampling->finding;
    bool calls = sampler->taken_count > 0 || sampler->due_count > 0;
    sampler->next_timed = finding->timed = sampling->timed_count > 0;
    sampler->next_announced = finding->others && !finding->unannounced;
    finding->works |= sampling->asked_count > 0 || calls || hurries;
    sampler->next_in = idle_next(&sampler->idle, finding);
    sampler->next_thrifty = sampler->next_in == 1 && sampling->stride > 1 && !calls && !hurries;
    if (sampler->next_thrifty)
        sampler->next_in = ticks_to_look(sampler);
    *finding = (struct idle_finding){.ticks = 1};
}

/* False when the session is over. */
static bool loop(struct sampler *sampler)
{
    struct sampling *sampling = &sampler->sampling;
    struct stamps stamps = {.start = clock_now()};
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
    put_slept_ticks(locked, sampler, sampler->schedule.next);
    sampler->slept.left = 0;
    sampling->held_count = 0;
    timed_put(sampling, clock_now());
    timed_judge(sampling);
    bool calls_are_due = advance_calls(sampler, active);
    registry_collect(locked);
    link_receive(locked, active);
    stamps.cleaned = clock_now();
    bool paused = active->paused || active->sampling_paused;
    if (!paused) {
        sample_all(locked, sampler, &stamps);
        note_overhead(sampler, &stamps);
    } else {
        timed_stop(sampling);
        restate_and_prepare(locked, sampler, stamps.cleaned, false);
    }
    bool obeyed = chunk_manager_obey(active->chunks);
    link_report(locked, active, obeyed);
    note_cpu(sampler);
    decide_next(sampler, !obeyed);
    sampling_flush(sampling);
    core_unlock(locked);

    if (calls_are_due)
        make_calls(sampler->due, &sampler->due_count, SONDE_SAMPLING_COMPLETED);
    if (paused)
        make_calls(sampler->taken, &sampler->taken_count, SONDE_SAMPLING_PAUSED);
    lifecycle_after_loop(sampling->generation);
    return true;
}

/* Where threads have timers, ticks are not missed because the sampler wakes up late: their samples are there. */
static uint64_t late_ticks(const struct sampler *sampler)
{
    return sampler->next_timed ? own_timer_samples(sampler->sampling.interval_ns) / 2 : 0;
}

/* How many ticks it may sleep through: none if there is something to do by now. From here on others write them. */
static uint64_t begin_long_sleep(struct sampler *sampler)
{
    struct sampling *sampling = &sampler->sampling;
    uint64_t next = sampler->schedule.next, ticks = 0;
    const struct core_locked *locked = core_lock();
    const struct active_state *active = active_state(locked);
    if (active && active->generation == sampling->generation && active->after_sampling_count == 0) {
        uint64_t deadline = lifecycle_next_deadline(locked);
        uint64_t until_then = deadline > next ? (deadline - next - 1) / sampling->interval_ns + 1 : 0;
        ticks = sampler->next_in - 1 < until_then ? sampler->next_in - 1 : until_then;
        sampler->slept.next = next;
        sampler->slept.left = ticks > 0 ? ticks + late_ticks(sampler) : 0;
    }
    core_unlock(locked);
    return ticks;
}

static void rest(struct sampler *sampler)
{
    struct idle_finding *finding = &sampler->sampling.finding;
    uint64_t until = schedule_next(&sampler->schedule, clock_now(), &sampler->missed), ticks = 0;
    bool may_sleep = sampler->next_in > 1 && !sampler->long_sleep.off;
    if (may_sleep && (!sampler->next_announced || announced_waits_rely(sampler->wait_ends)))
        ticks = begin_long_sleep(sampler);
    if (ticks > 0) {
        uint64_t end = sampler->schedule.next + ticks * sampler->sampling.interval_ns;
        bool may_work = sampler->next_timed || sampler->next_thrifty;
        finding->alarmed = long_sleep_until(&sampler->long_sleep, end, !may_work);
        finding->thrifty = sampler->next_thrifty;
        finding->called = sampler->next_announced && announced_wait_ends() != sampler->wait_ends;
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

/* The last moment in the middle between two multiples of the interval: see timed.c. */
static uint64_t tick_before(uint64_t interval_ns)
{
    uint64_t now = clock_now(), since = (clock_origin + now + interval_ns - interval_ns / 2) % interval_ns;
    return now > since ? now - since : now;
}

static void rest_calling_nobody(struct sampler *sampler)
{
    atomic_store_explicit(&sampler->rests, true, memory_order_relaxed);
    rest(sampler);
    atomic_store_explicit(&sampler->rests, false, memory_order_relaxed);
}

void sampler_run(struct sampler *sampler)
{
    struct sampling *sampling = &sampler->sampling;
    sampler->cpu_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
    sampler->schedule = (struct schedule){.interval_ns = sampling->interval_ns, .next = tick_before(sampling->interval_ns)};
    sampling->finding.ticks = 1;
    thrift_begin(&sampler->thrift, sampling->features & FEATURE_BIT(FEATURE_THRIFT),
                 chunk_manager_cpus_are_scarce(sampling->writer.chunks));
    sampling->stride = sampler->thrift.stride;
    if (sampler->begins_late) {
        sampler->schedule.next += (ticks_to_look(sampler) - 1) * sampling->interval_ns;
        rest_calling_nobody(sampler);
    }
    /* The kernel may otherwise let it sleep 50 µs longer, to wake it together with others. */
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    idle_begin(&sampler->idle, sampling->interval_ns, long_sleep_begin(&sampler->long_sleep));
    while (loop(sampler))
        rest_calling_nobody(sampler);
    long_sleep_end(&sampler->long_sleep);
    make_calls(sampler->due, &sampler->due_count, SONDE_JUST_STOPPED);
    make_calls(sampler->taken, &sampler->taken_count, SONDE_JUST_STOPPED);
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
    sampling->stride = 1;
    sampling->writer.chunks = active->chunks;
    sampling->header = chunk_manager_header(active->chunks);
    handler_use(NULL, sampling->features & FEATURE_BIT(FEATURE_STACKWALK));
    look_for_parts(locked, sampler);
    const char *overheads = getenv("SONDE_RECORD_OVERHEADS");
    sampler->record_overheads = overheads && overheads[0];
    sampler->begins_late = !thread && follow_wants_children();
    /* A process may be at its end before this thread has got a CPU for the first time. */
    atomic_store_explicit(&sampler->rests, sampler->begins_late, memory_order_relaxed);
    if (thread)
        sampler->thread = *thread;
    int code = thread ? 0 : internal_thread_create(&sampler->thread, "SamplerThread", SAMPLER_STACK_BYTES, run, sampler);
    if (code < 0) {
        error_set(error, code, "the sampler thread cannot be made: %s", strerror(-code));
        pages_unmap(sampler, sizeof *sampler);
        return NULL;
    }
    return sampler;
}

void sampler_end(const struct core_locked *locked, struct sampler *sampler)
{
    struct sampling *sampling = &sampler->sampling;
    handler_rest();
    sample_collect(sampling);
    timed_read_clocks(sampling);
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
    bool calls_nobody =
        atomic_load_explicit(&sampler->rests, memory_order_relaxed) && sampler->due_count == 0 && sampler->taken_count == 0;
    if (calls_nobody)
        pthread_detach(sampler->thread);
    return calls_nobody;
}

void sampler_forget(struct sampler *sampler)
{
    handler_use(NULL, false);
    pages_unmap(sampler, sizeof *sampler);
}
