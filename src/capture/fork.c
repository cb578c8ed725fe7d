#include "capture/fork.h"

#include "capture/alone.h"
#include "capture/brief.h"
#include "capture/callbacks.h"
#include "capture/clock.h"
#include "capture/core_private.h"
#include "capture/follow.h"
#include "capture/handler_number.h"
#include "capture/internal_thread.h"
#include "capture/link.h"
#include "capture/live.h"
#include "capture/long_sleep.h"
#include "capture/marker_write.h"
#include "capture/memory_pages.h"
#include "capture/registry.h"
#include "capture/sampler.h"
#include "capture/signals.h"
#include "capture/state.h"

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
    link_forked(locked, follow_prepare(locked, active));
    if (active) {
        if (active->sampler)
            sampler_forget(active->sampler);
        active_state_end(locked);
    }
    live_forked();
    flow_forked();
    brief_forget(locked);
    alone_forked();
    long_sleep_forked();
    internal_threads_forked();
    handler_forked();
    registry_forked(locked);
    if (core->parts && core->parts->forked)
        core->parts->forked();
    signals_forked();
    core_unlock(locked);
}

void fork_init(void)
{
    pthread_atfork(prepare, parent, child);
}
