#include "record/watch.h"

#include "common/clock.h"
#include "record/process_state.h"

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
    return (int64_t)clock_read(CLOCK_MONOTONIC);
}

/* True once the program has ended. */
static bool reap(struct watch *watch, enum watch_end *end)
{
    int status;
    pid_t ended;
    do {
        ended = waitpid(watch->pid, &status, WNOHANG | WUNTRACED | WCONTINUED);
        if (ended == 0 || (ended < 0 && errno == EINTR))
            return false;
        if (ended > 0)
            watch->stopped = WIFSTOPPED(status);
    } while (ended > 0 && (WIFSTOPPED(status) || WIFCONTINUED(status)));
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

/* ---- signals ---- */

/* The program or one of its descendants sent it: to the whole process group, or to the parent of the program. */
static bool is_from_program(const struct watch *watch, const struct signalfd_siginfo *info)
{
    enum { GENERATIONS_MOST = 64 };
    struct process_state state = {.parent = (int)info->ssi_pid};
    pid_t own = getpid();
    for (int i = 0; i < GENERATIONS_MOST && state.parent > 1 && state.parent != own; i++) {
        if (state.parent == watch->pid)
            return true;
        if (!process_state_read(state.parent, &state))
            return false;
    }
    return false;
}

static bool is_sent(const struct signalfd_siginfo *info)
{
    return info->ssi_code == SI_USER || info->ssi_code == SI_QUEUE || info->ssi_code == SI_TKILL;
}

/* Somebody has sent it to this process id and means the program. */
static bool is_for_program(const struct watch *watch, const struct signalfd_siginfo *info)
{
    int signal = (int)info->ssi_signo;
    if (signal == SIGALRM || signal == SIGVTALRM)
        return info->ssi_code == SI_KERNEL || (is_sent(info) && !is_from_program(watch, info));
    /* A write of ours to a closed pipe, or beyond the limit of a file, looks as if we had sent it. */
    if (!is_sent(info) || ((signal == SIGPIPE || signal == SIGXFSZ) && (pid_t)info->ssi_pid == getpid()))
        return false;
    return !is_from_program(watch, info);
}

static void forward(const struct watch *watch, const struct signalfd_siginfo *info)
{
    union sigval value = {.sival_ptr = (void *)(uintptr_t)info->ssi_ptr};
    /* Where no more can be queued it goes without its value. */
    if (info->ssi_code != SI_QUEUE || sigqueue(watch->pid, (int)info->ssi_signo, value) != 0)
        kill(watch->pid, (int)info->ssi_signo);
}

/* Those that a recorder ignores are for the program alone. */
static bool interrupts(const struct watch *watch, const struct signalfd_siginfo *info)
{
    int signal = (int)info->ssi_signo;
    return info->ssi_code == SI_KERNEL && (signal == SIGINT || signal == SIGQUIT) &&
           sigismember(&watch->signals->ignored, signal) == 0;
}

/* False: it is the second interruption within a second. */
static bool take_signal(struct watch *watch, const struct signalfd_siginfo *info, int64_t *interrupted)
{
    int signal = (int)info->ssi_signo;
    if (interrupts(watch, info)) {
        int64_t now = now_ns();
        watch->number = signal;
        if (now - *interrupted < second)
            return false;
        *interrupted = now;
    }
    if (is_for_program(watch, info))
        forward(watch, info);
    if (signal_stops(signal) && sigismember(&watch->signals->ignored, signal) == 0)
        watch->stop_asked = signal;
    else if (signal == SIGCONT)
        watch->stop_asked = 0;
    return true;
}

/* The program is stopped, and the recorder was to stop with it. */
static void stop_with_program(struct watch *watch)
{
    int signal = watch->stop_asked;
    struct process_state state;
    watch->stop_asked = 0;
    signals_stop_by(signal);
    /* A shell continues the whole process group, so the program needs no other signal; unless it is still stopped. */
    sigset_t only;
    struct timespec at_once = {0};
    sigemptyset(&only);
    sigaddset(&only, SIGCONT);
    if (sigtimedwait(&only, NULL, &at_once) == SIGCONT && process_state_read(watch->pid, &state) && state.letter == 'T')
        kill(watch->pid, SIGCONT);
}

enum watch_end watch_program(struct watch *watch)
{
    int64_t deadline = deadline_of(watch), interrupted = INT64_MIN / 2, ready_from = 0;
    struct watch_events events = {.signal = true};
    for (enum watch_end end;;) {
        /* The end of the program is a signal, too. */
        if (events.signal && reap(watch, &end))
            return end;
        if (watch->stopped && watch->stop_asked)
            stop_with_program(watch);
        if (now_ns() >= deadline)
            return WATCH_TIME_UP;
        events = wait_for_event(watch, deadline, ready_from);
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
