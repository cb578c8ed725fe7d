/* Threads on the smallest stacks there are, and handlers on small alternate stacks; below each stack is a page that nobody may
 * touch. */
#include "check.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>

enum { THREADS = 6, ROUNDS = 8, HANDLED = 30 };

static atomic_uint handled;

/* As small as the system allows; AddressSanitizer needs room for itself. */
static size_t least_stack(void)
{
    return (size_t)PTHREAD_STACK_MIN + (CHECKED_MEMORY ? 256 << 10 : 0);
}

static void *run(void *argument)
{
    unsigned number = (unsigned)(uintptr_t)argument;
    return (void *)(uintptr_t)compute(number, 3000000);
}

static void run_on_small_stacks(void)
{
    pthread_attr_t small;
    pthread_attr_init(&small);
    check(pthread_attr_setstacksize(&small, least_stack()) == 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];
        for (unsigned i = 0; i < THREADS; i++)
            check(pthread_create(&threads[i], &small, run, (void *)(uintptr_t)i) == 0);
        for (unsigned i = 0; i < THREADS; i++) {
            void *value;
            check(pthread_join(threads[i], &value) == 0);
            check((uintptr_t)value == compute(i, 3000000));
        }
    }
}

static void on_alarm(int number)
{
    (void)number;
    int saved = errno;
    uint32_t value = compute(9, 2000000);
    check(compute(9, 2000000) == value);
    atomic_fetch_add(&handled, 1);
    errno = saved;
}

static void handle_on_other_stack(void)
{
    /* Two signals on top of each other, and little more; AddressSanitizer needs room for itself. */
    size_t size = 2 * (size_t)sysconf(_SC_MINSIGSTKSZ) + 2048 + (CHECKED_MEMORY ? 64 << 10 : 0);
    size = (size + 4095) / 4096 * 4096;
    char *memory = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(memory != MAP_FAILED && mprotect(memory, 4096, PROT_NONE) == 0);
    stack_t other = {.ss_sp = memory + 4096, .ss_size = size}, previous;
    check(sigaltstack(&other, &previous) == 0);
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK | SA_RESTART};
    check(sigaction(SIGALRM, &action, NULL) == 0);
    for (unsigned i = 0; i < HANDLED; i++) {
        struct itimerval soon = {{0, 0}, {0, 1000}};
        check(setitimer(ITIMER_REAL, &soon, NULL) == 0);
        while (atomic_load(&handled) == i)
            compute(1, 10000);
    }
    stack_t now;
    check(sigaltstack(NULL, &now) == 0 && now.ss_sp == other.ss_sp && now.ss_size == other.ss_size);
    check(sigaltstack(&previous, NULL) == 0);
}

int main(void)
{
    run_on_small_stacks();
    handle_on_other_stack();
    puts("all stacks were large enough");
    return 0;
}
