/* A program with its own profiling timer, alarm timer, and a queue of real-time signals of which none may be lost, doubled or
 * out of order. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

enum { QUEUED = 12000 };

static volatile sig_atomic_t profiled, alarmed, timed, queued;
static volatile sig_atomic_t wrong;
static atomic_bool over;

static void on_profile(int number)
{
    (void)number;
    int saved = errno;
    profiled++;
    errno = saved;
}

static void on_alarm(int number)
{
    (void)number;
    alarmed++;
}

static void on_timer(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    timed++;
    if (info->si_code != SI_TIMER || info->si_value.sival_int != 77)
        wrong = 1;
}

static void on_queue(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    if (info->si_code != SI_QUEUE || info->si_value.sival_int != queued)
        wrong = 1;
    queued++;
}

static void handle(int number, void (*plain)(int), void (*full)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_flags = SA_RESTART};
    if (full) {
        action.sa_sigaction = full;
        action.sa_flags |= SA_SIGINFO;
    } else
        action.sa_handler = plain;
    check(sigaction(number, &action, NULL) == 0);
}

static void *send_queue(void *receiver)
{
    for (int i = 0; i < QUEUED; i++) {
        union sigval value = {.sival_int = i};
        while (pthread_sigqueue(*(pthread_t *)receiver, SIGRTMIN + 2, value) == EAGAIN)
            usleep(100);
        if (i % 100 == 0)
            usleep(1000);
    }
    return NULL;
}

static void *stay_busy(void *argument)
{
    (void)argument;
    uint32_t expected = compute(3, 1000);
    while (!atomic_load(&over))
        check(compute(3, 1000) == expected);
    return NULL;
}

int main(void)
{
    handle(SIGPROF, on_profile, NULL);
    handle(SIGALRM, on_alarm, NULL);
    handle(SIGRTMAX - 1, NULL, on_timer);
    handle(SIGRTMIN + 2, NULL, on_queue);
    struct itimerval often = {{0, 1000}, {0, 1000}};
    check(setitimer(ITIMER_PROF, &often, NULL) == 0);
    check(setitimer(ITIMER_REAL, &often, NULL) == 0);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMAX - 1, .sigev_value.sival_int = 77};
    timer_t timer;
    check(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    struct itimerspec every = {{0, 2000000}, {0, 2000000}};
    check(timer_settime(timer, 0, &every, NULL) == 0);

    pthread_t self = pthread_self(), sender, busy;
    check(pthread_create(&busy, NULL, stay_busy, NULL) == 0);
    check(pthread_create(&sender, NULL, send_queue, &self) == 0);
    uint32_t expected = compute(5, 1000);
    while (queued < QUEUED || profiled < 5 || alarmed < 5 || timed < 5)
        check(compute(5, 1000) == expected);
    check(pthread_join(sender, NULL) == 0);
    atomic_store(&over, true);
    check(pthread_join(busy, NULL) == 0);
    check(timer_delete(timer) == 0);
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &never, NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    check(!wrong);
    printf("%d queued signals came in order\n", (int)queued);
    return 0;
}
