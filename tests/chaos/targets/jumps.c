/* Jumps out of deep calls, out of the handlers of timers at any instruction, and out of those of faults. */
#include "check.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/time.h>

enum { DEEP_JUMPS = 20000, TIMER_JUMPS = 150, FAULTS = 2000 };

static _Thread_local jmp_buf deep;
static _Thread_local sigjmp_buf fault;
static sigjmp_buf timer;
static volatile sig_atomic_t timer_armed;
static char *forbidden;

static volatile bool jump_at_the_end = true;

static __attribute__((noinline)) unsigned descend(unsigned depth)
{
    if (depth == 0) {
        if (jump_at_the_end)
            longjmp(deep, 1);
        return 0;
    }
    volatile unsigned here = depth;
    return descend(depth - 1) + here;
}

static void *jump_deep(void *argument)
{
    volatile unsigned jumps = 0;
    while (jumps < DEEP_JUMPS) {
        if (setjmp(deep) == 0)
            descend(10 + jumps % 50);
        else
            jumps++;
    }
    *(unsigned *)argument = jumps;
    return NULL;
}

static void on_fault(int number)
{
    (void)number;
    siglongjmp(fault, 1);
}

static void *jump_from_faults(void *argument)
{
    volatile unsigned jumps = 0;
    while (jumps < FAULTS) {
        if (sigsetjmp(fault, 1) == 0)
            *(volatile char *)forbidden = 1;
        else
            jumps++;
        compute(jumps, 500);
    }
    *(unsigned *)argument = jumps;
    return NULL;
}

static void on_timer(int number)
{
    (void)number;
    if (timer_armed) {
        timer_armed = 0;
        siglongjmp(timer, 1);
    }
}

static void jump_from_timers(volatile unsigned *jumps)
{
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    check(signal(SIGALRM, on_timer) != SIG_ERR);
    check(pthread_sigmask(SIG_UNBLOCK, &alarms, NULL) == 0);
    struct itimerval often = {{0, 1000}, {0, 1000}};
    check(setitimer(ITIMER_REAL, &often, NULL) == 0);
    volatile uint32_t value = 0;
    while (*jumps < TIMER_JUMPS) {
        if (sigsetjmp(timer, 1) == 0) {
            timer_armed = 1;
            while (true)
                value = compute(value, 1000);
        }
        ++*jumps;
    }
    struct itimerval never = {{0, 0}, {0, 0}};
    check(setitimer(ITIMER_REAL, &never, NULL) == 0);
}

int main(void)
{
    forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(forbidden != MAP_FAILED);
    struct sigaction action = {.sa_handler = on_fault};
    check(sigaction(SIGSEGV, &action, NULL) == 0);
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    check(pthread_sigmask(SIG_BLOCK, &alarms, NULL) == 0);
    pthread_t threads[2];
    unsigned counts[2] = {0};
    volatile unsigned timers = 0;
    check(pthread_create(&threads[0], NULL, jump_deep, &counts[0]) == 0);
    check(pthread_create(&threads[1], NULL, jump_from_faults, &counts[1]) == 0);
    jump_from_timers(&timers);
    for (unsigned i = 0; i < 2; i++)
        check(pthread_join(threads[i], NULL) == 0);
    printf("%u jumps out of calls, %u out of faults, %u out of timers\n", counts[0], counts[1], timers);
    return 0;
}
