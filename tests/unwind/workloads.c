#include "workloads.h"

#include <alloca.h>
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

void (*workload_in_handler)(void);

static volatile uint64_t sink;

static int compare_numbers(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

void workload_sort(void)
{
    int numbers[64];
    for (int i = 0; i < 64; i++)
        numbers[i] = i * 37 % 64;
    qsort(numbers, 64, sizeof *numbers, compare_numbers);
    int wanted = 17;
    sink += bsearch(&wanted, numbers, 64, sizeof *numbers, compare_numbers) != NULL;
}

void workload_text(void)
{
    char text[256];
    for (int i = 0; i < 8; i++) {
        snprintf(text, sizeof text, "%d %s %.17g %#lx %-20s|", i, "word", i / 3.0, (unsigned long)i, "left");
        char *end;
        sink += (uint64_t)strtod(strchr(text, ' ') + 6, &end);
        sink += strtoul("123456789", NULL, 10) + strlen(text);
    }
    time_t now = 1000000000;
    struct tm broken_down;
    gmtime_r(&now, &broken_down);
    sink += strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &broken_down);
}

void workload_heap(void)
{
    void *blocks[64] = {0};
    for (unsigned i = 0; i < 400; i++) {
        unsigned slot = i * 13 % 64;
        free(blocks[slot]);
        blocks[slot] = malloc(1 + i * 97 % 3000);
        memset(blocks[slot], (int)i, 1 + i * 97 % 3000);
    }
    char *large = malloc(300000);
    large = realloc(large, 600000);
    sink += (uintptr_t)large;
    free(large);
    for (unsigned i = 0; i < 64; i++)
        free(blocks[i]);
}

static jmp_buf back;

__attribute__((noinline)) static void jump_from_below(int depth)
{
    if (depth > 0)
        jump_from_below(depth - 1);
    else if (sink != 1)
        longjmp(back, 1);
    sink++;
}

void workload_jumps(void)
{
    for (volatile int i = 0; i < 10; i++) {
        workload_sort();
        if (setjmp(back) == 0)
            jump_from_below(i % 5);
    }
}

static void handle(int signal)
{
    (void)signal;
    if (workload_in_handler)
        workload_in_handler();
    workload_sort();
}

void workload_signals(void)
{
    struct sigaction action = {.sa_handler = handle}, before;
    sigaction(SIGUSR2, &action, &before);
    raise(SIGUSR2);
    static char stack[65536];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack}, old;
    sigaltstack(&other, &old);
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR2);
    sigaltstack(&old, NULL);
    sigaction(SIGUSR2, &before, NULL);
}

static ucontext_t caller, coroutine;

static void in_coroutine(void)
{
    for (int i = 0; i < 3; i++) {
        workload_sort();
        swapcontext(&coroutine, &caller);
    }
}

void workload_coroutines(void)
{
    static char stack[65536];
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = sizeof stack;
    coroutine.uc_link = &caller;
    makecontext(&coroutine, in_coroutine, 0);
    for (int i = 0; i < 4; i++)
        swapcontext(&caller, &coroutine);
}

/* A buffer that wants more than the stack's own alignment, and one whose size is not known: the CFA is kept in r10 and then in
 * memory. */
__attribute__((noinline)) static uint64_t realigned(unsigned size, uint64_t seed)
{
    uint64_t __attribute__((aligned(64))) aligned[8];
    uint64_t *any = alloca(size * sizeof *any);
    for (unsigned i = 0; i < 8; i++)
        aligned[i] = seed * i;
    for (unsigned i = 0; i < size; i++)
        any[i] = aligned[i % 8] ^ seed;
    __asm__ volatile("" ::"r"(aligned), "r"(any) : "memory");
    workload_sort();
    uint64_t sum = size > 4 ? realigned(size / 2, seed + 1) : 0;
    for (unsigned i = 0; i < size; i++)
        sum += any[i] + (uintptr_t)&aligned[i % 8];
    return sum;
}

void workload_realigned(void)
{
    sink += realigned(40, 7);
}

void workload_vdso(void)
{
    struct timespec now;
    for (int i = 0; i < 50; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        sink += (uint64_t)now.tv_nsec;
        clock_gettime(CLOCK_REALTIME_COARSE, &now);
        sink += (uint64_t)time(NULL);
    }
}

static void *lazy_library;
static void (*lazy_run)(void);

void workload_lazy_binding_prepare(void)
{
    if (lazy_library)
        dlclose(lazy_library);
    lazy_library = dlopen(LAZY_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!lazy_library)
        abort();
    *(void **)&lazy_run = dlsym(lazy_library, "lazy_run");
    if (!lazy_run)
        abort();
}

void workload_lazy_binding(void)
{
    lazy_run();
    lazy_run();
}
