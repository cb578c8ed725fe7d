// The program that workers.perf.txt and workers-flat.perf.txt are recordings of; README.md has the commands.

#include <pthread.h>
#include <stdint.h>

static volatile uint32_t sink;

static inline __attribute__((always_inline)) uint32_t step(uint32_t x)
{
    return x * 1664525u + 1013904223u;
}

__attribute__((noinline)) static uint32_t spin(uint32_t x, int n)
{
    for (int i = 0; i < n; i++)
        x = step(x) ^ x >> 3;
    return x;
}

__attribute__((noinline)) static void work(void)
{
    for (int i = 0; i < 400; i++)
        sink ^= spin((uint32_t)i, 100000);
}

static void *run(void *name)
{
    pthread_setname_np(pthread_self(), name);
    work();
    return NULL;
}

int main(void)
{
    char names[2][16] = {"io worker 1", "io worker 2"};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, names[i]);
    work();
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
