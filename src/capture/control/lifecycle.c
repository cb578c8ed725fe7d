#include "capture/control/lifecycle.h"

#include "capture/control/background.h"
#include "capture/control/save.h"
#include "capture/core/callbacks.h"
#include "capture/core/clock.h"
#include "capture/core/core.h"
#include "capture/core/log.h"
#include "capture/core/sandbox.h"
#include "capture/core/session_facts.h"
#include "capture/core/settings.h"
#include "capture/counters/counters.h"
#include "capture/markers/categories.h"
#include "capture/markers/marker_types.h"
#include "capture/recorder/link.h"
#include "capture/sampler/handler.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

const struct session_guest *lifecycle_guest;

/* --- start ------------------------------------------------------------------------------------------------------------- */

static int make_session_file(const struct core_locked *locked, struct active_state *active, struct error *error)
{
    struct chunk_manager_options options = {
        .folder = active->settings.folder,
        .pid = core_state(locked)->pid,
        .limit_bytes = active->settings.buffer_bytes,
        .start_monotonic_ns = clock_origin,
        .start_realtime_ns = core_state(locked)->start_realtime_ns,
        .interval_ns = active->settings.interval_ns,
        .tick_ns = clock_kernel_tick_ns(),
        .begin_cpu_ns = clock_begin_cpu,
    };
    clock_begin_cpu = 0; /* of this session only */
    active->chunks = chunk_manager_create(&options, error);
    return active->chunks ? 0 : error->code;
}

/* In the file. */
static void say_stopped(const struct active_state *active)
{
    struct session_file_header *header = chunk_manager_header(active->chunks);
    uint32_t state = atomic_load_explicit(&header->state, memory_order_relaxed);
    if (state != SESSION_DISK_FULL)
        atomic_store_explicit(&header->state, SESSION_STOPPED, memory_order_relaxed);
    atomic_store_explicit(&header->ignores_signal, handler_is_ignored(), memory_order_relaxed);
    atomic_store_explicit(&header->end_ns, clock_now(), memory_order_relaxed);
}

/* Everything but the word that says so. */
static int begin_session(const struct core_locked *locked, const struct settings *settings, struct error *error)
{
    struct active_state *active = active_state_begin(locked);
    active->generation = ++core_state(locked)->generation;
    active->start_ns = clock_now();
    active->settings = *settings;
    active->settings.filters = strcpy(active->filters, settings->filters);

    int result = folder_make(active, settings->folder, error);
    if (result == 0)
        result = make_session_file(locked, active, error);
    if (result != 0)
        goto fail;
    link_begin(locked, active);
    session_facts_put(locked, settings);
    categories_begin(locked);
    marker_types_begin(locked);
    counters_begin(locked);
    const struct capture_parts *parts = core_state(locked)->parts;
    background_begin_parts(locked, parts, settings->features, active->start_ns);
    handler_use(parts, settings->features & FEATURE_BIT(FEATURE_STACKWALK));
    result = handler_install(chunk_manager_image(active->chunks) > 0);
    if (result != 0)
        error_set(error, result, "SIGPROF cannot be handled: %s", error_text(-result));
    else if ((result = live_publish(locked, active->chunks, active->generation)) != 0)
        error_out_of_memory(error);
    bool in_background = !link_is_observed(locked) || background_is_for(settings->features) || counters_are_used(locked);
    if (result == 0 && in_background) {
        active->background = background_start(locked, error);
        result = active->background ? 0 : error->code;
    }
    if (result == 0) {
        registry_begin(locked);
        if (lifecycle_guest)
            lifecycle_guest->begin(locked);
        return 0;
    }
    background_end_parts(locked, parts);
fail:
    link_end(locked);
    folder_remove(active);
    if (active->chunks)
        say_stopped(active);
    if (atomic_load_explicit(&live_current, memory_order_relaxed))
        live_retire(locked, registry_first(locked), false);
    else if (active->chunks)
        chunk_manager_free(active->chunks);
    active_state_end(locked);
    if (lifecycle_guest)
        lifecycle_guest->end(locked);
    return result;
}

