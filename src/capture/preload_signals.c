/* The program's masks, waits and handlers, and signals that it sends: see masks.h. */
#include "capture/preload.h"

#include "capture/preload_late.h"

#include <errno.h>
#include <mqueue.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
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
    base->sleeping();
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
    if (ours > 0)
        sigdelset(&without, ours);
    int result = REAL(signalfd)(fd, &without, flags);
    if (result >= 0)
        base->signal_file(result, set);
    return result;
}

/* --- waits that let signals in ---------------------------------------------------------------------------------------------
 */

/* Between the return of the program's handler and that of the call that it interrupted, nobody could tell a signal of a timer
 * of ours from the one that ended the call: timed.h. Else it is a wait as others are. */
static void waits_for_signals(bool lets_them_in)
{
    if (base && lets_them_in)
        base->waiting_for_signals();
    else if (base)
        base->sleeping();
}

INTERPOSED int sigsuspend(const sigset_t *set)
{
    waits_for_signals(true);
    return LATE(sigsuspend)(set);
}

INTERPOSED int pause(void)
{
    waits_for_signals(true);
    return LATE(pause)();
}

INTERPOSED int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *set)
{
    waits_for_signals(set != NULL);
    return LATE(ppoll)(files, count, timeout, set);
}

/* What ppoll() is in programs that are compiled with _FORTIFY_SOURCE. */
int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *set, size_t room);
INTERPOSED int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *set, size_t room)
{
    waits_for_signals(set != NULL);
    return LATE(__ppoll_chk)(files, count, timeout, set, room);
}

INTERPOSED int pselect(int count, fd_set *in, fd_set *out, fd_set *except, const struct timespec *timeout, const sigset_t *set)
{
    waits_for_signals(set != NULL);
    return LATE(pselect)(count, in, out, except, timeout, set);
}

INTERPOSED int epoll_pwait(int fd, struct epoll_event *events, int count, int timeout, const sigset_t *set)
{
    waits_for_signals(set != NULL);
    return LATE(epoll_pwait)(fd, events, count, timeout, set);
}

INTERPOSED int epoll_pwait2(int fd, struct epoll_event *events, int count, const struct timespec *timeout, const sigset_t *set)
{
    __typeof__(epoll_pwait2) *late = LATE(epoll_pwait2);
    waits_for_signals(set != NULL);
    if (late)
        return late(fd, events, count, timeout, set);
    errno = ENOSYS;
    return -1;
}

/* --- handlers, and signals that are sent -----------------------------------------------------------------------------------
 */

enum { LAST_SIGNAL = 64 };

static bool has_our_handler(int signal)
{
    return base && signal > 0 && signal <= LAST_SIGNAL &&
           atomic_load_explicit(base->signals, memory_order_relaxed) & UINT64_C(1) << (signal - 1);
}

static void program_takes(int signal)
{
    if (has_our_handler(signal))
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
    if (has_our_handler(signal))
        base->signal_sent(signal);
}

/* Also where it is not ours yet: it may never be. */
static void program_has_raised(const struct sigevent *event)
{
    if (base && event && (event->sigev_notify == SIGEV_SIGNAL || event->sigev_notify == SIGEV_THREAD_ID) &&
        event->sigev_signo > 0 && event->sigev_signo <= LAST_SIGNAL)
        base->signal_reserved(event->sigev_signo);
}

INTERPOSED int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
    program_has_raised(event);
    return LATE(timer_create)(clock, event, timer);
}

INTERPOSED int mq_notify(mqd_t queue, const struct sigevent *event)
{
    program_has_raised(event);
    return LATE(mq_notify)(queue, event);
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
