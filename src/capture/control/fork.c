#include "capture/control/fork.h"

#include "capture/control/background.h"
#include "capture/control/children.h"
#include "capture/control/signals.h"
#include "capture/core/callbacks.h"
#include "capture/core/clock.h"
#include "capture/core/core_private.h"
#include "capture/core/internal_thread.h"
#include "capture/core/memory_pages.h"
#include "capture/core/state.h"
#include "capture/markers/marker_write.h"
#include "capture/recorder/link.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"

#include <pthread.h>
#include <unistd.h>

/* The lock of the thread that forks, from prepare to parent and child. */
static const struct core_locked *locked;

/* Nobody changes anything while the process is copied. */
static void prepare(void)
{
    internal_threads_arrive();
    locked = core_lock();
    callbacks_fork_prepare();
    memory_fork_prepare();
}

static void parent(void)
{
    memory_fork_done();
    callbacks_fork_done(false);
    core_unlock(locked);
}

static void child(void)
{
    memory_fork_done();
    callbacks_fork_done(true);
    atomic_store_explicit(&state_word, 0, memory_order_relaxed);
    clock_origin = clock_read(CLOCK_MONOTONIC);
    struct core_state *core = core_state(locked);
    core->pid = getpid();
    core->main_tid = core->pid;
    core->start_realtime_ns = clock_origin_realtime();
    core->dump.set = false;
    /* The file to be written at the end is the parent's. */
    core->saves_at_shutdown = false;
    struct active_state *active = active_state(locked);
    children_forked(locked, active);
    link_forked(locked);
    background_forget(active ? active->background : NULL);
    if (active)
        active_state_end(locked);
    live_forked();
    flow_forked();
    internal_threads_forked();
    registry_forked(locked);
    if (core->parts && core->parts->forked)
        core->parts->forked();
    signals_forked();
    core_unlock(locked);
}

/* What pthread_atfork() calls, and what another C library has not: see preload/load.c. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library)
    __attribute__((weak));

void fork_init(void)
{
    if (__register_atfork)
        __register_atfork(prepare, parent, child, NULL);
}
