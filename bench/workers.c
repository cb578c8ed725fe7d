#include "workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    _Alignas(128) _Atomic uint64_t done;
} counts[WORKERS];

static void (*begin_worker)(void);

/* About a microsecond. */
static __attribute__((noinline)) uint32_t unit(uint32_t value)
{
    for (unsigned i = 0; i < 400; i++) {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }
    return value;
}

static __attribute__((noinline)) uint32_t level_0(unsigned worker)
{
    uint32_t value = worker + 1;
    while (value) /* it never is 0, which the compiler does not know */
    {
        value = unit(value);
        /* Relaxed: a figure for statistics; only this thread writes it. */
        atomic_store_explicit(&counts[worker].done, atomic_load_explicit(&counts[worker].done, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    }
    return value;
}

/* A function of its own for each level, so that each has its own unwind rule; the addition keeps it from being a jump. */
#define LEVEL(level, below)                                                                                                    \
    static __attribute__((noinline)) uint32_t level_##level(unsigned worker)                                                   \
    {                                                                                                                          \
        return level_##below(worker) + level;                                                                                  \
    }
LEVEL(1, 0)
LEVEL(2, 1)
LEVEL(3, 2)
LEVEL(4, 3)
LEVEL(5, 4)
LEVEL(6, 5)
LEVEL(7, 6)
LEVEL(8, 7)
LEVEL(9, 8)
LEVEL(10, 9)
LEVEL(11, 10)
LEVEL(12, 11)
LEVEL(13, 12)
LEVEL(14, 13)
LEVEL(15, 14)
LEVEL(16, 15)
LEVEL(17, 16)
LEVEL(18, 17)
LEVEL(19, 18)
LEVEL(20, 19)
LEVEL(21, 20)
LEVEL(22, 21)
LEVEL(23, 22)
LEVEL(24, 23)
LEVEL(25, 24)
LEVEL(26, 25)
LEVEL(27, 26)

/* With unit, and what the thread library has below, 32 frames. */
static void *work(void *argument)
{
    if (begin_worker)
        begin_worker();
    return (void *)(uintptr_t)(level_27((unsigned)(uintptr_t)argument) + 1);
}

void workers_start(void (*begin)(void))
{
    begin_worker = begin;
    for (unsigned i = 0; i < WORKERS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, (void *)(uintptr_t)i) != 0) {
            perror("pthread_create");
            exit(1);
        }
    }
}

uint64_t workers_done(void)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < WORKERS; i++)
        sum += atomic_load_explicit(&counts[i].done, memory_order_relaxed);
    return sum;
}
