/* All the ways a program can end, after some work in two threads: endings WAY */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static pthread_t main_thread;

static void *compute_for_ever(void *argument)
{
    (void)argument;
    while (true)
        compute(1, 1000);
    return NULL;
}

/* A place that nobody has, told to the compiler as late as possible. */
static volatile uintptr_t nowhere = 16;

static void raise_fault(void)
{
    *(volatile int *)nowhere = 1;
}

static void at_exit(void)
{
    puts("at exit");
}

static void *end_elsewhere(void *way)
{
    usleep(30000);
    if (strcmp(way, "exit-elsewhere") == 0)
        exit(6);
    check(pthread_kill(main_thread, SIGTERM) == 0);
    return compute_for_ever(NULL);
}

int main(int argc, char **argv)
{
    alarm(240);
    const char *way = argc > 1 ? argv[1] : "return";
    main_thread = pthread_self();
    check(atexit(at_exit) == 0 && at_quick_exit(at_exit) == 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    pthread_t thread;
    check(pthread_create(&thread, NULL, compute_for_ever, NULL) == 0);
    printf("%08x\n", compute(2, 30000000));
    if (strcmp(way, "return") == 0)
        return 3;
    if (strcmp(way, "exit") == 0)
        exit(4);
    if (strcmp(way, "_exit") == 0)
        _exit(5);
    if (strcmp(way, "quick_exit") == 0)
        quick_exit(8);
    if (strcmp(way, "abort") == 0)
        abort();
    if (strcmp(way, "fault") == 0)
        raise_fault();
    if (strcmp(way, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(way, "terminate") == 0)
        raise(SIGTERM);
    if (strcmp(way, "real-time-signal") == 0)
        raise(SIGRTMAX);
    if (strcmp(way, "profiling-signal") == 0) /* by which threads are sampled */
        kill(getpid(), SIGPROF);
    check(pthread_create(&thread, NULL, end_elsewhere, (void *)way) == 0);
    compute_for_ever(NULL);
}
