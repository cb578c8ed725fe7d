/* The beginning and the end of the base: before main, and at exit. */
#include "capture/control/base.h"

#include "capture/control/children.h"
#include "capture/control/fork.h"
#include "capture/control/lifecycle.h"
#include "capture/control/signals.h"
#include "capture/core/clock.h"
#include "capture/core/core.h"
#include "capture/core/environment.h"
#include "capture/core/folder.h"
#include "capture/core/log.h"
#include "capture/core/session_facts.h"
#include "capture/core/state.h"
#include "capture/recorder/link.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

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

void base_start_if_due(void)
{
    if (start_is_due)
        lifecycle_start(&start_options); /* says itself what went wrong; the program runs all the same */
    start_is_due = false;
    session_facts_arguments_may_change();
}

static const char *get_variable(const char *name)
{
    return getenv(name);
}

static void set_up_core(void)
{
    const struct core_locked *locked = core_lock();
    struct core_state *core = core_state(locked);
    core->pid = core->main_tid = getpid();
    core->start_realtime_ns = clock_origin_realtime();
    core_unlock(locked);
}

static void follow_environment(void)
{
    if (getauxval(AT_SECURE))
        return;
    struct environment environment;
    struct error error = {0};
    int result = environment_read(&environment, get_variable, getpid(), &error);
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
    if (environment.shutdown_path) {
        const struct core_locked *locked = core_lock();
        strcpy(core_state(locked)->shutdown_path, environment.shutdown_path);
        core_state(locked)->saves_at_shutdown = true;
        core_unlock(locked);
    }
    if (environment.signals && signals_install(&environment.options) != 0)
        log_line(LOG_ERROR, "SIGUSR1 and SIGUSR2 cannot be used");
    if (environment.options.session) {
        const struct core_locked *locked = core_lock();
        const char *named = folder_name(locked, environment.options.session);
        core_unlock(locked);
        if (environment.joins)
            folder_expect(named);
        if (environment.children) {
            children_record();
            link_tell_children_of(named);
        }
    }
    start_options = environment.options;
    /* A program that the recorder left running may start others. */
    start_is_due = environment.start && !(environment.joins && environment.children && link_recorder_has_left());
    if (!&sonde_full_1)
        base_start_if_due();
}

void base_begin(int count, char **words)
{
    state_init();
    live_init();
    lifecycle_init();
    set_up_core();
    fork_init();
    if (gettid() == getpid()) /* else somebody loads us late, from another thread */
        thread_register(NULL);
#ifdef __GLIBC__
    session_facts_arguments(count, words);
#else
    (void)count, (void)words;
#endif
    follow_environment();
}

void base_end(void)
{
    lifecycle_shutdown();
}
