/* Computes in two threads and prints the results:
 *
 *     computes [ROUNDS] */
#include "chaos/targets/check.h"

#include <pthread.h>
#include <stdlib.h>

static unsigned rounds = 200000000;

__attribute__((noinline, noclone)) static uint32_t work_here(uint32_t seed)
{
    return compute(seed, rounds);
}

static void *thread_main(void *argument)
{
    return (void *)(uintptr_t)work_here((uint32_t)(uintptr_t)argument);
}

int main(int argc, char **argv)
{
    if (argc == 2)
        rounds = (unsigned)atoi(argv[1]);
    pthread_t thread;
    void *result;
    check(pthread_create(&thread, NULL, thread_main, (void *)7) == 0);
    uint32_t mine = work_here(8);
    check(pthread_join(thread, &result) == 0);
    printf("%08x %08x\n", mine, (uint32_t)(uintptr_t)result);
    return 0;
}