int lifecycle_begin(const struct core_locked *locked, const struct settings *settings)
{
    struct error error = {0};
    int result = begin_session(locked, settings, &error);
    if (result == 0)
        /* Last: whoever sees it finds everything else in place. */
        atomic_store_explicit(&state_word, SONDE_STATE_ACTIVE | settings->features, memory_order_relaxed);
    else
        log_line(folder_is_unreached(settings->folder, result) ? LOG_STATE : LOG_ERROR, "nothing is recorded: %s",
                 error.message);
    return result;
}

/* --- stop -------------------------------------------------------------------------------------------------------------- */

/* What is left to do when the lock is let go. */
struct ending {
    struct background *background;
    struct after_sampling_call calls[CALLBACKS_MAX];
    size_t call_count;
};

static void end_session(const struct core_locked *locked, struct ending *ending, bool for_good)
{
    struct active_state *active = active_state(locked);
    atomic_store_explicit(&state_word, 0, memory_order_relaxed);
    if (lifecycle_guest)
        lifecycle_guest->end(locked);
    registry_end(locked);
    background_end_parts(locked, core_state(locked)->parts);
    if (!active->paused && !active->sampling_paused)
        counters_loop(locked, clock_now()); /* what they have come to since its last turn, or in a program too short for one */
    core_state(locked)->dump.set = false;   /* it was to be of this session */
    ending->background = active->background;
    ending->call_count = active->after_sampling_count;
    memcpy(ending->calls, active->after_sampling, ending->call_count * sizeof *ending->calls);

    entries_end(locked);
    say_stopped(active);
    folder_remove(active);
    link_end(locked);
    live_retire(locked, registry_first(locked), for_good);
    active_state_end(locked);
    log_line(LOG_STATE, "stopped");
}

/* With no lock held. */
static void finish_ending(const struct ending *ending, bool for_good)
{
    /* At the end of the process nobody waits for it: it sleeps, and finds nothing to do any more. But it may be calling the
     * program. */
    if (!for_good || ending->call_count > 0)
        background_join(ending->background);
    for (size_t i = 0; i < ending->call_count; i++)
        ending->calls[i].call(ending->calls[i].data, SONDE_JUST_STOPPED);
}

static bool stop_quietly(bool for_good)
{
    struct ending ending = {0};
    const struct core_locked *locked = core_lock();
    bool was_active = active_state(locked) != NULL;
    if (was_active)
        end_session(locked, &ending, for_good);
    core_unlock(locked);
    finish_ending(&ending, for_good);
    return was_active;
}

void lifecycle_stop(void)
{
    if (!(state_get() & SONDE_STATE_ACTIVE))
        return;
    callbacks_run(SONDE_STOPPING);
    stop_quietly(false);
}

void lifecycle_stop_and_unmap(void)
{
    enum { TRIES_MOST = 500, PAUSE_US = 1000 };
    if (core_locked_by_me())
        return;
    lifecycle_stop();
    for (int i = 0; i < TRIES_MOST; i++) {
        const struct core_locked *locked = core_lock();
        bool done = live_collect(locked, registry_first(locked));
        core_unlock(locked);
        if (done)
            break;
        usleep(PAUSE_US);
    }
}

static void stop_if_over(void)
{
    if (link_is_over() && core_may_lock() && core_is_own_process())
        stop_quietly(false);
}

/* --- starting, from outside -------------------------------------------------------------------------------------------- */

