#include "record/observer.h"

#include "common/clock.h"
#include "record/observed_process.h"
#include "session/entry.h"

#include <errno.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    TURN_NS = 10000000,       /* between turns while somebody runs … */
    TURN_CALM_NS = 200000000, /* … and while nobody does */
    YOUNG_NS = 40000000,      /* after it joined, a process is about to register its threads, and to run */
    LATE_LEAST_NS = 50000000, /* a look may be so late where all wait, … */
    LATE_MOST_NS = 125000000,
    LATE_SHARE = 8,      /* … or for a part of the time for which all have waited */
    PROCESS_NS = 600000, /* a process is looked after so seldom where there are many: it costs some 3 µs */
    TURN_MOST_NS = 250000000,
    COUNT_NS = 20000000,   /* between two values of the CPU time of a process */
    CPU_COUNTER = 1 << 24, /* its number: not one of the process's own */
    COUNTER_ENTRY_MAX = 256,
    COUNTER_SAMPLE_MAX = 64,
    TIME_ENTRY_MAX = 16,
};

struct observer {
    struct observing observing;
    struct budget *budget;
    int folder;
    bool counts_cpu, paused;
    VEC(struct observed_process *) processes;
    uint64_t spent_ns;            /* CPU time on looks */
    uint64_t ran_ns;              /* when somebody was last found to have run */
    uint64_t second_ns;           /* when the second began in which … */
    size_t joined, joined_before; /* … so many processes were added, and in the one before */
    uint64_t joined_ns;           /* when the last process was added */
};

/* ---- beginning and end ---- */

/* Half of the descriptors that we may have are for events, and a quarter for files of threads. */
static size_t descriptors_allowed(void)
{
    struct rlimit limit;
    enum { AT_ALL_EVENTS = 1 << 20 };
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    return limit.rlim_cur < AT_ALL_EVENTS ? limit.rlim_cur : AT_ALL_EVENTS;
}

struct observer *observer_create(const struct observer_options *options, struct error *error)
{
    struct observer *observer = memory_zeroed(1, sizeof *observer);
    size_t descriptors = descriptors_allowed();
    if (!observer || !(observer->observing.looker = looker_create(descriptors / 4))) {
        memory_release(observer);
        error_out_of_memory(error);
        return NULL;
    }
    if (looks_file_make(&observer->observing.looks, options->folder, options->looks_bytes, error) != 0) {
        looker_free(observer->observing.looker);
        memory_release(observer);
        return NULL;
    }
    uint64_t now = clock_read(CLOCK_MONOTONIC);
    look_policy_init(&observer->observing.policy, 0, now, now);
    observer->observing.interval_ns = options->interval_ns;
    observer->observing.random = now | 1;
    observer->observing.filters = observed_filters(getpid(), getpid());
    observer->observing.events_most = descriptors / 2;
    observer->budget = options->budget;
    observer->folder = options->folder_fd;
    observer->counts_cpu = options->counts_cpu;
    return observer;
}

static void remove_process(struct observer *observer, size_t row)
{
    struct observed_process *process = observer->processes.items[row];
    observer->processes.items[row] = observer->processes.items[--observer->processes.count];
    budget_leave(observer->budget, &process->share);
    observed_process_close(&observer->observing, process);
}

void observer_free(struct observer *observer)
{
    if (!observer)
        return;
    while (observer->processes.count > 0)
        remove_process(observer, observer->processes.count - 1);
    vec_free(&observer->processes);
    look_policy_free(&observer->observing.policy);
    looker_free(observer->observing.looker);
    looks_file_close(&observer->observing.looks);
    memory_release(observer);
}

bool observer_is_crowded(const struct observer *observer)
{
    return observer->observing.is_crowded;
}

size_t observer_count(const struct observer *observer)
{
    return observer->processes.count;
}

struct time_entry {
    enum entry_kind kind;
    uint64_t time;
};

