/* Many processes of many threads, all at once: many_program PROCESSES THREADS SECONDS
 *
 * Half of the processes are forked, the others are this program anew. Each thread works a little again and again. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static volatile unsigned sum;

static __attribute__((noinline)) void work(unsigned depth)
{
    if (depth > 0) {
        work(depth - 1);
        sum++;
        return;
    }
    for (unsigned i = 0; i < 20000; i++)
        sum += i;
}

static void *live(void *number)
{
    double end = now() + seconds;
    while (now() < end) {
        work((unsigned)(size_t)number % 8 + (unsigned)(now() * 10) % 5);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    return NULL;
}

static int be_a_process(int threads)
{
    pthread_t all[64];
    for (int i = 1; i < threads; i++)
        if (pthread_create(&all[i], NULL, live, (void *)(size_t)i) != 0)
            return 1;
    live(NULL);
    for (int i = 1; i < threads; i++)
        pthread_join(all[i], NULL);
    return 0;
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    int processes = atoi(arguments[1]), threads = atoi(arguments[2]), failed = 0;
    seconds = atof(arguments[3]);
    if (threads > 64)
        return 2;
    if (processes == 0)
        return be_a_process(threads);
    for (int i = 0; i < processes; i++) {
        pid_t pid = fork();
        if (pid < 0)
            return 1;
        if (pid == 0) {
            if (i % 2 == 0)
                exit(be_a_process(threads));
            execl("/proc/self/exe", "many", "0", arguments[2], arguments[3], NULL);
            _exit(127);
        }
    }
    for (int status; wait(&status) > 0 || errno == EINTR;)
        failed += status != 0;
    return failed > 0;
}
