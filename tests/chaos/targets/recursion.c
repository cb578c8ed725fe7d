/* Stacks of a hundred thousand frames, up and down again. */
#include "check.h"

#include <pthread.h>

enum { DEPTH = CHECKED_MEMORY ? 30000 : 100000, TIMES = 250 };

static __attribute__((noinline)) uint32_t descend(unsigned depth, uint32_t value)
{
    volatile uint32_t kept = value;
    if (depth == 0)
        return compute(value, 200000);
    uint32_t below = descend(depth - 1, value + 1);
    check(kept == value);
    return below ^ depth;
}

static void *descend_often(void *argument)
{
    uint32_t first = descend(DEPTH, (uint32_t)(uintptr_t)argument);
    for (unsigned i = 1; i < TIMES; i++)
        check(descend(DEPTH, (uint32_t)(uintptr_t)argument) == first);
    return (void *)(uintptr_t)first;
}

int main(void)
{
    alarm(240);
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, 64 << 20);
    pthread_t thread;
    check(pthread_create(&thread, &large, descend_often, (void *)(uintptr_t)1) == 0);
    void *value;
    /* The main thread's own stack grows while others look at it. */
    uint32_t here = descend(CHECKED_MEMORY ? 10000 : 50000, 2);
    check(pthread_join(thread, &value) == 0);
    printf("%08x %08x\n", here, (unsigned)(uintptr_t)value);
    return 0;
}
