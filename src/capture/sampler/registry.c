#include "capture/sampler/registry.h"

#include "capture/core/clock.h"
#include "capture/core/core.h"
#include "capture/core/log.h"
#include "capture/core/pages.h"
#include "capture/core/sandbox.h"
#include "capture/core/settings.h"
#include "capture/sampler/live.h"
#include "capture/sampler/stack_bounds.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Guarded by the core lock. */
static struct registration *first, *last; /* in the order in which they registered */
static struct registration *unused;
static uint32_t last_number;

__thread struct registration *this_thread __attribute__((tls_model("initial-exec")));
static __thread unsigned nesting __attribute__((tls_model("initial-exec")));

/* Its destructor runs at the end of every thread that set it, however the thread ends. */
static pthread_key_t end_key;
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

ENTRY_WRITER(thread)
ENTRY_WRITER(thread_name)
ENTRY_WRITER(thread_end)

enum { THREAD_ENTRY_MAX = 128 + THREAD_NAME_MAX };

struct registration *registry_first(const struct core_locked *locked)
{
    (void)locked;
    return first;
}

struct registration *registry_find_tid(const struct core_locked *locked, int tid)
{
    (void)locked;
    struct registration *thread = first;
    while (thread && thread->info.tid != tid)
        thread = thread->next;
    return thread;
}

static void list_append(struct registration *thread)
{
    thread->next = NULL;
    if (last)
        last->next = thread;
    else
        first = thread;
    last = thread;
}

static void list_remove(struct registration *thread)
{
    struct registration *before = NULL;
    for (struct registration *each = first; each != thread; each = each->next)
        before = each;
    if (before)
        before->next = thread->next;
    else
        first = thread->next;
    if (last == thread)
        last = before;
}

/* --- what the session learns of a thread ------------------------------------------------------------------------------- */

static bool write_thread_entry(const struct core_locked *locked, const struct registration *thread, bool sampled)
{
    /* In a later session it is there from the beginning, with the CPU time that it has used by then. */
    const struct active_state *active = active_state(locked);
    bool was_there = thread->info.register_ns < active->start_ns;
    struct thread_entry entry = {
        .thread = thread->info.number,
        .tid = thread->info.tid,
        .main = thread->info.main,
        .sampled = sampled,
        .time = was_there ? active->start_ns : thread->info.register_ns,
        .cpu_ns = clock_read(thread->info.cpu_clock),
        .labels = (uintptr_t)&thread->labels,
        .handle = (uintptr_t)thread->info.handle,
        .name = slice_of(thread->name.now),
    };
    return kept_put(locked, THREAD_ENTRY_MAX, write_thread, &entry);
}

static uint32_t features_of(const struct registration *thread)
{
    return atomic_load_explicit(&thread->features, memory_order_relaxed);
}

/* For who looks from outside. */
static void note_change(struct active_state *active)
{
    atomic_fetch_add_explicit(&chunk_manager_header(active->chunks)->threads_changed, 1, memory_order_relaxed);
}

/* What is wanted of a thread of this name; 0 = nothing, or nothing is recorded. */
static uint32_t wanted_features(const struct core_locked *locked, const char *name)
{
    const struct active_state *active = active_state(locked);
    if (!active)
        return 0;
    if (filters_select_thread(active->settings.filters, name, core_state(locked)->pid))
        return THREAD_CPU | THREAD_SAMPLING | THREAD_MARKERS;
    uint32_t features = 0;
    if (active->settings.features & FEATURE_BIT(FEATURE_CPUALLTHREADS))
        features |= THREAD_CPU;
    if (active->settings.features & FEATURE_BIT(FEATURE_SAMPLINGALLTHREADS))
        features |= THREAD_SAMPLING;
    if (active->settings.features & FEATURE_BIT(FEATURE_MARKERSALLTHREADS))
        features |= THREAD_MARKERS;
    return features;
}

