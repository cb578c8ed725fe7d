#include "workers.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static void (*begin_worker)(void);
static uint64_t units_each;
static pthread_t workers[WORKERS];

/* Less than a microsecond. */
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
    for (uint64_t i = 0; i < units_each; i++)
        value = unit(value);
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

void workers_start(uint64_t units, void (*begin)(void))
{
    units_each = units;
    begin_worker = begin;
    for (unsigned i = 0; i < WORKERS; i++)
        if (pthread_create(&workers[i], NULL, work, (void *)(uintptr_t)i) != 0) {
            perror("pthread_create");
            exit(1);
        }
}

void workers_join(void)
{
    for (unsigned i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
}