static size_t write_time(uint8_t *out, size_t room, const void *entry)
{
    const struct time_entry *time = entry;
    return entry_write_time(out, room, time->kind, time->time);
}

static void put_pause(struct observer *observer, struct observed_process *process, bool paused, uint64_t time)
{
    struct time_entry entry = {paused ? ENTRY_PAUSE : ENTRY_RESUME, time};
    observed_process_put(&observer->observing, process, false, TIME_ENTRY_MAX, write_time, &entry);
}

/* How many processes come in a second tells a build from a program. */
static void count_joined(struct observer *observer, uint64_t now_ns)
{
    enum { SECOND_NS = 1000000000, CROWD = 8 };
    if (now_ns - observer->second_ns >= SECOND_NS) {
        observer->joined_before = now_ns - observer->second_ns < 2 * (uint64_t)SECOND_NS ? observer->joined : 0;
        observer->joined = 0;
        observer->second_ns = now_ns;
    }
    observer->joined++;
    observer->observing.is_crowded = observer->joined > CROWD || observer->joined_before > CROWD;
}

void observer_add(struct observer *observer, int pid, uint32_t image, pid_t peer, uint64_t now_ns)
{
    for (size_t i = observer->processes.count; i-- > 0;) {
        const struct observed_process *known = observer->processes.items[i];
        if (known->peer == peer && known->pid == pid && known->image == image)
            return;
        if (known->peer == peer && known->image < image) /* it has become another program */
            remove_process(observer, i);
    }
    struct observed_process *process = observed_process_open(&observer->observing, observer->folder, pid, image, peer);
    if (!process)
        return;
    if (!budget_join(observer->budget, &process->share, now_ns) || !vec_push(&observer->processes, process)) {
        budget_leave(observer->budget, &process->share);
        observed_process_close(&observer->observing, process);
        return;
    }
    observer->joined_ns = now_ns;
    count_joined(observer, now_ns);
    supply_turn(&process->supply);
    observed_process_list(&observer->observing, process, now_ns);
    if (observer->paused)
        put_pause(observer, process, true, 0);
}

void observer_left(struct observer *observer, int pid, uint32_t image, pid_t peer)
{
    for (size_t i = observer->processes.count; i-- > 0;) {
        struct observed_process *process = observer->processes.items[i];
        if (process->peer != peer || process->pid != pid || process->image != image)
            continue;
        process->has_left = true;
        /* At once: from now on its file counts as a whole, and its samples with it. */
        if (observed_process_is_over(process))
            remove_process(observer, i);
    }
}

uint64_t observer_held(const struct observer *observer)
{
    struct chunk_manager_usage usage;
    chunk_manager_usage(observer->observing.looks.chunks, &usage);
    uint64_t held = usage.bytes_held;
    for (size_t i = 0; i < observer->processes.count; i++)
        held += observer->processes.items[i]->supply.held;
    return held;
}

/* ---- a turn ---- */

/* Near its limit it takes more of what the session has left, as a process does (session/chunk_limit.c). False: there is nothing
 * left, and others have to be asked. */
static bool take_room(struct observer *observer, struct observed_process *process)
{
    enum { AHEAD = SUPPLIED * CHUNK_BYTES };
    const struct supply *supply = &process->supply;
    uint64_t wanted = supply->held / 8 > AHEAD ? supply->held / 8 / CHUNK_BYTES * CHUNK_BYTES : AHEAD;
    if (!observer->budget->quota)
        return false;
    if (supply->held + AHEAD / 2 <= process->share.limit)
        return true;
    uint64_t taken = quota_take(observer->budget->quota, CHUNK_BYTES, wanted);
    process->taken += taken;
    return taken > 0;
}

