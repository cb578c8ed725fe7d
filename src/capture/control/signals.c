/* The handlers say what is to be done, and a thread of ours does it. The handlers that were there before are called, too. */
#include "capture/control/signals.h"

#include "capture/control/lifecycle.h"
#include "capture/control/save.h"
#include "capture/core/core.h"
#include "capture/core/internal_thread.h"
#include "capture/core/log.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONTROL_STACK_BYTES = 256 << 10 };

/* A semaphore, whose post is async-signal-safe, and not a pipe, which the program could close. */
enum { START = 1, STOP = 2, STOP_WAS_LAST = 4 };
static _Atomic unsigned orders;
static sem_t ordered;
static _Atomic bool is_controlled;
static struct sonde_start_options start_options;
static struct sigaction before_start, before_stop;

static void call_old_handler(const struct sigaction *old, int signal, siginfo_t *info, void *context)
{
    if (old->sa_flags & SA_SIGINFO)
        old->sa_sigaction(signal, info, context);
    else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
        old->sa_handler(signal);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    if (atomic_load_explicit(&is_controlled, memory_order_relaxed)) {
        unsigned before = atomic_load_explicit(&orders, memory_order_relaxed), after;
        do
            after = signal == SIGUSR1 ? (before & STOP) | START : before | STOP | STOP_WAS_LAST;
        while (!atomic_compare_exchange_weak_explicit(&orders, &before, after, memory_order_relaxed, memory_order_relaxed));
        sem_post(&ordered);
    }
    errno = saved;
    call_old_handler(signal == SIGUSR1 ? &before_start : &before_stop, signal, info, context);
}

static void stop_and_save(void)
{
    char path[PATH_ROOM];
    if (!save_shutdown_path(path)) {
        const char *folder = getenv("TMPDIR");
        snprintf(path, sizeof path, "%s/sonde-profile-%%p.json", folder && *folder ? folder : "/tmp");
    }
    lifecycle_pause();
    save_to_file(path);
    lifecycle_stop();
}

static void *control(void *unused)
{
    (void)unused;
    for (;;) {
        sem_wait(&ordered);
        unsigned order = atomic_exchange_explicit(&orders, 0, memory_order_relaxed);
        if (order & STOP && !(order & STOP_WAS_LAST))
            stop_and_save();
        if (order & START)
            lifecycle_start(&start_options);
        if (order & STOP_WAS_LAST)
            stop_and_save();
    }
    return NULL;
}

static int install_handler(int signal, struct sigaction *before)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    return sigaction(signal, &action, before) == 0 ? 0 : -errno;
}

int signals_install(const struct sonde_start_options *options)
{
    start_options = *options;
    if (start_options.buffer_bytes == 0)
        start_options.buffer_bytes = UINT64_C(512) << 20;
    sem_init(&ordered, 0, 0);
    atomic_store_explicit(&is_controlled, true, memory_order_relaxed);
    pthread_t thread;
    int result = internal_thread_create(&thread, LINK_OWN_THREADS "-control", CONTROL_STACK_BYTES, control, NULL);
    if (result == 0) {
        pthread_detach(thread);
        result = install_handler(SIGUSR1, &before_start);
    }
    return result == 0 ? install_handler(SIGUSR2, &before_stop) : result;
}

static void restore_handler(int signal, const struct sigaction *before)
{
    struct sigaction now;
    if (sigaction(signal, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal)
        sigaction(signal, before, NULL);
}

void signals_forked(void)
{
    if (!atomic_exchange_explicit(&is_controlled, false, memory_order_relaxed))
        return;
    restore_handler(SIGUSR1, &before_start);
    restore_handler(SIGUSR2, &before_stop);
}