static void open_fault_events(struct active_state *active, struct registration *thread)
{
    struct session_file_header *header = chunk_manager_header(active->chunks);
    uint32_t period = fault_events_period();
    if (period == 0 || thread->faults.kept[0])
        return;
    atomic_store_explicit(&header->fault_period, period, memory_order_relaxed);
    int failed = sandbox_is_closed() ? -EACCES : fault_events_open(&thread->faults, thread->info.tid);
    if (failed && failed != -ESRCH)
        atomic_store_explicit(&header->faults_refused, (uint32_t)-failed, memory_order_relaxed);
}

/* Decides what is wanted of the thread by its present name, and says so where that is news. What was wanted once stays so. */
static void select_thread(const struct core_locked *locked, struct registration *thread)
{
    uint32_t before = features_of(thread);
    uint32_t features = before | wanted_features(locked, thread->name.now);
    if (features == before)
        return;
    write_thread_entry(locked, thread, (features & (THREAD_CPU | THREAD_SAMPLING)) != 0);
    atomic_store_explicit(&thread->features, features, memory_order_relaxed);
    struct active_state *active = active_state(locked);
    if (features & THREAD_SAMPLING && !(active->settings.features & FEATURE_BIT(FEATURE_NOSTACKSAMPLING))) {
        chunk_manager_supply_one(active->chunks, first->next ? 2 : 1); /* two may be sampled at the same time */
        int failed = thread_clock_start(&thread->clock, thread->info.tid, thread->info.cpu_clock, &sample_signal_mark,
                                        active->settings.interval_ns, clock_kernel_tick_ns());
        if (failed)
            atomic_store_explicit(&chunk_manager_header(active->chunks)->timers_refused, (uint32_t)-failed,
                                  memory_order_relaxed);
        open_fault_events(active, thread);
    }
    note_change(active);
}

void registry_begin(const struct core_locked *locked)
{
    for (struct registration *thread = first; thread; thread = thread->next) {
        atomic_store_explicit(&thread->features, 0, memory_order_relaxed);
        select_thread(locked, thread);
    }
}

/* --- names ------------------------------------------------------------------------------------------------------------- */

static void system_name(char name[16])
{
    if (prctl(PR_GET_NAME, name, 0, 0, 0) != 0)
        name[0] = '\0';
    name[15] = '\0';
}

static void rename_locked(const struct core_locked *locked, struct registration *thread, const char *name, bool given)
{
    thread->name.given |= given;
    if (strncmp(thread->name.now, name, THREAD_NAME_MAX - 1) == 0)
        return;
    text_copy(thread->name.now, THREAD_NAME_MAX, name);
    bool known = features_of(thread) != 0;
    select_thread(locked, thread);
    struct thread_name_entry entry = {thread->info.number, clock_now(), slice_of(thread->name.now)};
    if (known)
        kept_put(locked, THREAD_ENTRY_MAX, write_thread_name, &entry);
}

void thread_rename(pthread_t handle, const char *name)
{
    const struct core_locked *locked = core_lock();
    struct registration *thread = first;
    while (thread && !pthread_equal(thread->info.handle, handle))
        thread = thread->next;
    if (thread) {
        rename_locked(locked, thread, name, true);
        /* It is the system's name, too, by now: no change behind our back. */
        text_copy(thread->name.system, sizeof thread->name.system, name);
    }
    core_unlock(locked);
}

void thread_rename_self(const char *name)
{
    const struct core_locked *locked = core_lock();
    if (this_thread) {
        rename_locked(locked, this_thread, name, true);
        system_name(this_thread->name.system); /* which stays as it is, and does not come back when the thread ends */
    }
    core_unlock(locked);
}

void thread_note_system_name(void)
{
    char name[16];
    system_name(name);
    const struct core_locked *locked = core_lock();
    /* Not what a process with the same memory (vfork) calls itself. */
    if (this_thread && this_thread->info.tid == gettid()) {
        rename_locked(locked, this_thread, name, true);
        text_copy(this_thread->name.system, sizeof this_thread->name.system, name);
    }
    core_unlock(locked);
}

/* --- registering ------------------------------------------------------------------------------------------------------- */

static void end_of_thread(void *registered)
{
    (void)registered;
    nesting = nesting > 0 ? 1 : 0;
    thread_unregister();
}

static void make_end_key(void)
{
    pthread_key_create(&end_key, end_of_thread);
}