/* The recorder itself holds these chunks: it goes by a new limit at once. */
static void share_memory(struct observer *observer, struct observed_process *process, uint64_t now_ns)
{
    struct supply *supply = &process->supply;
    bool has_room = take_room(observer, process);
    supply->limit = process->share.limit + (process->taken - process->share.taken);
    supply_turn(supply);
    struct budget_usage usage = {
        .number = process->share.number,
        .used = supply->held - supply->done_bytes,
        .done = supply->done_bytes,
        .wanted = has_room ? 0 : supply->wanted,
        .taken = process->taken,
        .oldest_ns = supply->oldest_ns > 0 ? process->origin_ns + supply->oldest_ns : 0,
        .in_file = supply->held,
    };
    supply->wanted = 0;
    budget_use(observer->budget, &process->share, &usage, now_ns);
    process->share.to_tell = false;
}

ENTRY_WRITER(counter)
ENTRY_WRITER(counter_sample)

static void put_cpu(struct observer *observer, struct observed_process *process, uint64_t time, uint64_t cpu_ns)
{
    struct counter_sample_entry sample = {CPU_COUNTER, time, (int64_t)(cpu_ns - process->first_cpu_ns), 0};
    observed_process_put(&observer->observing, process, false, COUNTER_SAMPLE_MAX, write_counter_sample, &sample);
    process->cpu_ns = cpu_ns;
}

/* The first value is 0, or it would be a rate of a time that nobody knows. What a process has used does not begin with its
 * program: the first one says how much there was when it was loaded, of others it is not known. */
static void begin_counter(struct observer *observer, struct observed_process *process, uint64_t time, uint64_t cpu_ns)
{
    struct counter_entry counter = {CPU_COUNTER, 0, SLICE("processCPU"), SLICE("CPU"), SLICE("CPU time of the process")};
    uint64_t loaded_ns = process->image == 0 ? process->supply.view.header->begin_cpu_ns : 0;
    bool is_known = loaded_ns > 0 && loaded_ns <= cpu_ns;
    observed_process_put(&observer->observing, process, true, COUNTER_ENTRY_MAX, write_counter, &counter);
    process->counter_is_said = true;
    process->first_cpu_ns = is_known ? loaded_ns : cpu_ns;
    put_cpu(observer, process, is_known ? 0 : time, process->first_cpu_ns);
}

static void count_cpu(struct observer *observer, struct observed_process *process, uint64_t now_ns)
{
    if (now_ns - process->counted_ns < COUNT_NS || now_ns < process->origin_ns)
        return;
    uint64_t cpu_ns = clock_read(process->cpu_clock), time = clock_read(CLOCK_MONOTONIC) - process->origin_ns;
    if (cpu_ns == 0 || cpu_ns == process->cpu_ns)
        return;
    if (!process->counter_is_said)
        begin_counter(observer, process, time, cpu_ns);
    if (cpu_ns > process->cpu_ns)
        put_cpu(observer, process, time, cpu_ns);
    process->counted_ns = now_ns;
}

/* Processes that are gone. One that only says that it is over may fail to become another program, and go on. */
static void look_after_processes(struct observer *observer, uint64_t now_ns)
{
    uint64_t pause = observer->processes.count * PROCESS_NS;
    pause = pause < TURN_NS ? TURN_NS - TURN_NS / 8 : pause < TURN_MOST_NS ? pause : TURN_MOST_NS;
    observer->observing.processes = observer->processes.count;
    for (size_t i = observer->processes.count; i-- > 0;) {
        struct observed_process *process = observer->processes.items[i];
        if (process->due_ns > now_ns)
            continue;
        process->due_ns = now_ns + pause;
        bool is_over = observed_process_is_over(process), is_there = observed_process_is_there(process);
        if (!is_there)
            observed_process_end(process, SESSION_ENDED, now_ns);
        if (!is_there || (is_over && process->has_left)) {
            remove_process(observer, i);
            continue;
        }
        if (is_over)
            continue;
        share_memory(observer, process, now_ns);
        observed_process_list(&observer->observing, process, now_ns);
        if (observer->counts_cpu && !observer->paused)
            count_cpu(observer, process, now_ns);
    }
}

