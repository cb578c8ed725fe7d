#include "capture/follow.h"

#include "capture/clock.h"
#include "capture/folder.h"
#include "capture/internal_thread.h"
#include "capture/lifecycle.h"
#include "capture/link.h"
#include "capture/log.h"
#include "capture/sampler.h"
#include "capture/state.h"

#include <errno.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { DELAY_NS = 1000000 };

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
static _Atomic uint32_t called; /* the thread, to take what it is handed */

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
    atomic_store_explicit(&called, 0, memory_order_relaxed);
    atomic_store_explicit(&follow_due, due ? DUE : DUE_NOT, memory_order_relaxed);
    if (due) /* so that markers come here */
        atomic_store_explicit(&state_word, STATE_ACTIVE | settings.features, memory_order_relaxed);
    return due;
}

/* --- beginning ----------------------------------------------------------------------------------------------------------- */

/* On `sampling`: the thread that will be the sampler, or NULL where there is none yet. */
static void begin_due(const struct core_locked *locked, const pthread_t *sampling)
{
    struct error error = {0};
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

void follow_begin(void)
{
    int saved_errno = errno;
    if (core_locked_by_me())
        return;
    const struct core_locked *locked = core_lock();
    if (atomic_load_explicit(&follow_due, memory_order_relaxed) != DUE_NOT) {
        link_let_go(locked);
        begin_due(locked, has_thread ? &thread : NULL);
        atomic_store_explicit(&called, 1, memory_order_relaxed);
        if (has_thread)
            syscall(SYS_futex, &called, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
    core_unlock(locked);
    errno = saved_errno;
}

void follow_hold(const struct core_locked *locked, bool hold)
{
    (void)locked;
    if (atomic_load_explicit(&follow_due, memory_order_relaxed) != DUE_NOT)
        atomic_store_explicit(&follow_due, hold ? DUE_HELD : DUE, memory_order_relaxed);
}

/* --- the thread ---------------------------------------------------------------------------------------------------------- */

/* From here on nothing that this thread opens is the program's, and the other way round. False: an old kernel, where the
 * lowest numbers are taken for some microseconds. */
static bool leave_files(void)
{
#ifdef SYS_close_range
    return syscall(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE) == 0;
#else
    return false;
#endif
}

/* True when it was called. */
static bool wait_a_moment(void)
{
    struct timespec time = {.tv_nsec = DELAY_NS};
    if (atomic_load_explicit(&called, memory_order_relaxed) == 0)
        syscall(SYS_futex, &called, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0);
    return atomic_load_explicit(&called, memory_order_relaxed) != 0;
}

static void *follow(void *unused)
{
    (void)unused;
    internal_thread_begin();
    const struct core_locked *locked;
    while (wait_a_moment(), locked = core_lock(), atomic_load_explicit(&follow_due, memory_order_relaxed) == DUE_HELD)
        core_unlock(locked);
    if (atomic_load_explicit(&follow_due, memory_order_relaxed) == DUE) {
        pthread_t myself = pthread_self();
        link_let_go(locked); /* from the table of the program */
        atomic_store_explicit(&own_files, leave_files(), memory_order_relaxed);
        begin_due(locked, &myself);
    }
    struct sampler *sampler = handed;
    handed = NULL;
    core_unlock(locked);
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
        /* It waits for the lock until `thread` is there. */
        has_thread = internal_thread_create(&thread, "SamplerThread", SAMPLER_STACK_BYTES, follow, NULL) == 0;
        core_unlock(locked);
    }
    errno = saved_errno;
}
