/* A program that blocks every signal in every thread and takes them all in one place, by sigwaitinfo and sigtimedwait. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

enum { TIMES = 1500 };

static atomic_bool over;

static void *stay_busy(void *argument)
{
    (void)argument;
    uint32_t expected = compute(3, 1000);
    while (!atomic_load(&over))
        check(compute(3, 1000) == expected);
    return NULL;
}

static void *send_signals(void *argument)
{
    (void)argument;
    for (int i = 0; i < TIMES; i++) {
        union sigval value = {.sival_int = i};
        while (sigqueue(getpid(), SIGRTMIN + 3, value) != 0) {
            check(errno == EAGAIN);
            usleep(100);
        }
        if (i % 50 == 0) {
            check(kill(getpid(), SIGUSR1) == 0);
            usleep(2000);
        }
    }
    usleep(5000);
    check(kill(getpid(), SIGTERM) == 0);
    return NULL;
}

int main(void)
{
    sigset_t all;
    sigfillset(&all);
    check(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    pthread_t busy, sender;
    check(pthread_create(&busy, NULL, stay_busy, NULL) == 0);
    check(pthread_create(&sender, NULL, send_signals, NULL) == 0);
    int queued = 0, users = 0;
    bool ended = false;
    /* SIGTERM overtakes the real-time signals before it: after it, what is queued is taken without waiting for more. */
    for (unsigned turn = 0; !ended || queued < TIMES; turn++) {
        siginfo_t info;
        struct timespec patience = {0, ended ? 0 : 3000000};
        int number = ended || turn % 2 ? sigtimedwait(&all, &info, &patience) : sigwaitinfo(&all, &info);
        if (number < 0)
            check(errno == EINTR || (errno == EAGAIN && !ended));
        else if (number == SIGTERM)
            ended = true;
        else if (number == SIGUSR1)
            users++;
        else {
            if (number != SIGRTMIN + 3)
                fprintf(stderr, "signal %d came, and nobody sent it\n", number);
            check(number == SIGRTMIN + 3 && info.si_value.sival_int == queued);
            queued++;
        }
    }
    atomic_store(&over, true);
    check(pthread_join(sender, NULL) == 0);
    check(pthread_join(busy, NULL) == 0);
    check(users >= 1 && users <= TIMES / 50);
    printf("%d queued signals were waited for\n", queued);
    return 0;
}
