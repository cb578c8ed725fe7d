/* The program's masks, waits and handlers, and signals that it sends: see masks.h. */
#include "capture/preload.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

INTERPOSED int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return base ? base->mask_change(&REAL(pthread_sigmask), how, set, old) : REAL(pthread_sigmask)(how, set, old);
}

INTERPOSED int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    return base ? base->mask_change(&REAL(sigprocmask), how, set, old) : REAL(sigprocmask)(how, set, old);
}

/* What is left of `timeout` since `start`. */
static struct timespec time_left(const struct timespec *timeout, const struct timespec *start)
{
    struct timespec now, left;
    clock_gettime(CLOCK_MONOTONIC, &now);
    left.tv_sec = timeout->tv_sec - (now.tv_sec - start->tv_sec);
    left.tv_nsec = timeout->tv_nsec - (now.tv_nsec - start->tv_nsec);
    for (; left.tv_nsec < 0; left.tv_nsec += 1000000000)
        left.tv_sec--;
    for (; left.tv_nsec >= 1000000000; left.tv_nsec -= 1000000000)
        left.tv_sec++;
    return left.tv_sec < 0 ? (struct timespec){0} : left;
}

/* A question of ours that gets into a wait is answered, and the wait goes on. `timeout` NULL = for ever. */
static int wait_for_signal(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    if (!base)
        return REAL(sigtimedwait)(set, info, timeout);
    siginfo_t unwanted;
    struct timespec start, left;
    if (timeout)
        clock_gettime(CLOCK_MONOTONIC, &start);
    if (!info)
        info = &unwanted;
    uint64_t shown = base->mask_show(true);
    int number = REAL(sigtimedwait)(set, info, timeout);
    while (number > 0 && base->took_question(info)) {
        if (timeout)
            left = time_left(timeout, &start);
        number = REAL(sigtimedwait)(set, info, timeout ? &left : NULL);
    }
    base->mask_hide(shown);
    return number;
}

/* Is not interrupted by signal handlers, in contrast to the other two. */
INTERPOSED int sigwait(const sigset_t *set, int *signal)
{
    siginfo_t info;
    int saved_errno = errno, number;
    do
        number = wait_for_signal(set, &info, NULL);
    while (number < 0 && errno == EINTR);
    int result = number < 0 ? errno : 0;
    errno = saved_errno;
    if (number > 0)
        *signal = number;
    return result;
}

INTERPOSED int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    return wait_for_signal(set, info, NULL);
}

INTERPOSED int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    return wait_for_signal(set, info, timeout);
}

INTERPOSED int signalfd(int fd, const sigset_t *set, int flags)
{
    if (!base)
        return REAL(signalfd)(fd, set, flags);
    int ours = atomic_load_explicit(base->signal, memory_order_relaxed);
    sigset_t without = *set;
    if (ours)
        sigdelset(&without, ours);
    int result = REAL(signalfd)(fd, &without, flags);
    if (result >= 0)
        base->signal_file(result, set);
    return result;
}

static void program_takes(int signal)
{
    enum { LAST = 64 };
    if (base && signal > 0 && signal <= LAST &&
        atomic_load_explicit(base->signals, memory_order_relaxed) & UINT64_C(1) << (signal - 1))
        base->signal_taken(signal);
}

/* The program finds the default action where our handler is. */
INTERPOSED int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
    if (action)
        program_takes(signal);
    int result = REAL(sigaction)(signal, action, old);
    if (result == 0 && old && base && base->is_our_handler(old))
        *old = (struct sigaction){.sa_handler = SIG_DFL};
    return result;
}

INTERPOSED __sighandler_t signal(int signal, __sighandler_t handler)
{
    struct sigaction now;
    program_takes(signal);
    bool ours = base && REAL(sigaction)(signal, NULL, &now) == 0 && base->is_our_handler(&now);
    __sighandler_t old = REAL(signal)(signal, handler);
    return ours && old != SIG_ERR ? SIG_DFL : old;
}

static void program_sends(int signal)
{
    if (base && signal > 0 && signal == atomic_load_explicit(base->signal, memory_order_relaxed))
        base->signal_sent(signal);
}

INTERPOSED int kill(pid_t pid, int signal)
{
    if (pid <= 0 || pid == getpid())
        program_sends(signal);
    return REAL(kill)(pid, signal);
}

INTERPOSED int sigqueue(pid_t pid, int signal, const union sigval value)
{
    if (pid == getpid())
        program_sends(signal);
    return REAL(sigqueue)(pid, signal, value);
}

INTERPOSED int tgkill(pid_t pid, pid_t tid, int signal)
{
    if (pid == getpid())
        program_sends(signal);
    return REAL(tgkill)(pid, tid, signal);
}

INTERPOSED int raise(int signal)
{
    program_sends(signal);
    return REAL(raise)(signal);
}

INTERPOSED int pthread_kill(pthread_t thread, int signal)
{
    program_sends(signal);
    return REAL(pthread_kill)(thread, signal);
}

INTERPOSED int pthread_sigqueue(pthread_t thread, int signal, const union sigval value)
{
    program_sends(signal);
    return REAL(pthread_sigqueue)(thread, signal, value);
}
