#include "capture/control/background.h"

#include "capture/core/clock.h"
#include "capture/core/internal_thread.h"
#include "capture/core/pages.h"
#include "capture/core/sandbox.h"
#include "capture/counters/counters.h"
#include "capture/recorder/link.h"
#include "session/supply.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    STACK_BYTES = 256 << 10,
    LOOP_NS = 10000000,       /* at most so long between two loops while … */
    LOOP_CALM_NS = 100000000, /* … nobody runs: chunks that are there last longer */
    LEAST_SHARE = 4,          /* samples and markers each have at least a quarter of the memory */
};

struct background {
    pthread_t thread;
    uint64_t generation;
    _Atomic uint32_t calls; /* a futex: rises when there is something to do */
    bool ends_alone;        /* nobody joins it */
    bool observed;          /* the recorder supplies chunks, and looks at threads */
    uint64_t samples;       /* that the session had at the last loop */
    struct supply supply;
};

void (*background_after_loop)(uint64_t generation);
uint64_t (*background_deadline)(const struct core_locked *locked);

/* --- parts of libsonde -------------------------------------------------------------------------------------------------- */

/* Guarded by the core lock. */
static struct {
    bool at_work; /* a thread is in after_loop(), of this session or the one before */
    bool end_is_due, begin_is_due;
    uint64_t features, now_ns;
} parts_state;

void background_begin_parts(const struct core_locked *locked, const struct capture_parts *parts, uint64_t features,
                            uint64_t now_ns)
{
    (void)locked;
    parts_state.begin_is_due = parts && parts_state.at_work;
    parts_state.features = features;
    parts_state.now_ns = now_ns;
    if (parts && !parts_state.at_work)
        parts->begin(features, now_ns);
}

void background_end_parts(const struct core_locked *locked, const struct capture_parts *parts)
{
    (void)locked;
    parts_state.begin_is_due = false;
    parts_state.end_is_due = parts && parts_state.at_work;
    if (parts && !parts_state.at_work)
        parts->end();
}

/* Without the lock, which it takes and lets go when the work is done. */
static void work_in_parts(const struct capture_parts *parts, uint64_t now_ns)
{
    parts->after_loop(now_ns);
    const struct core_locked *locked = core_lock();
    parts_state.at_work = false;
    if (parts_state.end_is_due)
        parts->end();
    if (parts_state.begin_is_due)
        parts->begin(parts_state.features, parts_state.now_ns);
    parts_state.end_is_due = parts_state.begin_is_due = false;
    core_unlock(locked);
}

/* --- one loop ------------------------------------------------------------------------------------------------------------ */

/* Samples and markers share the memory of the session: each may have what the other has not. */
static void share_memory(struct background *background, struct active_state *active)
{
    struct chunk_manager_usage usage;
    chunk_manager_usage(active->chunks, &usage);
    uint64_t all = active->settings.buffer_bytes, least = all / LEAST_SHARE;
    uint64_t samples = usage.bytes_held < all - least ? all - usage.bytes_held : least;
    uint64_t others = background->supply.held < all - least ? all - background->supply.held : least;
    background->supply.limit = samples;
    chunk_manager_set_limit(active->chunks, others);
}

/* Takes the calls that the program asked for (sonde_after_sampling), before anything else is done in a loop: whatever they
 * wait for is in the recording when it is over. */
static size_t take_calls(struct active_state *active, struct after_sampling_call *calls)
{
    size_t count = active->after_sampling_count;
    memcpy(calls, active->after_sampling, count * sizeof *calls);
    active->after_sampling_count = 0;
    return count;
}

