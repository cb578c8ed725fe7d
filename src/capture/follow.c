#include "capture/follow.h"

#include "capture/brief.h"
#include "capture/clock.h"
#include "capture/folder.h"
#include "capture/handler_number.h"
#include "capture/internal_thread.h"
#include "capture/lifecycle.h"
#include "capture/link.h"
#include "capture/log.h"
#include "capture/long_sleep.h"
#include "capture/sampler.h"
#include "capture/state.h"
#include "capture/thrift.h"
#include "session/room.h"

#include <errno.h>
#include <linux/close_range.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { DELAY_NS = 1000000, PATIENCE_NS = 256000000 };

enum { DUE_NOT, DUE, DUE_HELD };
_Atomic int follow_due;

/* Guarded by the core lock. */
static bool preloaded, wanted;
static struct settings settings;               /* of the latest session, with texts of our own */
_Alignas(64) static char filters[FILTER_TEXT]; /* aligned: apart from what is small, which the linker puts side by side */
static bool paused;                            /* the parent was */
static struct sampler *handed;                 /* to the thread */
static bool has_thread;
static pthread_t thread;

static _Atomic bool own_files;
static _Atomic bool called; /* the thread, to take what it is handed. Sequentially consistent, as who sleeps is known is */

void follow_preloaded(void)
{
    preloaded = true;
}

void follow_children(const char *folder)
{
    wanted = true;
    link_tell_children_of(folder);
}

bool follow_wants_children(void)
{
    return wanted;
}

bool follow_has_own_files(void)
{
    return atomic_load_explicit(&own_files, memory_order_relaxed);
}

static void keep_settings(const struct core_locked *locked, const struct settings *begun)
{
    _Alignas(64) static char elsewhere[PATH_ROOM]; /* not where the recorder wants it */
    settings = *begun;
    settings.filters = *begun->filters ? strcpy(filters, begun->filters) : "";
    const char *named = folder_named(locked);
    settings.folder = strcmp(begun->folder, named) == 0 ? named : strcpy(elsewhere, begun->folder);
}

void follow_note(const struct core_locked *locked, const struct settings *begun)
{
    if (begun == &settings)
        return;
    if (wanted)
        keep_settings(locked, begun);
    atomic_store_explicit(&own_files, false, memory_order_relaxed);
}

bool follow_prepare(const struct core_locked *locked, const struct active_state *parents)
{
    (void)locked;
    bool was_due = atomic_load_explicit(&follow_due, memory_order_relaxed) != DUE_NOT; /* the parent is a child itself */
    bool due = preloaded && wanted && (was_due || (parents && !parents->folder_is_ours));
    paused = parents ? parents->paused : paused;
    has_thread = false;
    handed = NULL;
    atomic_store_explicit(&own_files, false, memory_order_relaxed);
    atomic_store(&called, false);
    atomic_store_explicit(&follow_due, due ? DUE : DUE_NOT, memory_order_relaxed);
    if (due) /* so that markers come here */
        atomic_store_explicit(&state_word, STATE_ACTIVE | settings.features, memory_order_relaxed);
    return due;
}

/* --- being brief ---------------------------------------------------------------------------------------------------------- */

static bool is_brief(const struct core_locked *locked)
{
    return brief_file_of(locked) != NULL;
}

/* By the thread: from here on nothing that it opens is the program's, and the other way round. On an old kernel the lowest
 * numbers are taken for some microseconds. */
static void leave_files(const struct core_locked *locked)
{
    bool left = follow_has_own_files();
    link_let_go(locked); /* from the table of the program */
#ifdef SYS_close_range
    left = left || syscall(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE) == 0;
#endif
    atomic_store_explicit(&own_files, left, memory_order_relaxed);
}

static bool be_brief(const struct core_locked *locked, bool by_thread)
{
    if (!brief_suits(locked, &settings))
        return false;
    if (by_thread)
        leave_files(locked);
    return brief_begin(locked, &settings, by_thread && follow_has_own_files());
}

/* --- beginning ----------------------------------------------------------------------------------------------------------- */

/* Nothing is recorded but that the process was there. */
static void give_up(const struct core_locked *locked, enum session_state state)
{
    brief_say(locked, state);
    brief_forget(locked);
    atomic_store_explicit(&state_word, 0, memory_order_relaxed);
    atomic_store_explicit(&follow_due, DUE_NOT, memory_order_release);
}

/* On `sampling`: the thread that will be the sampler, or NULL where there is none yet. */
static void begin_due(const struct core_locked *locked, const pthread_t *sampling)
{
    struct error error = {0};
    if (room_is_over(link_room())) {
        give_up(locked, SESSION_STOPPED);
        return;
    }
    int failed = lifecycle_begin(locked, &settings, sampling, &error);
    /* Until now whoever makes a marker has waited for the lock. Release: with this the session is seen as well. */
    atomic_store_explicit(&follow_due, DUE_NOT, memory_order_release);
    if (failed) {
        atomic_store_explicit(&state_word, 0, memory_order_relaxed);
        log_line(folder_is_gone(settings.folder, failed) ? LOG_STATE : LOG_ERROR, "nothing is recorded: %s", error.message);
        return;
    }
    if (paused)
        lifecycle_begin_paused(locked);
    handed = sampling ? active_state(locked)->sampler : NULL;
}

static void call_thread(void)
{
    atomic_store(&called, true);
    if (has_thread)
        long_sleep_call_anybody();
}

