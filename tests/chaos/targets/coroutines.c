/* Coroutines: stacks that the thread library knows nothing of, changed thousands of times a second, in two threads. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { COROUTINES = 8, TURNS = 2500, STACK = 64 << 10 };

struct group {
    ucontext_t home, contexts[COROUTINES];
    uint32_t values[COROUTINES];
    uint32_t seed;
    char *stacks;
};

static __attribute__((noinline)) void turn_deep(struct group *group, unsigned number, unsigned depth)
{
    volatile uint32_t kept = group->values[number];
    if (depth > 0) {
        turn_deep(group, number, depth - 1);
        return;
    }
    group->values[number] = compute(kept, 2000);
    check(swapcontext(&group->contexts[number], &group->home) == 0);
}

static void coroutine(unsigned high, unsigned low, unsigned number)
{
    struct group *group = (struct group *)((uintptr_t)high << 32 | low);
    while (true)
        turn_deep(group, number, number * 2);
}

static void *run(void *argument)
{
    struct group *group = argument;
    group->stacks = mmap(NULL, (size_t)COROUTINES * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(group->stacks != MAP_FAILED);
    for (unsigned i = 0; i < COROUTINES; i++) {
        ucontext_t *context = &group->contexts[i];
        check(getcontext(context) == 0);
        context->uc_stack.ss_sp = group->stacks + (size_t)i * STACK;
        context->uc_stack.ss_size = STACK;
        context->uc_link = NULL;
        group->values[i] = group->seed + i;
        makecontext(context, (void (*)(void))coroutine, 3, (unsigned)((uintptr_t)group >> 32), (unsigned)(uintptr_t)group, i);
    }
    for (unsigned turn = 0; turn < TURNS; turn++)
        for (unsigned i = 0; i < COROUTINES; i++)
            check(swapcontext(&group->home, &group->contexts[i]) == 0);
    munmap(group->stacks, (size_t)COROUTINES * STACK);
    return NULL;
}

int main(void)
{
    alarm(240);
    static struct group groups[2] = {{.seed = 1}, {.seed = 100}};
    pthread_t threads[2];
    for (unsigned i = 0; i < 2; i++)
        check(pthread_create(&threads[i], NULL, run, &groups[i]) == 0);
    for (unsigned i = 0; i < 2; i++)
        check(pthread_join(threads[i], NULL) == 0);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned j = 0; j < COROUTINES; j++) {
            uint32_t value = groups[i].seed + j;
            for (unsigned turn = 0; turn < TURNS; turn++)
                value = compute(value, 2000);
            check(groups[i].values[j] == value);
        }
    puts("all coroutines had their turns");
    return 0;
}
