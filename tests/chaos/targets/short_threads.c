/* Thousands of threads that live for microseconds: joined and detached, named, with destructors of thread-local values. */
#include "check.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

enum { ROUNDS = 600, AT_ONCE = 8 };

static pthread_key_t key;
static atomic_uint destroyed, sum;
static sem_t ended;

static void destroy(void *value)
{
    atomic_fetch_add(&destroyed, (unsigned)(uintptr_t)value);
}

static void *live(void *argument)
{
    unsigned number = (unsigned)(uintptr_t)argument;
    check(pthread_setspecific(key, (void *)(uintptr_t)1) == 0);
    if (number % 3 == 0) {
        char name[16];
        snprintf(name, sizeof name, "short %u", number);
        check(pthread_setname_np(pthread_self(), name) == 0);
    }
    unsigned value = compute(number, number % 7 == 0 ? 20000 : 50);
    atomic_fetch_add(&sum, value);
    return (void *)(uintptr_t)value;
}

static void *live_detached(void *argument)
{
    live(argument);
    sem_post(&ended);
    if ((uintptr_t)argument % 2)
        pthread_exit(NULL);
    return NULL;
}

int main(void)
{
    alarm(240);
    check(pthread_key_create(&key, destroy) == 0);
    check(sem_init(&ended, 0, 0) == 0);
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    unsigned number = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        pthread_t threads[AT_ONCE];
        unsigned first = number;
        for (unsigned i = 0; i < AT_ONCE; i++)
            check(pthread_create(&threads[i], NULL, live, (void *)(uintptr_t)number++) == 0);
        pthread_t nobody;
        check(pthread_create(&nobody, &detached, live_detached, (void *)(uintptr_t)number++) == 0);
        for (unsigned i = 0; i < AT_ONCE; i++) {
            void *value;
            check(pthread_join(threads[i], &value) == 0);
            check((uintptr_t)value == compute(first + i, (first + i) % 7 == 0 ? 20000 : 50));
        }
        while (sem_wait(&ended) != 0)
            check(errno == EINTR);
    }
    /* The destructor of a detached thread may still be running. */
    while (atomic_load(&destroyed) < number)
        usleep(1000);
    printf("%u threads, sum %08x, %u destroyed\n", number, atomic_load(&sum), atomic_load(&destroyed));
    return 0;
}
