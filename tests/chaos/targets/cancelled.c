/* Threads that are cancelled: while they wait (deferred) and at any instruction (asynchronously). Each cleans up once. */
#include "check.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

enum { DEFERRED = 200, ASYNCHRONOUS = 200 };

static atomic_uint cleaned, started;
static int nothing[2];
static sem_t never;

static void clean(void *argument)
{
    (void)argument;
    atomic_fetch_add(&cleaned, 1);
}

static void *wait_for_ever(void *argument)
{
    unsigned way = (unsigned)(uintptr_t)argument % 5;
    pthread_cleanup_push(clean, NULL);
    atomic_fetch_add(&started, 1);
    char byte;
    struct timespec hour = {3600, 0};
    struct pollfd poller = {.fd = nothing[0], .events = POLLIN};
    while (true) {
        if (way == 0)
            (void)!read(nothing[0], &byte, 1);
        else if (way == 1)
            nanosleep(&hour, NULL);
        else if (way == 2)
            sem_wait(&never);
        else if (way == 3)
            poll(&poller, 1, -1);
        else {
            compute(1, 1000);
            pthread_testcancel();
        }
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void *compute_for_ever(void *argument)
{
    pthread_cleanup_push(clean, NULL);
    atomic_fetch_add(&started, 1);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    volatile uint32_t value = (uint32_t)(uintptr_t)argument;
    while (true)
        value ^= value << 3;
    pthread_cleanup_pop(0);
    return NULL;
}

static void cancel_many(unsigned count, void *(*start)(void *), unsigned wait_us)
{
    enum { AT_ONCE = 4 };
    for (unsigned i = 0; i < count; i += AT_ONCE) {
        pthread_t threads[AT_ONCE];
        unsigned before = atomic_load(&started);
        for (unsigned j = 0; j < AT_ONCE; j++)
            check(pthread_create(&threads[j], NULL, start, (void *)(uintptr_t)(i + j)) == 0);
        while (atomic_load(&started) < before + AT_ONCE)
            usleep(100);
        usleep(wait_us * (i % 3));
        for (unsigned j = 0; j < AT_ONCE; j++)
            check(pthread_cancel(threads[j]) == 0);
        for (unsigned j = 0; j < AT_ONCE; j++) {
            void *value;
            check(pthread_join(threads[j], &value) == 0);
            check(value == PTHREAD_CANCELED);
        }
    }
}

int main(void)
{
    alarm(240);
    check(pipe(nothing) == 0);
    check(sem_init(&never, 0, 0) == 0);
    cancel_many(DEFERRED, wait_for_ever, 1500);
    cancel_many(ASYNCHRONOUS, compute_for_ever, 1500);
    printf("%u cancelled, %u cleaned up\n", DEFERRED + ASYNCHRONOUS, atomic_load(&cleaned));
    return 0;
}
