#include "record/watch.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int64_t second = 1000000000;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * second + now.tv_nsec;
}

/* True once the program has ended. */
static bool reap(struct watch *watch, enum watch_end *end)
{
    int status;
    pid_t ended = waitpid(watch->pid, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return false;
    *end = WATCH_EXITED;
    watch->number = 0;
    if (ended == watch->pid && WIFSIGNALED(status)) {
        *end = WATCH_KILLED;
        watch->number = WTERMSIG(status);
    } else if (ended == watch->pid) {
        watch->number = WEXITSTATUS(status);
    }
    return true;
}

struct watch_events {
    bool signal, ready, soon;
};

/* Waits for a signal until a time, or for the descriptor from another time on. */
static struct watch_events wait_for_event(const struct watch *watch, int64_t until, int64_t ready_from)
{
    int64_t now = now_ns();
    bool looks = watch->ready && now >= ready_from;
    struct pollfd fds[] = {
        {watch->signals->fd, POLLIN, 0}, {looks ? watch->fd : -1, POLLIN, 0}, {watch->soon ? watch->soon_fd : -1, POLLIN, 0}};
    if (watch->ready && !looks && ready_from < until)
        until = ready_from;
    int64_t left = until > now ? until - now : 0;
    struct timespec wait = {(time_t)(left / second), (long)(left % second)};
    if (ppoll(fds, 3, until == INT64_MAX ? NULL : &wait, NULL) <= 0)
        return (struct watch_events){0};
    return (struct watch_events){fds[0].revents != 0, fds[1].revents != 0, fds[2].revents != 0};
}

/* The next signal, or 0. */
static int next_signal(const struct watch *watch, struct signalfd_siginfo *info)
{
    return read(watch->signals->fd, info, sizeof *info) == sizeof *info ? (int)info->ssi_signo : 0;
}

static int64_t deadline_of(const struct watch *watch)
{
    /* What does not fit, some three hundred years, is as long as it takes. */
    return watch->seconds > 0 && watch->seconds < 9e9 ? now_ns() + (int64_t)ceil(watch->seconds * 1e9) : INT64_MAX;
}

/* False: it is the second interruption within a second. */
static bool take_signal(struct watch *watch, const struct signalfd_siginfo *info, int64_t *interrupted)
{
    int signal = (int)info->ssi_signo;
    if (signal == SIGINT || signal == SIGQUIT) {
        int64_t now = now_ns();
        watch->number = signal;
        if (now - *interrupted < second)
            return false;
        *interrupted = now;
    } else if (signal == SIGTERM || signal == SIGHUP) {
        /* What the kernel sends when a terminal goes away, it sends to the program as well. */
        if (info->ssi_code != SI_KERNEL)
            kill(watch->pid, signal);
    }
    return true;
}

enum watch_end watch_program(struct watch *watch)
{
    int64_t deadline = deadline_of(watch), interrupted = INT64_MIN / 2, ready_from = 0;
    int64_t tick = watch->tick_ms > 0 ? now_ns() + watch->tick_ms * (second / 1000) : INT64_MAX;
    struct watch_events events = {.signal = true};
    for (enum watch_end end;;) {
        /* The end of the program is a signal, too. */
        if (events.signal && reap(watch, &end))
            return end;
        int64_t now = now_ns();
        if (now >= deadline)
            return WATCH_TIME_UP;
        if (now >= tick) {
            watch->tick(watch->data);
            tick = now + watch->tick_ms * (second / 1000);
        }
        events = wait_for_event(watch, tick < deadline ? tick : deadline, ready_from);
        if (events.soon)
            watch->soon(watch->ready_data);
        if (events.ready) {
            if (!watch->ready(watch->ready_data))
                return WATCH_STOPPED;
            ready_from = now_ns() + watch->ready_pause_ms * (second / 1000);
        }
        for (struct signalfd_siginfo info; events.signal && next_signal(watch, &info) != 0;)
            if (!take_signal(watch, &info, &interrupted))
                return WATCH_GIVEN_UP;
    }
}