static int start(const struct sonde_start_options *options, bool keep_same)
{
    struct settings settings;
    struct error error = {0};
    int result = settings_from_options(&settings, options, &error);
    if (result == 0 && filters_exclude_process(settings.filters, getpid()))
        result = error_set(&error, -ECANCELED, "the filters name only other processes");
    if (result != 0) {
        log_line(LOG_ERROR, "nothing is recorded: %s", error.message);
        return result;
    }
    for (;;) {
        const struct core_locked *locked = core_lock();
        const struct active_state *active = active_state(locked);
        bool runs = active && keep_same && settings_match(&settings, active), begins = !active;
        if (begins)
            result = lifecycle_begin(locked, &settings);
        core_unlock(locked);
        if (begins && result == 0) {
            log_line(LOG_STATE, "started");
            callbacks_run(SONDE_STARTED);
        }
        if (begins || runs)
            return result;
        stop_quietly(false);
    }
}

int lifecycle_start(const struct sonde_start_options *options)
{
    return start(options, false);
}

int lifecycle_ensure_started(const struct sonde_start_options *options)
{
    return start(options, true);
}

/* --- pausing ----------------------------------------------------------------------------------------------------------- */

static size_t write_time(uint8_t *out, size_t room, const void *kind)
{
    return entry_write_time(out, room, *(const enum entry_kind *)kind, clock_now());
}

enum { TIME_ENTRY_MAX = 16 };

/* Sets one of the two flags and writes the entry that says so. False when it was so already. */
static bool set_pause(bool sampling_only, bool paused)
{
    const struct core_locked *locked = core_lock();
    struct active_state *active = active_state(locked);
    bool *flag = !active ? NULL : sampling_only ? &active->sampling_paused : &active->paused;
    bool changed = flag && *flag != paused;
    if (changed) {
        enum entry_kind kind =
            sampling_only ? (paused ? ENTRY_PAUSE_SAMPLING : ENTRY_RESUME_SAMPLING) : (paused ? ENTRY_PAUSE : ENTRY_RESUME);
        *flag = paused;
        uint64_t bit = sampling_only ? SONDE_STATE_SAMPLING_PAUSED : SONDE_STATE_PAUSED;
        if (paused)
            atomic_fetch_or_explicit(&state_word, bit, memory_order_relaxed);
        else
            atomic_fetch_and_explicit(&state_word, ~bit, memory_order_relaxed);
        common_put(locked, TIME_ENTRY_MAX, write_time, &kind);
        background_wake(locked);
        if (!sampling_only)
            atomic_store_explicit(&chunk_manager_header(active->chunks)->state, paused ? SESSION_PAUSED : SESSION_RECORDING,
                                  memory_order_relaxed);
    }
    core_unlock(locked);
    return changed;
}

void lifecycle_pause(void)
{
    if ((state_get() & (SONDE_STATE_ACTIVE | SONDE_STATE_PAUSED)) != SONDE_STATE_ACTIVE)
        return;
    callbacks_run(SONDE_PAUSING);
    set_pause(false, true);
}

void lifecycle_resume(void)
{
    if (set_pause(false, false))
        callbacks_run(SONDE_RESUMED);
}

void lifecycle_pause_sampling(void)
{
    set_pause(true, true);
}

void lifecycle_resume_sampling(void)
{
    set_pause(true, false);
}

/* --- exec -------------------------------------------------------------------------------------------------------------- */

/* If all goes well nobody is there any more to say so. */
static void note_replaced(const struct core_locked *locked, bool replaced)
{
    const struct active_state *active = active_state(locked);
    if (!active)
        return;
    struct session_file_header *header = chunk_manager_header(active->chunks);
    if (atomic_load_explicit(&header->state, memory_order_relaxed) == SESSION_DISK_FULL)
        return;
    if (replaced)
        registry_write_end_of_process(locked);
    atomic_store_explicit(&header->ignores_signal, handler_is_ignored(), memory_order_relaxed);
    uint32_t state = replaced ? SESSION_REPLACED : active->paused ? SESSION_PAUSED : SESSION_RECORDING;
    atomic_store_explicit(&header->state, state, memory_order_relaxed);
    atomic_store_explicit(&header->end_ns, replaced ? clock_now() : 0, memory_order_relaxed);
}

