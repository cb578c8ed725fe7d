/* The program that is recorded on another CPU: a thread that works, one that waits, and a marker. */
#include <pthread.h>
#include <sonde/sonde.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int channel[2];

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

__attribute__((noinline, noclone)) void work_hard(double seconds)
{
    for (volatile double start = cpu_seconds(), now = start; now - start < seconds; now = cpu_seconds())
        for (volatile int i = 0; i < 10000; i++)
            ;
}

__attribute__((noinline, noclone)) static void *worker(void *argument)
{
    pthread_setname_np(pthread_self(), "worker");
    SONDE_MARKER_SCOPE("working", "hard");
    work_hard(0.5);
    return argument;
}

__attribute__((noinline, noclone)) static void *waiter(void *argument)
{
    char byte;
    pthread_setname_np(pthread_self(), "waiter");
    if (read(channel[0], &byte, 1) != 1)
        perror("read");
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    if (pipe(channel) != 0 || pthread_create(&threads[0], NULL, waiter, NULL) != 0 ||
        pthread_create(&threads[1], NULL, worker, NULL) != 0)
        return 1;
    SONDE_LABEL("in main", OTHER);
    work_hard(0.1);
    pthread_join(threads[1], NULL);
    sonde_marker_instant("done", OTHER);
    if (write(channel[1], "x", 1) != 1)
        return 1;
    pthread_join(threads[0], NULL);
    puts("the end");
    return 0;
}
