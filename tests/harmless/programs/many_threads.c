/* 5,000 threads, of which two work:
 *
 *     many_threads COUNT
 *
 * Prints on standard error how much CPU time the two have used, in ms. Ends with 77 where there cannot be so many threads. */
#include "chaos/targets/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 500000000 };

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool is_open;

static void *wait_at_gate(void *argument)
{
    pthread_mutex_lock(&gate);
    while (!is_open)
        pthread_cond_wait(&opened, &gate);
    pthread_mutex_unlock(&gate);
    return argument;
}

__attribute__((noinline, noclone)) static uint32_t work_alone(uint32_t seed)
{
    return compute(seed, ROUNDS);
}

static void *work(void *argument)
{
    double *cpu_ms = argument;
    uint32_t value = work_alone(7);
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    *cpu_ms = (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
    return (void *)(uintptr_t)value;
}

int main(int argc, char **argv)
{
    unsigned count = argc == 2 ? (unsigned)atoi(argv[1]) : 5000;
    pthread_t *waiting = calloc(count, sizeof *waiting), working[2];
    pthread_attr_t small;
    check(waiting && pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, 128 << 10) == 0);
    for (unsigned i = 0; i < count - 2; i++) {
        if (pthread_create(&waiting[i], &small, wait_at_gate, NULL) != 0)
            _exit(77);
    }
    double cpu_ms[2];
    for (unsigned i = 0; i < 2; i++)
        check(pthread_create(&working[i], NULL, work, &cpu_ms[i]) == 0);
    for (unsigned i = 0; i < 2; i++) {
        void *value;
        check(pthread_join(working[i], &value) == 0);
        printf("%08x\n", (uint32_t)(uintptr_t)value);
    }
    pthread_mutex_lock(&gate);
    is_open = true;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&gate);
    for (unsigned i = 0; i < count - 2; i++)
        check(pthread_join(waiting[i], NULL) == 0);
    fprintf(stderr, "%.1f\n", cpu_ms[0] + cpu_ms[1]);
    free(waiting);
    return 0;
}