/* How long to sleep after this loop. 0 = the session is over. */
static uint64_t loop(struct background *background)
{
    const struct core_locked *locked = core_lock();
    struct active_state *active = active_state(locked);
    if (!active || active->generation != background->generation || active->background != background) {
        core_unlock(locked);
        return 0;
    }
    const struct capture_parts *parts = core_state(locked)->parts;
    uint64_t now = clock_now(), next = now + LOOP_CALM_NS, deadline = background_deadline(locked);
    bool paused = active->paused || active->sampling_paused;
    struct after_sampling_call calls[CALLBACKS_MAX];
    size_t call_count = take_calls(active, calls);
    if (!background->observed) {
        supply_turn(&background->supply);
        share_memory(background, active);
    }
    if (parts) {
        parts->refresh(now);
        parts->loop(now);
    }
    if (!paused) {
        counters_loop(locked, now);
        uint64_t due = parts && !background->observed ? parts->look(now) : UINT64_MAX;
        next = due < next ? due : next;
    }
    chunk_manager_prepare(active->chunks);
    bool obeyed = chunk_manager_obey(active->chunks);
    const struct session_file_header *header = chunk_manager_header(active->chunks);
    uint64_t samples = statistic_get(header, STATISTIC_SAMPLES_EVENT) + statistic_get(header, STATISTIC_SAMPLES_TICK);
    bool counts = background_is_for(active->settings.features) || counters_are_used(locked);
    if (samples != background->samples || !obeyed || counts)
        next = now + LOOP_NS < next ? now + LOOP_NS : next;
    background->samples = samples;
    next = deadline < next ? deadline : next;
    bool works_in_parts = parts && !parts_state.at_work;
    parts_state.at_work |= works_in_parts;
    core_unlock(locked);

    if (works_in_parts)
        work_in_parts(parts, now);
    /* Without the lock: they are the program's code. */
    for (size_t i = 0; i < call_count; i++)
        calls[i].call(calls[i].data, paused ? SONDE_SAMPLING_PAUSED : SONDE_SAMPLING_COMPLETED);
    background_after_loop(background->generation);
    now = clock_now();
    return next > now ? next - now : 1;
}

/* --- the thread ---------------------------------------------------------------------------------------------------------- */

static void rest(struct background *background, uint32_t calls, uint64_t ns)
{
    struct timespec time = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
    syscall(SYS_futex, &background->calls, FUTEX_WAIT_PRIVATE, calls, &time, NULL, 0);
}

static void finish(struct background *background)
{
    supply_end(&background->supply);
    pages_unmap(background, sizeof *background);
}

static void *run(void *argument)
{
    struct background *background = argument;
    for (;;) {
        uint32_t calls = atomic_load_explicit(&background->calls, memory_order_acquire);
        uint64_t ns = loop(background);
        if (ns == 0)
            break;
        rest(background, calls, ns);
    }
    if (background->ends_alone)
        finish(background);
    return NULL;
}

struct background *background_start(const struct core_locked *locked, struct error *error)
{
    struct active_state *active = active_state(locked);
    struct background *background = pages_map(sizeof *background);
    struct supply_view view = chunk_manager_supply_view(active->chunks);
    if (!background || supply_begin(&background->supply, &view) != 0) {
        error_out_of_memory(error);
        pages_unmap(background, background ? sizeof *background : 0);
        return NULL;
    }
    background->generation = active->generation;
    background->observed = link_is_observed(locked);
    int code = internal_thread_create(&background->thread, LINK_OWN_THREADS, STACK_BYTES, run, background);
    if (code < 0) {
        error_set(error, code, "the background thread cannot be made: %s", error_text(-code));
        finish(background);
        return NULL;
    }
    return background;
}

bool background_is_for(uint64_t features)
{
    const uint64_t needs_it = FEATURE_BIT(FEATURE_POWER) | FEATURE_BIT(FEATURE_CPUFREQ) | FEATURE_BIT(FEATURE_MEMORY) |
                              FEATURE_BIT(FEATURE_UNREGISTEREDTHREADS);
    return features & needs_it;
}

void background_need(const struct core_locked *locked)
{
    struct active_state *active = active_state(locked);
    struct error error = {0};
    if (active && !active->background && !sandbox_is_closed())
        active->background = background_start(locked, &error);
}

static void call(struct background *background)
{
    int saved_errno = errno;
    atomic_fetch_add_explicit(&background->calls, 1, memory_order_release);
    syscall(SYS_futex, &background->calls, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved_errno;
}

void background_wake(const struct core_locked *locked)
{
    const struct active_state *active = active_state(locked);
    if (active && active->background)
        call(active->background);
}

void background_join(struct background *background)
{
    if (!background)
        return;
    if (pthread_equal(background->thread, pthread_self())) {
        background->ends_alone = true;
        pthread_detach(background->thread);
        return;
    }
    call(background);
    pthread_join(background->thread, NULL);
    finish(background);
}

bool background_end(void)
{
    if (core_locked_by_me())
        return false;
    const struct core_locked *locked = core_lock();
    struct active_state *active = active_state(locked);
    struct background *background = active ? active->background : NULL;
    if (background && pthread_equal(background->thread, pthread_self()))
        background = NULL; /* it calls the program, which does this there */
    if (background)
        active->background = NULL;
    core_unlock(locked);
    background_join(background);
    return background != NULL;
}

void background_forget(struct background *background)
{
    parts_state.at_work = parts_state.end_is_due = parts_state.begin_is_due = false;
    if (background)
        finish(background);
}