/* One that is all zero but for the memory that hangs on it. */
static struct registration *registration_new(const struct core_locked *locked)
{
    (void)locked;
    struct registration *thread = unused;
    if (thread) {
        unused = thread->next;
        struct marker_scratch *scratch = thread->markers.scratch;
        struct allocation_events *events = thread->allocations.events;
        /* Not the whole: most of it was never touched and has no need to be. */
        memset(&thread->info, 0, sizeof thread->info);
        memset(&thread->name, 0, sizeof thread->name);
        memset(&thread->markers, 0, sizeof thread->markers);
        memset(&thread->allocations, 0, sizeof thread->allocations);
        memset(&thread->hooks, 0, sizeof thread->hooks);
        atomic_store_explicit(&thread->labels.depth, 0, memory_order_relaxed);
        atomic_store_explicit(&thread->interpreter, 0, memory_order_relaxed);
        atomic_store_explicit(&thread->features, 0, memory_order_relaxed);
        thread->ticks_to_skip = thread->ticks_skipped = 0;
        thread->interrupted_at = 0;
        thread->markers.scratch = scratch;
        thread->allocations.events = events;
    } else {
        thread = pages_map_lasting(sizeof *thread);
    }
    return thread;
}

/* As the kernel numbers them. The C library goes by the number that it believes the thread to have, which after clone() is that
 * of its parent. */
static clockid_t thread_cpu_clock(int tid)
{
    enum { PER_THREAD = 4, SCHEDULED = 2, CLOCK_BITS = 3 };
    return (clockid_t)(~(unsigned)tid << CLOCK_BITS | PER_THREAD | SCHEDULED);
}

/* Who the calling thread is for the system. */
static void identify(const struct core_locked *locked, struct registration *thread)
{
    thread->info.number = ++last_number;
    thread->info.tid = gettid();
    thread->info.handle = pthread_self();
    thread->info.main = thread->info.tid == core_state(locked)->pid;
    thread->info.register_ns = clock_now();
    thread->info.cpu_clock = thread_cpu_clock(thread->info.tid);
}

static void registration_fill(const struct core_locked *locked, struct registration *thread, const char *name)
{
    system_name(thread->name.system);
    thread->name.given = name != NULL;
    text_copy(thread->name.now, THREAD_NAME_MAX, name ? name : thread->name.system);
    identify(locked, thread);
}

void thread_register_with_stack(const char *name, size_t stack_bytes)
{
    if (nesting++ > 0) {
        if (sandbox_is_closed())
            return;
        const struct core_locked *locked = core_lock();
        if (this_thread && name && !this_thread->name.given)
            rename_locked(locked, this_thread, name, true);
        core_unlock(locked);
        return;
    }
    if (sandbox_is_closed())
        return;
    pthread_once(&end_key_once, make_end_key);
    uint64_t stack_start, stack_end;
    /* Only threads that somebody made have a size that is known. */
    stack_bounds(stack_bytes == 0 && gettid() == getpid(), stack_bytes, &stack_start, &stack_end);

    const struct core_locked *locked = core_lock();
    struct registration *thread = registration_new(locked);
    if (thread) {
        registration_fill(locked, thread, name);
        thread->info.stack_start = stack_start;
        thread->info.stack_end = stack_end;
        list_append(thread);
        /* Complete before the signal handler can find it. */
        atomic_signal_fence(memory_order_release);
        this_thread = thread;
        select_thread(locked, thread);
        pthread_setspecific(end_key, thread);
    }
    core_unlock(locked);
    if (!thread)
        log_line(LOG_ERROR, "no memory for another thread: it is not recorded");
}

void thread_register(const char *name)
{
    thread_register_with_stack(name, 0);
}

void registry_say_allocations(struct registration *thread, struct session_file_header *header)
{
    uint64_t bytes = atomic_exchange_explicit(&thread->allocations.bytes, 0, memory_order_relaxed);
    uint64_t count = atomic_exchange_explicit(&thread->allocations.count, 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&header->statistics[STATISTIC_ALLOCATED_BYTES], bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&header->statistics[STATISTIC_ALLOCATIONS], count, memory_order_relaxed);
}

