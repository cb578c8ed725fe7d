#include "capture/control/fork.h"

#include "capture/control/background.h"
#include "capture/control/lifecycle.h"
#include "capture/control/signals.h"
#include "capture/core/callbacks.h"
#include "capture/core/clock.h"
#include "capture/core/core.h"
#include "capture/core/internal_thread.h"
#include "capture/core/pages.h"
#include "capture/core/sandbox.h"
#include "capture/core/settings.h"
#include "capture/markers/marker_write.h"
#include "capture/recorder/link.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* --- children go on in the session ------------------------------------------------------------------------------------- */

/* Guarded by the core lock. */
static bool wanted, due;         /* that children are recorded; that this one, a child, is to begin */
static struct settings settings; /* of the parent, with texts of our own */
static char filters[FILTER_TEXT], folder[PATH_ROOM];

void children_record(void)
{
    wanted = true;
}

/* While the parent's session is still known. */
static void inherit_session(const struct active_state *parents)
{
    /* The parent may be a child itself that has not begun. */
    due = wanted && (due || (parents && !parents->folder_is_ours));
    if (!due || !parents)
        return;
    settings = parents->settings;
    settings.filters = strcpy(filters, settings.filters);
    settings.folder = strcpy(folder, settings.folder);
}

void children_begin(void)
{
    int saved_errno = errno;
    const struct core_locked *locked = core_lock();
    bool begins = due && !active_state(locked) && !link_is_over() && !sandbox_is_closed();
    clock_begin_cpu = begins ? clock_read(CLOCK_THREAD_CPUTIME_ID) : 0;
    int failed = begins ? lifecycle_begin(locked, &settings) : 0;
    if (!begins && lifecycle_guest && !active_state(locked))
        lifecycle_guest->end(locked);
    due = false;
    core_unlock(locked);
    if (failed)
        link_tell_unreached();
    errno = saved_errno;
}

/* --- fork ---------------------------------------------------------------------------------------------------------------- */

/* The lock of the thread that forks, from prepare to parent and child. */
static const struct core_locked *fork_locked;

void fork_prepare(void)
{
    internal_threads_arrive();
    fork_locked = core_lock();
    callbacks_fork_prepare();
    memory_fork_prepare();
}

void fork_parent(void)
{
    memory_fork_done();
    callbacks_fork_done(false);
    core_unlock(fork_locked);
}

void fork_child(void)
{
    const struct core_locked *locked = fork_locked;
    memory_fork_done();
    callbacks_fork_done(true);
    atomic_store_explicit(&state_word, 0, memory_order_relaxed);
    if (sandbox_is_closed()) { /* no system calls: the child is not recorded, and leaves what is its parent's where it is */
        live_forget();
        registry_forget();
        active_state_end(locked);
        core_unlock(locked);
        return;
    }
    clock_origin = clock_read(CLOCK_MONOTONIC);
    struct core_state *core = core_state(locked);
    core->pid = getpid();
    core->start_realtime_ns = clock_origin_realtime();
    core->dump.set = false;
    /* The file to be written at the end is the parent's. */
    core->saves_at_shutdown = false;
    struct active_state *active = active_state(locked);
    inherit_session(active);
    link_end(locked);
    background_forget(active ? active->background : NULL);
    if (active)
        active_state_end(locked);
    live_forked();
    flow_forked();
    internal_threads_forked();
    registry_forked(locked);
    if (core->parts && core->parts->forked)
        core->parts->forked();
    if (lifecycle_guest)
        lifecycle_guest->forked();
    signals_forked();
    core_unlock(locked);
}

/* What pthread_atfork() calls, and what another C library has not: see preload/load.c. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library)
    __attribute__((weak));

void fork_init(void)
{
    if (__register_atfork)
        __register_atfork(fork_prepare, fork_parent, fork_child, NULL);
}
