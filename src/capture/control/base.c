#include "capture/control/base.h"

#include "capture/control/fork.h"
#include "capture/control/lifecycle.h"
#include "capture/control/signals.h"
#include "capture/core/clock.h"
#include "capture/core/core.h"
#include "capture/core/internal_thread.h"
#include "capture/core/log.h"
#include "capture/core/parts.h"
#include "capture/core/session_facts.h"
#include "capture/core/settings.h"
#include "capture/markers/labels.h"
#include "capture/markers/marker_write.h"
#include "capture/recorder/link.h"
#include "capture/sampler/handler.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* --- before main, and at exit ------------------------------------------------------------------------------------------ */

/* Of libsonde. Not NULL: it is being loaded with us, and will attach itself in a moment. */
extern const int sonde_full_1 __attribute__((weak, visibility("default")));

static bool foreign;

/* A start that waits for libsonde, so that the first sample already has a whole stack. */
static bool start_is_due;
_Alignas(16) static struct sonde_start_options start_options; /* the linker puts what is small side by side */

bool base_is_wanted(void)
{
    return !foreign;
}

/* What SONDE_STARTUP asked for, if that has not been done. */
static void start_if_due(void)
{
    if (start_is_due)
        lifecycle_start(&start_options); /* says itself what went wrong; the program runs all the same */
    start_is_due = false;
}

static void follow_environment(void)
{
    if (getauxval(AT_SECURE))
        return;
    struct environment environment;
    struct error error = {0};
    int result = environment_read(&environment, getenv, getpid(), &error);
    if (environment.help) {
        environment_help();
        _exit(0);
    }
    foreign = environment.foreign;
    if (result != 0) {
        log_line(LOG_ERROR, "%s", error.message);
        _exit(1);
    }
    log_level = environment.log_level;
    const struct core_locked *locked = core_lock();
    struct core_state *core = core_state(locked);
    core->saves_at_shutdown = environment.shutdown_path;
    if (environment.shutdown_path)
        strcpy(core->shutdown_path, environment.shutdown_path);
    if (environment.options.session)
        strcpy(core->named_folder, environment.options.session);
    core_unlock(locked);
    if (environment.signals && signals_install(&environment.options) != 0)
        log_line(LOG_ERROR, "SIGUSR1 and SIGUSR2 cannot be used");
    if (environment.options.session && environment.joins)
        folder_expect(core->named_folder);
    if (environment.children) {
        children_record();
        link_tell_children_of(core->named_folder);
    }
    start_options = environment.options;
    /* A program that the recorder left running may start others. */
    start_is_due = environment.start && !(environment.joins && environment.children && link_recorder_has_left());
    if (!&sonde_full_1)
        start_if_due();
}

void base_begin(void)
{
    state_init();
    live_init();
    lifecycle_init();
    const struct core_locked *locked = core_lock();
    core_state(locked)->pid = getpid();
    core_state(locked)->start_realtime_ns = clock_origin_realtime();
    core_unlock(locked);
    fork_init();
    if (gettid() == getpid()) /* else somebody loads us late, from another thread */
        thread_register(NULL);
    follow_environment();
}

/* --- libsonde joins, maybe in the middle of a session ------------------------------------------------------------------ */

/* What the table offers: parts.h. */

static bool base_put(bool kept, size_t max, entry_fill *fill, const void *entry)
{
    return (kept ? kept_put : common_put)(core_lock_held(), max, fill, entry);
}

static bool base_put_alone(size_t max, entry_fill *fill, const void *entry)
{
    if (!core_may_lock())
        return false;
    const struct core_locked *locked = core_lock();
    bool done = kept_put(locked, max, fill, entry);
    core_unlock(locked);
    return done;
}

static void base_statistic_add(int statistic, uint64_t amount)
{
    const struct core_locked *held = core_lock_held(), *locked = held ? held : core_lock();
    const struct live_session *session = live_session();
    if (session)
        live_statistic_add(session, (enum session_statistic)statistic, amount);
    if (!held)
        core_unlock(locked);
}

static bool base_is_registered(int tid)
{
    const struct core_locked *locked = core_lock();
    bool found = internal_thread_is(tid) || registry_find_tid(locked, tid) != NULL;
    core_unlock(locked);
    return found;
}

static uint64_t base_session_bytes(void)
{
    struct chunk_manager_usage usage;
    chunk_manager_usage(active_state(core_lock_held())->chunks, &usage);
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

static void base_show_interpreter(const void *interpreter)
{
    if (this_thread)
        /* Release: with the address comes what is there. */
        atomic_store_explicit(&this_thread->interpreter, (uintptr_t)interpreter, memory_order_release);
}

static bool base_modules_changed(void)
{
    const struct live_session *session = live_session();
    if (session)
        atomic_fetch_add_explicit(&session->header->modules_changed, 1, memory_order_relaxed);
    return session != NULL;
}

static const char *base_program(void)
{
    const char *path = core_state(core_lock_held())->program;
    return *path ? path : NULL;
}

static const struct capture_base base = {
    .size = sizeof base,
    .put = base_put,
    .put_alone = base_put_alone,
    .marker = marker_add_own,
    .statistic_add = base_statistic_add,
    .is_registered = base_is_registered,
    .session_bytes = base_session_bytes,
    .is_observed = base_is_observed,
    .next_thread = base_next_thread,
    .modules_changed = base_modules_changed,
    .program = base_program,
    .show_interpreter = base_show_interpreter,
    .label_push_own = label_push_own,
    .label_pop = label_pop,
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
        parts->begin(active->settings.features, clock_now());
        /* From now on samples and markers have whole stacks. */
        handler_use(parts, active->settings.features & FEATURE_BIT(FEATURE_STACKWALK));
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
    start_if_due();
    return result;
}
