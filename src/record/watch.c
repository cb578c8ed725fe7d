#include "record/watch.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>

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

/* The next signal, or 0 at `until`. */
static int next_signal(const struct watch *watch, int64_t until, siginfo_t *info)
{
    if (until == INT64_MAX)
        return sigwaitinfo(&watch->signals->taken, info);
    int64_t left = until - now_ns();
    if (left < 0)
        left = 0;
    struct timespec wait = {(time_t)(left / second), (long)(left % second)};
    int signal = sigtimedwait(&watch->signals->taken, info, &wait);
    return signal > 0 ? signal : 0;
}

static int64_t deadline_of(const struct watch *watch)
{
    /* What does not fit, some three hundred years, is as long as it takes. */
    return watch->seconds > 0 && watch->seconds < 9e9 ? now_ns() + (int64_t)ceil(watch->seconds * 1e9) : INT64_MAX;
}

enum watch_end watch_program(struct watch *watch)
{
    int64_t deadline = deadline_of(watch), interrupted = INT64_MIN / 2;
    int64_t tick = watch->tick_ms > 0 ? now_ns() + watch->tick_ms * (second / 1000) : INT64_MAX;
    for (enum watch_end end;;) {
        if (reap(watch, &end))
            return end;
        int64_t now = now_ns();
        if (now >= deadline)
            return WATCH_TIME_UP;
        if (now >= tick) {
            watch->tick(watch->data);
            tick = now + watch->tick_ms * (second / 1000);
        }
        siginfo_t info;
        switch (next_signal(watch, tick < deadline ? tick : deadline, &info)) {
        case SIGINT:
        case SIGQUIT:
            now = now_ns();
            if (now - interrupted < second) {
                watch->number = info.si_signo;
                return WATCH_GIVEN_UP;
            }
            interrupted = now;
            break;
        case SIGTERM:
        case SIGHUP:
            /* What the kernel sends when a terminal goes away, it sends to the program as well. */
            if (info.si_code != SI_KERNEL)
                kill(watch->pid, info.si_signo);
            break;
        default:
            break;
        }
    }
}
