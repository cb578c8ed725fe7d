/* A program that never handles the real-time signals in the middle of their range, which a profiler takes, but blocks them in
 * all its threads and consumes them: from a signalfd, with sigwait and its likes, from other processes and from timers. None
 * may be lost, doubled, or, if sent by the program itself, out of order; and a handler set late runs only where it may. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

enum { TIMES = 400, BUSY = 3, MANY = 40, FROM_OUTSIDE = 20 };

static atomic_bool over;
static atomic_int begun;
static sigset_t all;

/* One after the other, beginning with the one in the middle. */
static int number(int which)
{
    return SIGRTMIN + (SIGRTMAX - SIGRTMIN + 1) * 2 / 3 + which;
}

static bool all_is_blocked(void)
{
    sigset_t now;
    check(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
        if (sigismember(&now, signal) != 1)
            return false;
    return true;
}

static void *stay_busy(void *argument)
{
    (void)argument;
    check(all_is_blocked());
    atomic_fetch_add(&begun, 1);
    uint32_t expected = compute(3, 1000);
    while (!atomic_load(&over))
        check(compute(3, 1000) == expected);
    check(all_is_blocked());
    return NULL;
}

struct sending {
    int number;
    pthread_t to; /* 0 = the process */
};

static void *send_signals(void *argument)
{
    const struct sending *sending = argument;
    for (int i = 0; i < TIMES; i++) {
        union sigval value = {.sival_int = i};
        while ((sending->to ? pthread_sigqueue(sending->to, sending->number, value)
                            : sigqueue(getpid(), sending->number, value)) != 0)
            usleep(100);
        if (i % 20 == 0)
            usleep(2000);
    }
    return NULL;
}

static pthread_t start_sending(struct sending *sending)
{
    pthread_t sender;
    check(pthread_create(&sender, NULL, send_signals, sending) == 0);
    return sender;
}

static void read_from_file(int fd, uint32_t wanted, int code, int value)
{
    struct signalfd_siginfo info;
    ssize_t size;
    while ((size = read(fd, &info, sizeof info)) < 0)
        check(errno == EINTR);
    if (info.ssi_signo != wanted || info.ssi_code != code || info.ssi_int != value)
        fprintf(stderr, "signal %u, code %d, value %d came, and not %u, %d, %d\n", info.ssi_signo, info.ssi_code, info.ssi_int,
                wanted, code, value);
    check(size == (ssize_t)sizeof info && info.ssi_signo == wanted && info.ssi_code == code && info.ssi_int == value);
}

static void consume_from_file(int fd, int which)
{
    struct sending sending = {.number = number(which)};
    pthread_t sender = start_sending(&sending);
    for (int i = 0; i < TIMES; i++) {
        read_from_file(fd, (uint32_t)sending.number, SI_QUEUE, i);
        compute(1, 20000);
    }
    check(pthread_join(sender, NULL) == 0);
}

static void consume_by_waiting(const sigset_t *set, int which, bool this_thread)
{
    struct sending sending = {number(which), this_thread ? pthread_self() : 0};
    pthread_t sender = start_sending(&sending);
    for (int i = 0; i < TIMES;) {
        siginfo_t info;
        struct timespec patience = {0, 1000000};
        int came = i % 2 ? sigtimedwait(set, &info, &patience) : sigwaitinfo(set, &info);
        if (came < 0) {
            check(errno == EINTR || errno == EAGAIN);
            continue;
        }
        if (came != sending.number || info.si_code != SI_QUEUE || info.si_value.sival_int != i)
            fprintf(stderr, "signal %d, value %d came, and not %d, %d\n", came, info.si_value.sival_int, sending.number, i);
        check(came == sending.number && info.si_code == SI_QUEUE && info.si_value.sival_int == i);
        i++;
        compute(1, 20000);
    }
    check(pthread_join(sender, NULL) == 0);
}

static pid_t another_process_sends(int which)
{
    pid_t parent = getpid(), child = fork();
    check(child >= 0);
    if (child == 0) {
        for (int i = 0; i < FROM_OUTSIDE; i++) {
            check(sigqueue(parent, number(which), (union sigval){.sival_int = 7}) == 0);
            usleep(1000);
        }
        _exit(0);
    }
    return child;
}

static void await_child(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) != child)
        check(errno == EINTR);
    check(status == 0);
}

