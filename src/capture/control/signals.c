/* The handlers write one byte into a pipe; a thread of ours reads it. The handlers that were there before are called, too. */
#include "capture/control/signals.h"

#include "capture/control/lifecycle.h"
#include "capture/control/save.h"
#include "capture/core/core.h"
#include "capture/core/internal_thread.h"
#include "capture/core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CONTROL_STACK_BYTES = 256 << 10 };

/* Two ends of the pipe; -1 = none. */
static int control_read = -1;
static _Atomic int control_write = -1;
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
    int fd = atomic_load_explicit(&control_write, memory_order_relaxed);
    if (fd >= 0) {
        ssize_t written = write(fd, signal == SIGUSR1 ? "g" : "s", 1);
        (void)written; /* a full pipe has enough orders in it */
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
    char order;
    ssize_t got;
    while ((got = read(control_read, &order, 1)) == 1 || (got < 0 && errno == EINTR)) {
        if (got == 1 && order == 'g')
            lifecycle_start(&start_options);
        else if (got == 1 && order == 's')
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
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    syscall(SYS_fcntl, ends[1], F_SETFL, O_NONBLOCK);
    control_read = ends[0];
    atomic_store_explicit(&control_write, ends[1], memory_order_relaxed);
    pthread_t thread;
    int result = internal_thread_create(&thread, "sonde-control", CONTROL_STACK_BYTES, control, NULL);
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
    /* First nobody writes any more, then it is closed. */
    int fd = atomic_exchange_explicit(&control_write, -1, memory_order_relaxed);
    if (fd < 0)
        return;
    close(fd);
    close(control_read);
    control_read = -1;
    restore_handler(SIGUSR1, &before_start);
    restore_handler(SIGUSR2, &before_stop);
}