static void pass_chunks_on(const struct core_locked *locked, struct registration *thread)
{
    struct active_state *active = active_state(locked);
    if (active) {
        registry_say_allocations(thread, chunk_manager_header(active->chunks));
        if (thread->markers.place.chunk && thread->markers.place.generation == active->generation)
            chunk_manager_pass_on(active->chunks, thread->markers.place.chunk, clock_now());
        note_change(active);
    }
    sample_writer_forget(&thread->samples);
    thread->markers.place.chunk = NULL;
}

/* Of the calling thread, by the kernel's ticks. */
static uint64_t own_kernel_ns(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return 0;
    return (uint64_t)usage.ru_stime.tv_sec * 1000000000 + (uint64_t)usage.ru_stime.tv_usec * 1000;
}

/* Of a program that has forbidden itself system calls only the looker knows how much CPU time was used. */
static void write_end(const struct core_locked *locked, const struct registration *thread)
{
    struct thread_end_entry entry = {.thread = thread->info.number, .time = clock_now()};
    if (features_of(thread) == 0)
        return;
    if (!sandbox_is_closed()) {
        entry.cpu_ns = clock_read(thread->info.cpu_clock);
        entry.kernel_ns = thread->info.tid == gettid() ? own_kernel_ns() : 0;
    }
    kept_put(locked, THREAD_ENTRY_MAX, write_thread_end, &entry);
}

void registry_write_end_of_process(const struct core_locked *locked)
{
    for (const struct registration *thread = first; thread; thread = thread->next)
        write_end(locked, thread);
}

void registry_end(const struct core_locked *locked)
{
    (void)locked;
    for (struct registration *thread = first; thread; thread = thread->next) {
        thread_clock_stop(&thread->clock);
        fault_events_close(&thread->faults);
        atomic_store_explicit(&thread->features, 0, memory_order_relaxed);
    }
}

void thread_unregister(void)
{
    if (nesting == 0 || --nesting > 0 || !this_thread)
        return;
    live_note_filter(this_thread);
    if (sandbox_is_closed()) { /* nobody uses its registration again */
        this_thread = NULL;
        return;
    }
    const struct core_locked *locked = core_lock();
    struct registration *thread = this_thread;
    thread_clock_stop(&thread->clock);
    fault_events_close(&thread->faults);
    /* From here on a signal to this thread finds nobody. */
    this_thread = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    pthread_setspecific(end_key, NULL);

    char now[16];
    system_name(now);
    if (strcmp(now, thread->name.system) != 0)
        rename_locked(locked, thread, now, false);
    write_end(locked, thread);
    pass_chunks_on(locked, thread);
    list_remove(thread);
    thread->next = unused;
    unused = thread;
    live_collect(locked, first);
    core_unlock(locked);
}

void registry_forget(void)
{
    first = last = this_thread = NULL;
}

void registry_forked(const struct core_locked *locked)
{
    for (struct registration *thread = first, *next; thread; thread = next) {
        next = thread->next;
        thread_clock_forked(&thread->clock);
        fault_events_forked(&thread->faults);
        sample_writer_forget(&thread->samples);
        /* It may have been in the middle of something in the parent. */
        atomic_store_explicit(&thread->sampling, false, memory_order_relaxed);
        if (thread != this_thread) {
            thread->next = unused;
            unused = thread;
        }
    }
    first = last = NULL;
    last_number = 0;
    if (!this_thread)
        return;
    /* The labels stay: the code that will pop them is still on the stack. */
    struct registration *thread = this_thread;
    thread->markers.place.chunk = NULL;
    atomic_store_explicit(&thread->allocations.bytes, 0, memory_order_relaxed);
    atomic_store_explicit(&thread->allocations.count, 0, memory_order_relaxed);
    thread->ticks_to_skip = thread->ticks_skipped = 0;
    atomic_store_explicit(&thread->markers.busy, 0, memory_order_relaxed);
    atomic_store_explicit(&thread->features, 0, memory_order_relaxed);
    identify(locked, thread);
    list_append(thread);
}
