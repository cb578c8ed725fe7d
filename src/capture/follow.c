#include "capture/follow.h"

#include "capture/brief.h"
#include "capture/clock.h"
#include "capture/folder.h"
#include "capture/handler.h"
#include "capture/handler_number.h"
#include "capture/internal_thread.h"
#include "capture/lifecycle.h"
#include "capture/link.h"
#include "capture/log.h"
#include "capture/long_sleep.h"
#include "capture/roomy_stack.h"
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

enum { DELAY_NS = 1000000 };

enum { DUE_NOT, DUE, DUE_HELD, DUE_THREAD /* there is a session, but no sampler: alone.h */ };
_Atomic int follow_due;

/* Guarded by the core lock. */
static bool preloaded, wanted;
static struct settings settings;               /* of the latest session, with texts of our own */
_Alignas(64) static char filters[FILTER_TEXT]; /* aligned: apart from what is small, which the linker puts side by side */
static bool paused;                            /* the parent was */
static struct sampler *handed;                 /* to the thread */
static bool has_thread;
static pthread_t thread;
static bool at_once, known_idle; /* made for one that was alone, and is to begin; which has not worked for long */

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

bool follow_is_due(void)
{
    int due = atomic_load_explicit(&follow_due, memory_order_relaxed);
    return due == DUE || due == DUE_HELD;
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
    has_thread = at_once = false;
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
    alone_drop(locked);
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
    if (failed)
        alone_drop(locked);
    /* Until now whoever makes a marker has waited for the lock. Release: with this the session is seen as well. */
    atomic_store_explicit(&follow_due, alone_is() ? DUE_THREAD : DUE_NOT, memory_order_release);
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

/* On the calling thread, whose files are the program's. */
static void begin_here(const struct core_locked *locked)
{
    link_let_go(locked);
    /* One that has left our files cannot use what is opened here: then another thread is made, and that one ends. */
    bool is_usable = has_thread && !follow_has_own_files();
    atomic_store_explicit(&own_files, false, memory_order_relaxed);
    begin_due(locked, is_usable ? &thread : NULL);
    call_thread();
}

static void *follow(void *unused);

/* It waits for the lock until `thread` is there. */
static void make_thread(const struct core_locked *locked)
{
    (void)locked;
    has_thread = internal_thread_create(&thread, "SamplerThread", SAMPLER_STACK_BYTES, follow, NULL) == 0;
}

/* --- alone --------------------------------------------------------------------------------------------------------------- */

/* It begins the session, if it is due, or runs the sampler that has none. Or (not `now`) waits until it is time. */
static void make_thread_for_one(const struct core_locked *locked, bool now, bool is_idle)
{
    struct active_state *active = active_state(locked);
    at_once = now;
    known_idle = is_idle;
    make_thread(locked);
    if (!has_thread)
        return;
    alone_hand_over(locked);
    handed = active ? active->sampler : NULL;
    if (handed) {
        sampler_give_thread(handed, thread);
        link_receive(locked, active); /* joins, while it can */
        atomic_store_explicit(&follow_due, DUE_NOT, memory_order_relaxed);
    }
}

void follow_begin(void)
{
    int saved_errno = errno;
    if (core_locked_by_me())
        return;
    const struct core_locked *locked = core_lock();
    bool may = !alone_is() || alone_may_make_thread(locked);
    if (!may) {
        alone_hurry(locked);
        if (!follow_is_due()) /* and nobody tries again at every marker */
            atomic_store_explicit(&follow_due, DUE_NOT, memory_order_relaxed);
    }
    if (follow_is_due()) {
        if (may)
            alone_hand_over(locked);
        begin_here(locked);
    } else if (may && alone_is()) {
        make_thread_for_one(locked, true, false);
    }
    core_unlock(locked);
    errno = saved_errno;
}

void follow_make_thread(bool is_idle)
{
    const struct core_locked *locked = core_try_lock();
    if (!locked)
        return;
    if (alone_is())
        make_thread_for_one(locked, true, is_idle);
    core_unlock(locked);
}

void follow_give_up(void)
{
    const struct core_locked *locked = core_try_lock();
    if (!locked)
        return;
    bool due = follow_is_due(), is_alone = alone_is();
    if (due && is_alone)
        give_up(locked, SESSION_STOPPED);
    if (is_alone)
        atomic_store_explicit(&follow_due, DUE_NOT, memory_order_relaxed);
    core_unlock(locked);
    if (is_alone && !due)
        lifecycle_stop_quietly();
}

void follow_without_sampler(const struct core_locked *locked)
{
    (void)locked;
    int due = DUE_THREAD;
    atomic_compare_exchange_strong(&follow_due, &due, DUE_NOT);
}

void follow_end_alone(void)
{
    int saved_errno = errno;
    if (core_locked_by_me() || internal_thread_is_mine() || !handler_is_own_process())
        return;
    const struct core_locked *locked = core_lock();
    if (alone_is() && alone_may_make_thread(locked))
        make_thread_for_one(locked, alone_has_stacks(locked) || !follow_is_due(), false);
    if (alone_is())
        alone_bear_wait(locked);
    core_unlock(locked);
    errno = saved_errno;
}

static void publish(void *proof)
{
    const struct core_locked *locked = proof;
    if (alone_has_stacks(locked) && follow_is_due())
        begin_here(locked);
    else if (alone_is() && !alone_has_stacks(locked) && room_is_paused(link_room()))
        sampler_leave_out(locked);
    else
        sampler_catch_up(locked); /* also one that has its thread, which has not begun */
}

void follow_publish_locked(const struct core_locked *locked)
{
    /* The program may be in a handler of its own, on a small stack, and about to end. */
    _Alignas(64) static char stack[ROOMY_STACK_BYTES];
    if (alone_is() || alone_has_stacks(locked))
        roomy_stack_call(stack + sizeof stack, publish, (void *)(uintptr_t)locked);
}

void follow_publish(void)
{
    const struct core_locked *locked = core_try_lock();
    if (!locked)
        return;
    follow_publish_locked(locked);
    core_unlock(locked);
}

void follow_leave(void)
{
    int saved_errno = errno;
    if (atomic_load_explicit(&follow_due, memory_order_acquire) == DUE_NOT || core_locked_by_me())
        return;
    const struct core_locked *locked = core_lock();
    bool begins = is_brief(locked) || alone_is();
    core_unlock(locked);
    if (begins)
        follow_begin();
    errno = saved_errno;
}

bool follow_end(void)
{
    int saved_errno = errno;
    if (atomic_load_explicit(&follow_due, memory_order_acquire) == DUE_NOT)
        return false;
    const struct core_locked *locked = core_lock();
    follow_publish_locked(locked);
    bool due = follow_is_due(), brief = due && (is_brief(locked) || be_brief(locked, false));
    if (brief) {
        give_up(locked, SESSION_ENDED);
        internal_threads_end_here();
    }
    core_unlock(locked);
    errno = saved_errno;
    if (due && !brief)
        follow_now();
    return brief;
}

void follow_hold(const struct core_locked *locked, bool hold)
{
    (void)locked;
    if (follow_is_due())
        atomic_store_explicit(&follow_due, hold ? DUE_HELD : DUE, memory_order_relaxed);
    alone_hold(locked, hold);
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

/* In CPU time. */
static uint64_t first_look(uint64_t interval_ns)
{
    uint64_t now = clock_origin + clock_now();
    return interval_ns * thrift_next_look(THRIFT_FIRST_STRIDE, now, interval_ns, (uint64_t)getpid());
}

/* By its CPU time; or by the clock, where there is no such alarm. False: it is still there after a while, and did nothing. */
static bool wait_until_it_works(struct long_sleep *sleep, uint64_t interval_ns)
{
    uint64_t ns = first_look(interval_ns);
    bool has_alarm = sleep->timer >= 0 && !sleep->off;
    bool works = wait(sleep, has_alarm ? FOLLOW_PATIENCE_NS : ns, has_alarm ? ns : 0);
    return works || !has_alarm || atomic_load(&called);
}

/* Until it is time to begin, or somebody else has done so. `is_idle`: the process has not worked meanwhile. */
static const struct core_locked *wait_for_due(struct long_sleep *sleep, bool *is_idle)
{
    const struct core_locked *locked = core_lock();
    uint64_t interval_ns = settings.interval_ns;
    bool is_held = atomic_load_explicit(&follow_due, memory_order_relaxed) == DUE_HELD;
    *is_idle = at_once && known_idle;
    if (at_once && !is_held)
        return locked;
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
        bool can_be = be_brief(locked, false) && handler_install() > 0;
        if (can_be && !alone_begin(locked, &settings, first_look(settings.interval_ns)))
            make_thread(locked);
        if (has_thread || alone_is()) {
            atomic_store_explicit(&follow_due, DUE, memory_order_relaxed);
            atomic_store_explicit(&state_word, STATE_ACTIVE | settings.features, memory_order_relaxed);
        }
    }
    bool put_off = has_thread || alone_is();
    core_unlock(locked);
    return put_off;
}
