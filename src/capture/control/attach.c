/* libsonde joins libsonde-base, maybe in the middle of a session. */
#include "capture/control/background.h"
#include "capture/control/base.h"
#include "capture/core/clock.h"
#include "capture/core/common_chunk.h"
#include "capture/core/core.h"
#include "capture/core/internal_thread.h"
#include "capture/core/kept.h"
#include "capture/core/log.h"
#include "capture/core/parts.h"
#include "capture/markers/api_parts.h"
#include "capture/markers/marker_write.h"
#include "capture/recorder/link.h"
#include "capture/sampler/handler.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"

#include <errno.h>
#include <string.h>

/* The functions of the table may be called with or without the core lock. */
struct maybe_locked {
    const struct core_locked *locked;
    bool mine;
};

static struct maybe_locked lock_if_needed(void)
{
    bool held = core_locked_by_me();
    return (struct maybe_locked){held ? core_lock_held() : core_lock(), !held};
}

static void unlock_if_needed(struct maybe_locked lock)
{
    if (lock.mine)
        core_unlock(lock.locked);
}

static bool base_put(bool kept, size_t max, size_t (*write)(uint8_t *out, size_t room, const void *entry), const void *entry)
{
    struct maybe_locked lock = lock_if_needed();
    bool done = false;
    if (active_state(lock.locked))
        done = kept ? kept_put(lock.locked, max, write, entry) : common_put(lock.locked, max, write, entry);
    unlock_if_needed(lock);
    return done;
}

static void base_statistic_add(int statistic, uint64_t amount)
{
    struct maybe_locked lock = lock_if_needed();
    const struct live_session *session = live_session();
    if (session)
        live_statistic_add(session, (enum session_statistic)statistic, amount);
    unlock_if_needed(lock);
}

static bool base_is_registered(int tid)
{
    struct maybe_locked lock = lock_if_needed();
    bool found = internal_thread_is(tid) || registry_find_tid(lock.locked, tid) != NULL;
    unlock_if_needed(lock);
    return found;
}

static uint64_t base_session_bytes(void)
{
    struct maybe_locked lock = lock_if_needed();
    struct active_state *active = active_state(lock.locked);
    struct chunk_manager_usage usage = {0};
    if (active)
        chunk_manager_usage(active->chunks, &usage);
    unlock_if_needed(lock);
    return usage.bytes_in_use + usage.bytes_done;
}

static bool base_is_observed(void)
{
    return link_is_observed(core_lock_held());
}

static struct registration *base_next_thread(struct registration *thread)
{
    thread = thread ? thread->next : registry_first(core_lock_held());
    while (thread && !(atomic_load_explicit(&thread->features, memory_order_relaxed) & (THREAD_CPU | THREAD_SAMPLING)))
        thread = thread->next;
    return thread;
}

static const char *base_program(void)
{
    struct maybe_locked lock = lock_if_needed();
    const char *path = core_state(lock.locked)->program;
    unlock_if_needed(lock);
    return *path ? path : NULL;
}

static const struct capture_base base = {
    .size = sizeof base,
    .put = base_put,
    .api = &sonde_api_1,
    .marker = marker_add_own,
    .statistic_add = base_statistic_add,
    .is_registered = base_is_registered,
    .session_bytes = base_session_bytes,
    .is_observed = base_is_observed,
    .next_thread = base_next_thread,
    .program = base_program,
    .clock_origin = &clock_origin,
};

static void mark_handover(enum sonde_phase phase)
{
    static const char name[] = "Profilers handover";
    struct sonde_marker_options options = {.phase = phase, .thread = -1};
    sonde_api_1.marker_add(NULL, name, sizeof name - 1, SONDE_CATEGORY_PROFILER, &options, NULL);
}

static int attach(const struct capture_parts *parts)
{
    if (parts->size < sizeof *parts)
        return -EINVAL;
    parts->attached(&base);
    const struct core_locked *locked = core_lock();
    bool running = active_state(locked) != NULL;
    bool first = core_state(locked)->parts == NULL;
    core_unlock(locked);
    if (!first)
        return -EINVAL;

    if (running)
        mark_handover(SONDE_START);
    locked = core_lock();
    const struct active_state *active = active_state(locked);
    if (active) {
        parts->begin(active->features, clock_now());
        /* From now on samples and markers have whole stacks. */
        handler_use(parts, active->features & FEATURE_BIT(FEATURE_STACKWALK));
    }
    core_state(locked)->parts = parts;
    core_unlock(locked);
    if (running)
        mark_handover(SONDE_END);
    log_line(LOG_STATE, "libsonde is there%s", running ? " and takes over the session" : "");
    return 0;
}

int sonde_base_attach(const struct capture_parts *parts)
{
    int result = attach(parts);
    base_start_if_due();
    return result;
}