void lifecycle_replace(bool begins)
{
    int saved_errno = errno;
    if (!sandbox_is_closed() && core_is_own_process()) {
        const struct core_locked *locked = core_lock();
        note_replaced(locked, begins);
        core_unlock(locked);
        handler_quiet(begins);
    } else {
        handler_pass_mask_on(begins);
        if (begins && !sandbox_is_closed())
            handler_pass_ignored_on();
    }
    errno = saved_errno;
}

/* --- by itself --------------------------------------------------------------------------------------------------------- */

static uint64_t end_of_duration(const struct active_state *active)
{
    return active->settings.duration_ns > 0 ? active->start_ns + active->settings.duration_ns : UINT64_MAX;
}

static uint64_t next_deadline(const struct core_locked *locked)
{
    const struct active_state *active = active_state(locked);
    uint64_t end = active ? end_of_duration(active) : UINT64_MAX, dump = dump_deadline(locked);
    return end < dump ? end : dump;
}

static bool is_current(uint64_t generation)
{
    const struct core_locked *locked = core_lock();
    const struct active_state *active = active_state(locked);
    bool current = active && active->generation == generation;
    core_unlock(locked);
    return current;
}

/* Stops the session when its duration is over or the disk is full, and makes a scheduled dump. */
static void after_loop(uint64_t generation)
{
    const struct core_locked *locked = core_lock();
    struct active_state *active = active_state(locked);
    bool mine = active && active->generation == generation;
    bool over = mine && clock_now() >= end_of_duration(active);
    bool full =
        mine && atomic_load_explicit(&chunk_manager_header(active->chunks)->state, memory_order_relaxed) == SESSION_DISK_FULL;
    bool dump = mine && clock_now() >= dump_deadline(locked);
    core_unlock(locked);
    if (full)
        log_line(LOG_ERROR, "the recording stops: there is no room for more in the folder of the session");
    int status = dump ? dump_write() : -1;
    if (status >= 0) {
        lifecycle_exit(); /* a temporary folder is not left behind */
        _exit(status);
    }
    if ((over || full) && is_current(generation))
        lifecycle_stop();
}

void lifecycle_init(void)
{
    live_stop_if_over = stop_if_over;
    background_after_loop = after_loop;
    background_deadline = next_deadline;
}

/* A program that has forbidden itself system calls must not be made to make one: only the file says that it ended. */
static void end_without_calls(void)
{
    const struct live_session *session = live_session();
    if (!session)
        return;
    atomic_store_explicit(&session->header->state, SESSION_ENDED, memory_order_relaxed);
    atomic_store_explicit(&session->header->end_ns, clock_now(), memory_order_relaxed);
}

void lifecycle_shutdown(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set_explicit(&done, memory_order_relaxed))
        return; /* the program did it, now it is at its end */
    bool active = (state_get() & SONDE_STATE_ACTIVE) != 0;
    if (active)
        callbacks_run(SONDE_STOPPING);
    callbacks_run(SONDE_SHUTTING_DOWN);
    live_note_filter(registration_mine());
    if (active && sandbox_is_closed())
        end_without_calls();
    if (!active || sandbox_is_closed())
        return;
    save_at_shutdown();
    const struct core_locked *locked = core_lock();
    const struct capture_parts *parts = core_state(locked)->parts;
    if (parts && active_state(locked))
        parts->refresh(clock_now()); /* libraries that came since: nobody may have told of them */
    registry_write_end_of_process(locked);
    core_unlock(locked);
    stop_quietly(true);
}

void lifecycle_exit(void)
{
    if (!(state_get() & SONDE_STATE_ACTIVE) || core_locked_by_me())
        return;
    live_note_filter(registration_mine());
    if (sandbox_is_closed()) {
        end_without_calls();
        return;
    }
    struct ending ending = {0};
    const struct core_locked *locked = core_lock();
    if (active_state(locked)) {
        registry_write_end_of_process(locked);
        end_session(locked, &ending, true);
    }
    core_unlock(locked);
}