/* Whether anybody has run since the last turn: then samples fill chunks. */
static bool look_at_threads(struct observer *observer)
{
    struct observing *observing = &observer->observing;
    struct look_turn *turn;
    bool anybody_ran = false;
    uint64_t before_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
    while (look_policy_next(&observing->policy, clock_read(CLOCK_MONOTONIC), &turn)) {
        struct observed_thread *thread =
            (struct observed_thread *)(void *)((char *)turn - offsetof(struct observed_thread, turn));
        uint64_t runs = thread->look.runs, cpu_ns = thread->look.cpu_ns;
        if (observed_thread_look(observing, thread, false))
            anybody_ran |= thread->look.runs != runs || thread->look.cpu_ns != cpu_ns;
    }
    observer->spent_ns += clock_read(CLOCK_THREAD_CPUTIME_ID) - before_ns;
    look_policy_spent(&observing->policy, clock_read(CLOCK_MONOTONIC), observer->spent_ns);
    atomic_store_explicit(&chunk_manager_header(observing->looks.chunks)->looks_ns, observer->spent_ns, memory_order_relaxed);
    return anybody_ran;
}

/* To wake up costs more than a look. */
static uint64_t lateness(const struct observer *observer, uint64_t now_ns)
{
    uint64_t late = (now_ns - observer->ran_ns) / LATE_SHARE;
    return late < LATE_LEAST_NS ? LATE_LEAST_NS : late < LATE_MOST_NS ? late : LATE_MOST_NS;
}

uint64_t observer_turn(struct observer *observer, uint64_t now_ns)
{
    look_after_processes(observer, now_ns);
    bool anybody_ran = !observer->paused && look_at_threads(observer);
    uint64_t now = clock_read(CLOCK_MONOTONIC);
    anybody_ran |= !observer->observing.is_crowded && now - observer->joined_ns < YOUNG_NS;
    if (anybody_ran)
        observer->ran_ns = now;
    uint64_t next = now + (anybody_ran ? TURN_NS : TURN_CALM_NS);
    uint64_t due = observer->paused ? UINT64_MAX : look_policy_wake(&observer->observing.policy);
    uint64_t least = now + (anybody_ran ? 0 : lateness(observer, now));
    due = due < least ? least : due;
    return due < next ? due : next;
}

/* ---- pauses, and the end ---- */

static void look_at_all(struct observer *observer, struct observed_process *process)
{
    for (size_t i = process->threads.count; i-- > 0;)
        (void)observed_thread_look(&observer->observing, process->threads.items[i], true);
}

void observer_pause(struct observer *observer, bool paused, uint64_t now_ns)
{
    if (observer->paused == paused)
        return;
    observer->paused = paused;
    for (size_t i = 0; i < observer->processes.count; i++) {
        struct observed_process *process = observer->processes.items[i];
        if (paused)
            look_at_all(observer, process);
        put_pause(observer, process, paused, now_ns > process->origin_ns ? now_ns - process->origin_ns : 0);
        if (!paused)
            look_at_all(observer, process);
        atomic_store_explicit(&process->supply.view.header->state, paused ? SESSION_PAUSED : SESSION_RECORDING,
                              memory_order_relaxed);
    }
}

void observer_stop(struct observer *observer, uint64_t now_ns)
{
    for (size_t i = observer->processes.count; i-- > 0;) {
        struct observed_process *process = observer->processes.items[i];
        bool is_there = observed_process_is_there(process);
        if (is_there && !observed_process_is_over(process))
            look_at_all(observer, process);
        if (is_there)
            observed_process_note_title(&observer->observing, process, now_ns, true);
        observed_process_end(process, is_there ? SESSION_STOPPED : SESSION_ENDED, now_ns);
        remove_process(observer, i);
    }
}