static void consume_from_outside(int fd, int in_file, int by_waiting)
{
    pid_t child = another_process_sends(in_file);
    for (int i = 0; i < FROM_OUTSIDE; i++)
        read_from_file(fd, (uint32_t)number(in_file), SI_QUEUE, 7);
    await_child(child);
    child = another_process_sends(by_waiting);
    for (int i = 0, came; i < FROM_OUTSIDE; i++)
        check(sigwait(&all, &came) == 0 && came == number(by_waiting));
    await_child(child);
}

static void consume_from_timer(int fd, int which)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number(which), .sigev_value.sival_int = 77};
    timer_t timer;
    check(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    struct itimerspec every = {{0, 2000000}, {0, 2000000}};
    check(timer_settime(timer, 0, &every, NULL) == 0);
    for (int i = 0; i < FROM_OUTSIDE; i++)
        read_from_file(fd, (uint32_t)event.sigev_signo, SI_TIMER, 77);
    check(timer_delete(timer) == 0);
    struct timespec now = {0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, event.sigev_signo);
    while (sigtimedwait(&set, NULL, &now) > 0)
        continue;
}

static pthread_t main_thread;
static atomic_int handled, handled_elsewhere;

static void on_signal(int signal)
{
    (void)signal;
    if (pthread_equal(pthread_self(), main_thread))
        handled++;
    else
        handled_elsewhere++;
}

static void handle_late(int which)
{
    handled = 0;
    check(signal(number(which), on_signal) == SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number(which));
    /* The first one has to wait: all threads block it. */
    check(sigqueue(getpid(), number(which), (union sigval){0}) == 0);
    usleep(100000);
    check(handled == 0 && handled_elsewhere == 0);
    check(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
    for (int i = 1; i < TIMES; i++) {
        check(sigqueue(getpid(), number(which), (union sigval){0}) == 0);
        compute(1, 20000);
    }
    check(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    if (handled_elsewhere != 0 || handled != TIMES)
        fprintf(stderr, "handled %d times here and %d times elsewhere\n", handled, handled_elsewhere);
    check(handled_elsewhere == 0 && handled == TIMES);
}

static void start_busy(pthread_t busy[BUSY])
{
    atomic_store(&begun, 0);
    for (int i = 0; i < BUSY; i++)
        check(pthread_create(&busy[i], NULL, stay_busy, NULL) == 0);
    while (atomic_load(&begun) < BUSY)
        usleep(100);
}

static void *do_nothing(void *argument)
{
    return argument;
}

/* Of threads that begin while others come and go all the time a profiler may know less. */
static void start_and_end_many(void)
{
    for (int i = 0; i < MANY; i++) {
        pthread_t thread;
        check(pthread_create(&thread, NULL, do_nothing, NULL) == 0);
        check(pthread_join(thread, NULL) == 0);
    }
}

static void end_busy(const pthread_t busy[BUSY])
{
    for (int i = 0; i < BUSY; i++)
        check(pthread_join(busy[i], NULL) == 0);
}

static void handle_late_in_child(int which)
{
    pid_t child = fork();
    check(child >= 0);
    if (child == 0) {
        alarm(60);
        pthread_t busy[BUSY];
        start_busy(busy);
        handle_late(which);
        atomic_store(&over, true);
        end_busy(busy);
        _exit(0);
    }
    await_child(child);
}

int main(void)
{
    alarm(60);
    main_thread = pthread_self();
    sigfillset(&all);
    sigdelset(&all, SIGALRM);
    sigdelset(&all, SIGCHLD);
    check(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    pthread_t busy[BUSY], later[BUSY];
    start_busy(busy);
    sigset_t files;
    sigemptyset(&files);
    for (int which = 0; which < 3; which++)
        sigaddset(&files, number(which));
    int fd = signalfd(-1, &files, SFD_CLOEXEC);
    check(fd >= 0);
    /* Each time with the number that is the profiler's now, if it counts upwards. */
    consume_from_file(fd, 0);
    consume_from_outside(fd, 1, 3);
    consume_from_timer(fd, 2);
    consume_by_waiting(&all, 3, false);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number(4));
    consume_by_waiting(&one, 4, true);
    handle_late(5);
    start_and_end_many();
    start_busy(later);
    handle_late(6);
    handle_late_in_child(7);
    check(all_is_blocked());
    atomic_store(&over, true);
    end_busy(busy);
    end_busy(later);
    printf("%d signals by every way\n", TIMES);
    return 0;
}
