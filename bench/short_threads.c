/* What it takes to make a thread that does nothing, and to wait for its end.
 *
 *     short_threads COUNT
 *
 * Prints microseconds for one, by the clock and of CPU time of the whole process. Recorded by preloading, or not. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *do_nothing(void *argument)
{
    return argument;
}

static void make_threads(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, do_nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
            exit(1);
    }
}

int main(int argc, char **argv)
{
    unsigned count = argc == 2 ? (unsigned)atoi(argv[1]) : 0;
    if (count == 0) {
        fputs("usage: short_threads COUNT\n", stderr);
        return 2;
    }
    make_threads(count / 10 + 1);
    double start = read_clock(CLOCK_MONOTONIC), cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    make_threads(count);
    cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("{\"wall\": %.3f, \"cpu\": %.3f}\n", (read_clock(CLOCK_MONOTONIC) - start) * 1e6 / count, cpu * 1e6 / count);
    return 0;
}
