#include "capture/registry.h"

#include "capture/alone.h"
#include "capture/clock.h"
#include "capture/follow.h"
#include "capture/lifecycle.h"
#include "capture/live.h"
#include "capture/log.h"
#include "capture/pages.h"
#include "capture/sampler.h"
#include "capture/stack_bounds.h"
#include "capture/syscall_file.h"

#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Guarded by the core lock. */
static struct registration *first, *last; /* in the order in which they registered */
static struct registration *ended;        /* the sampler may hold on to them until it calls registry_collect() */
static struct registration *unused;
static uint32_t last_number;

/* To open a file in /proc costs more than to make a thread. While many of the program's threads live so shortly, new ones do
 * not open theirs; the sampler does so for those that it meets. */
enum { SHORT_LIFE_NS = 10000000, SHORT_LIVES_MANY = 8, SHORT_LIVES_MOST = 16 };
static unsigned short_lives; /* of the threads that ended last: each counts one, and one that lived longer halves them */

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

static void name_copy(char *out, const char *name)
{
    size_t length = strnlen(name, THREAD_NAME_MAX - 1);
    memcpy(out, name, length);
    out[length] = '\0';
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

static bool write_thread_entry(const struct core_locked *locked, const struct registration *thread, bool sampled,
                               entry_put *put)
{
    struct thread_entry entry = {
        .thread = thread->info.number,
        .tid = thread->info.tid,
        .main = thread->info.main,
        .sampled = sampled,
        .time = thread->info.register_ns,
        .name = slice_of(thread->name.now),
    };
    return put(locked, THREAD_ENTRY_MAX, write_thread, &entry);
}

bool registry_put_main(const struct core_locked *locked, entry_put *put)
{
    const struct registration *thread = first;
    while (thread && !thread->info.main)
        thread = thread->next;
    return !thread || write_thread_entry(locked, thread, true, put);
}

static void write_thread_name_entry(const struct core_locked *locked, const struct registration *thread)
{
    struct thread_name_entry entry = {thread->info.number, clock_now(), slice_of(thread->name.now)};
    kept_put(locked, THREAD_ENTRY_MAX, write_thread_name, &entry);
}

static uint32_t features_of(const struct registration *thread)
{
    return atomic_load_explicit(&thread->features, memory_order_relaxed);
}

/* Decides what is wanted of the thread by its present name, and says so where that is news. What was wanted once stays so. */
static void select_thread(const struct core_locked *locked, struct registration *thread)
{
    uint32_t before = features_of(thread);
    uint32_t features = before | lifecycle_thread_features(locked, thread->name.now);
    if (features == before)
        return;
    write_thread_entry(locked, thread, (features & (THREAD_CPU | THREAD_SAMPLING)) != 0, kept_put);
    if (features & THREAD_SAMPLING && thread->sampled.syscall_fd < 0 && !thread->sampled.syscall_later)
        thread->sampled.syscall_fd = syscall_file_open(thread->info.tid);
    atomic_store_explicit(&thread->features, features, memory_order_relaxed);
    sampler_wake(locked);
}

static void forget_samples(struct registration *thread)
{
    thread->sampled.cpu_ns = clock_read(thread->info.cpu_clock);
    thread->sampled.stack_chunk = 0;
    thread->sampled.frame_count = 0;
    thread->sampled.timeouts = 0;
    thread->sampled.is_over = false;
    /* A thread that sleeps gets one new sample. */
    uint32_t observed = THREAD_SLEEPING_OBSERVED;
    atomic_compare_exchange_strong_explicit(&thread->sleep, &observed, THREAD_SLEEPING_NOT_OBSERVED, memory_order_relaxed,
                                            memory_order_relaxed);
}

void registry_begin(const struct core_locked *locked)
{
    for (struct registration *thread = first; thread; thread = thread->next) {
        atomic_store_explicit(&thread->features, 0, memory_order_relaxed);
        forget_samples(thread);
        thread->sampled.syscall_later = alone_is(); /* it knows where it is */
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
    name_copy(thread->name.now, name);
    bool known = features_of(thread) != 0;
    select_thread(locked, thread);
    if (known)
        write_thread_name_entry(locked, thread);
}

void thread_rename(pthread_t handle, const char *name)
{
    const struct core_locked *locked = core_lock();
    struct registration *thread = first;
    while (thread && !pthread_equal(thread->info.handle, handle))
        thread = thread->next;
    if (thread) {
        rename_locked(locked, thread, name, true);
        /* The system's name is what the program has just set, too, or is about to; it is no change behind our back. */
        size_t length = strnlen(name, sizeof thread->name.system - 1);
        memcpy(thread->name.system, name, length);
        thread->name.system[length] = '\0';
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
        struct frame_entry *frames = thread->sampled.frames;
        char *text = thread->sampled.text;
        struct raw_stack *blocked = thread->sampled.blocked;
        struct marker_scratch *scratch = thread->markers.scratch;
        /* Not the whole: most of it was never touched and has no need to be. */
        memset(&thread->info, 0, sizeof thread->info);
        memset(&thread->name, 0, sizeof thread->name);
        atomic_store_explicit(&thread->labels.depth, 0, memory_order_relaxed);
        memset(&thread->markers, 0, sizeof thread->markers);
        memset(&thread->hooks, 0, sizeof thread->hooks);
        memset(&thread->sampled, 0, sizeof thread->sampled);
        memset(&thread->mask, 0, sizeof thread->mask);
        atomic_store_explicit(&thread->features, 0, memory_order_relaxed);
        atomic_store_explicit(&thread->sleep, THREAD_AWAKE, memory_order_relaxed);
        atomic_store_explicit(&thread->waits_for_signals, false, memory_order_relaxed);
        atomic_store_explicit(&thread->announced_at, 0, memory_order_relaxed);
        atomic_store_explicit(&thread->slot.asked, 0, memory_order_relaxed);
        atomic_store_explicit(&thread->slot.answered, 0, memory_order_relaxed);
        atomic_store_explicit(&thread->slot.held_ns, 0, memory_order_relaxed);
        thread->sampled.frames = frames;
        thread->sampled.text = text;
        thread->sampled.blocked = blocked;
        thread->markers.scratch = scratch;
    } else {
        thread = pages_map_lasting(sizeof *thread);
    }
    if (thread)
        thread->sampled.syscall_fd = -1;
    return thread;
}

/* Who the calling thread is for the system. */
static void identify(const struct core_locked *locked, struct registration *thread)
{
    thread->info.number = ++last_number;
    thread->info.tid = gettid();
    thread->info.handle = pthread_self();
    thread->info.main = thread->info.tid == core_state(locked)->pid;
    thread->info.register_ns = clock_now();
    if (pthread_getcpuclockid(thread->info.handle, &thread->info.cpu_clock) != 0)
        thread->info.cpu_clock = CLOCK_THREAD_CPUTIME_ID;
}

static void registration_fill(const struct core_locked *locked, struct registration *thread, const char *name)
{
    system_name(thread->name.system);
    thread->name.given = name != NULL;
    name_copy(thread->name.now, name ? name : thread->name.system);
    name_copy(thread->info.name, thread->name.now);
    identify(locked, thread);
}

void thread_register_with_stack(const char *name, size_t stack_bytes)
{
    if (nesting++ > 0) {
        const struct core_locked *locked = core_lock();
        if (this_thread && name && !this_thread->name.given)
            rename_locked(locked, this_thread, name, true);
        core_unlock(locked);
        return;
    }
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
        forget_samples(thread);
        thread->sampled.syscall_later = short_lives >= SHORT_LIVES_MANY || follow_has_own_files();
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

static void pass_markers_on(const struct core_locked *locked, struct registration *thread)
{
    struct active_state *active = active_state(locked);
    if (thread->markers.place.chunk && active && thread->markers.place.generation == active->generation)
        chunk_manager_pass_on(active->chunks, thread->markers.place.chunk, clock_now());
    thread->markers.place.chunk = NULL;
}

static void write_end(const struct core_locked *locked, const struct registration *thread)
{
    struct thread_end_entry entry = {thread->info.number, clock_now()};
    if (features_of(thread) != 0)
        kept_put(locked, THREAD_ENTRY_MAX, write_thread_end, &entry);
}

void registry_write_end_of_process(const struct core_locked *locked)
{
    for (const struct registration *thread = first; thread; thread = thread->next)
        if (thread->info.main)
            write_end(locked, thread);
}

static void count_life(const struct core_locked *locked, const struct registration *thread)
{
    (void)locked;
    if (clock_now() - thread->info.register_ns >= SHORT_LIFE_NS)
        short_lives /= 2;
    else if (short_lives < SHORT_LIVES_MOST)
        short_lives++;
}

void thread_unregister(void)
{
    if (nesting == 0 || --nesting > 0 || !this_thread)
        return;
    follow_not_alone();
    const struct core_locked *locked = core_lock();
    struct registration *thread = this_thread;
    /* From here on a signal to this thread finds nobody. */
    this_thread = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    pthread_setspecific(end_key, NULL);

    char now[16];
    system_name(now);
    if (strcmp(now, thread->name.system) != 0)
        rename_locked(locked, thread, now, false);
    write_end(locked, thread);
    count_life(locked, thread);
    if (thread->sampled.timed)
        sampler_catch_up(locked);
    thread->sampled.is_over = true;
    if (alone_thread_ends(locked, thread))
        follow_without_sampler(locked);
    own_timer_remove(&thread->timer);
    pass_markers_on(locked, thread);
    list_remove(thread);
    thread->next = ended;
    ended = thread;
    live_collect(locked);
    if (!active_state(locked))
        registry_collect(locked);
    core_unlock(locked);
}

void registry_collect(const struct core_locked *locked)
{
    (void)locked;
    while (ended) {
        struct registration *thread = ended;
        ended = thread->next;
        syscall_file_close(&thread->sampled.syscall_fd);
        thread->next = unused;
        unused = thread;
    }
}

void registry_forked(const struct core_locked *locked)
{
    for (struct registration *thread = first, *next; thread; thread = next) {
        next = thread->next;
        if (thread != this_thread) {
            own_timer_forked(&thread->timer);
            thread->next = ended;
            ended = thread;
        }
    }
    registry_collect(locked);
    first = last = NULL;
    last_number = 0;
    if (!this_thread)
        return;
    /* The labels stay: the code that will pop them is still on the stack. */
    struct registration *thread = this_thread;
    syscall_file_close(&thread->sampled.syscall_fd);
    own_timer_forked(&thread->timer);
    thread->markers.place.chunk = NULL;
    atomic_store_explicit(&thread->markers.busy, 0, memory_order_relaxed);
    atomic_store_explicit(&thread->features, 0, memory_order_relaxed);
    atomic_store_explicit(&thread->slot.asked, 0, memory_order_relaxed);
    atomic_store_explicit(&thread->slot.answered, 0, memory_order_relaxed);
    identify(locked, thread);
    list_append(thread);
}
