/* A program that handles every signal there is, sends each of them a known number of times, and counts. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

enum { TIMES = 60 };

static atomic_uint seen[NSIG];
static atomic_bool over;

static void count(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    atomic_fetch_add(&seen[number], 1);
}

static bool can_be_handled(int number)
{
    return number != SIGKILL && number != SIGSTOP && !(number >= 32 && number < SIGRTMIN);
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
    pthread_t busy;
    check(pthread_create(&busy, NULL, stay_busy, NULL) == 0);
    uint32_t expected = compute(4, 5000000);
    for (int number = 1; number < NSIG; number++) {
        if (!can_be_handled(number))
            continue;
        struct sigaction action = {.sa_sigaction = count, .sa_flags = SA_SIGINFO | SA_RESTART}, found;
        sigfillset(&action.sa_mask);
        check(sigaction(number, &action, NULL) == 0);
        check(sigaction(number, NULL, &found) == 0);
        check(found.sa_sigaction == count);
    }
    unsigned sent = 0;
    for (unsigned i = 0; i < TIMES; i++) {
        for (int number = 1; number < NSIG; number++)
            if (can_be_handled(number)) {
                check(raise(number) == 0);
                sent++;
            }
        /* Long enough to be looked at, busy and blocked. */
        check(i % 10 != 0 || compute(4, 5000000) == expected);
        struct timespec pause = {0, 500000};
        nanosleep(&pause, NULL);
    }
    atomic_store(&over, true);
    check(pthread_join(busy, NULL) == 0);
    unsigned came = 0;
    for (int number = 1; number < NSIG; number++) {
        unsigned times = atomic_load(&seen[number]);
        if (times != (can_be_handled(number) ? TIMES : 0))
            fprintf(stderr, "signal %d came %u times\n", number, times);
        came += times;
    }
    check(came == sent);
    printf("%u signals were sent and came\n", came);
    return 0;
}