void follow_begin(void)
{
    int saved_errno = errno;
    if (core_locked_by_me())
        return;
    const struct core_locked *locked = core_lock();
    if (atomic_load_explicit(&follow_due, memory_order_relaxed) != DUE_NOT) {
        link_let_go(locked);
        /* One that has left our files cannot use what is opened here: then another thread is made, and that one ends. */
        bool is_usable = has_thread && !follow_has_own_files();
        atomic_store_explicit(&own_files, false, memory_order_relaxed);
        begin_due(locked, is_usable ? &thread : NULL);
        call_thread();
    }
    core_unlock(locked);
    errno = saved_errno;
}

void follow_leave(void)
{
    int saved_errno = errno;
    if (atomic_load_explicit(&follow_due, memory_order_acquire) == DUE_NOT || core_locked_by_me())
        return;
    const struct core_locked *locked = core_lock();
    bool brief = is_brief(locked);
    core_unlock(locked);
    if (brief)
        follow_begin();
    errno = saved_errno;
}

bool follow_end(void)
{
    int saved_errno = errno;
    if (atomic_load_explicit(&follow_due, memory_order_acquire) == DUE_NOT)
        return false;
    const struct core_locked *locked = core_lock();
    bool due = atomic_load_explicit(&follow_due, memory_order_relaxed) != DUE_NOT;
    bool brief = due && (is_brief(locked) || be_brief(locked, false));
    if (brief) {
        give_up(locked, SESSION_ENDED);
        internal_threads_end_here();
    }
    core_unlock(locked);
    errno = saved_errno;
    if (!brief)
        follow_now();
    return brief;
}

void follow_hold(const struct core_locked *locked, bool hold)
{
    (void)locked;
    if (atomic_load_explicit(&follow_due, memory_order_relaxed) != DUE_NOT)
        atomic_store_explicit(&follow_due, hold ? DUE_HELD : DUE, memory_order_relaxed);
}

/* --- the thread ---------------------------------------------------------------------------------------------------------- */

static bool wait(struct long_sleep *sleep, uint64_t ns, uint64_t alarm_ns)
{
    uint64_t end = clock_now() + ns;
    if (atomic_load(&called))
        return false;
    if (!sleep->off)
        return long_sleep_until(sleep, end, alarm_ns);
    clock_sleep_until(end);
    return false;
}

/* By its CPU time; or by the clock, where there is no such alarm. False: it is still there after a while, and did nothing. */
static bool wait_until_it_works(struct long_sleep *sleep, uint64_t interval_ns)
{
    uint64_t now = clock_origin + clock_now();
    uint64_t ns = interval_ns * thrift_next_look(THRIFT_FIRST_STRIDE, now, interval_ns, (uint64_t)getpid());
    bool has_alarm = sleep->timer >= 0 && !sleep->off;
    bool works = wait(sleep, has_alarm ? PATIENCE_NS : ns, has_alarm ? ns : 0);
    return works || !has_alarm || atomic_load(&called);
}

/* Until it is time to begin, or somebody else has done so. `is_idle`: the process has not worked meanwhile. */
static const struct core_locked *wait_for_due(struct long_sleep *sleep, bool *is_idle)
{
    const struct core_locked *locked = core_lock();
    uint64_t interval_ns = settings.interval_ns;
    *is_idle = false;
    for (bool has_become_brief = is_brief(locked);;) {
        core_unlock(locked);
        if (has_become_brief)
            *is_idle = !wait_until_it_works(sleep, interval_ns);
        else
            wait(sleep, DELAY_NS, 0);
        locked = core_lock();
        int due = atomic_load_explicit(&follow_due, memory_order_relaxed);
        has_become_brief = due == DUE && !is_brief(locked) && !atomic_load(&called) && be_brief(locked, true);
        if (due != DUE_HELD && !has_become_brief)
            return locked;
    }
}

static void *follow(void *unused)
{
    (void)unused;
    internal_thread_begin();
    struct long_sleep sleep;
    long_sleep_begin(&sleep);
    bool is_idle;
    const struct core_locked *locked = wait_for_due(&sleep, &is_idle);
    if (atomic_load_explicit(&follow_due, memory_order_relaxed) == DUE) {
        pthread_t myself = pthread_self();
        leave_files(locked);
        begin_due(locked, &myself);
    }
    struct sampler *sampler = handed;
    handed = NULL;
    if (sampler && is_idle)
        sampler_begins_idle(sampler);
    core_unlock(locked);
    long_sleep_end(&sleep);
    if (sampler)
        sampler_run(sampler);
    else
        pthread_detach(pthread_self());
    return NULL;
}

/* It waits for the lock until `thread` is there. */
static void make_thread(const struct core_locked *locked)
{
    (void)locked;
    has_thread = internal_thread_create(&thread, "SamplerThread", SAMPLER_STACK_BYTES, follow, NULL) == 0;
}

void follow_forked(void)
{
    int saved_errno = errno;
    if (atomic_load_explicit(&follow_due, memory_order_relaxed) != DUE_NOT) {
        const struct core_locked *locked = core_lock();
        if (!has_thread) /* daemon() may have failed to fork */
            make_thread(locked);
        core_unlock(locked);
    }
    errno = saved_errno;
}

bool follow_program(const struct settings *begun)
{
    const struct core_locked *locked = core_lock();
    if (preloaded && wanted) {
        keep_settings(locked, begun);
        /* Now: no mask that the program sets may have the signal in it. */
        if (be_brief(locked, false) && handler_install() > 0)
            make_thread(locked);
        if (has_thread) {
            atomic_store_explicit(&follow_due, DUE, memory_order_relaxed);
            atomic_store_explicit(&state_word, STATE_ACTIVE | settings.features, memory_order_relaxed);
        }
    }
    bool put_off = has_thread;
    core_unlock(locked);
    return put_off;
}
