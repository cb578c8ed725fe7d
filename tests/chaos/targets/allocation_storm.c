/* Eight threads that do nothing but to allocate and free, as fast as they can: more than ten million blocks a second where
 * there are CPUs for them. What one allocates another one frees. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 8, ROUNDS = CHECKED_MEMORY ? 20000 : 200000, PLACES = 64 };

static _Atomic(size_t *) places[PLACES];

static void *storm(void *argument)
{
    uint32_t random = (uint32_t)(uintptr_t)argument;
    size_t made = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        random = compute(random, 1);
        size_t size = sizeof(size_t) + random % 200;
        size_t *block = malloc(size);
        check(block);
        *block = size;
        made += 1;
        size_t *other = atomic_exchange(&places[random / 256 % PLACES], block);
        check(!other || (*other >= sizeof(size_t) && *other < sizeof(size_t) + 200));
        free(other);
    }
    return (void *)made;
}

int main(void)
{
    alarm(60);
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, storm, (void *)(uintptr_t)(i + 1)) == 0);
    size_t all = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        void *made;
        check(pthread_join(threads[i], &made) == 0);
        all += (size_t)made;
    }
    for (unsigned i = 0; i < PLACES; i++)
        free(atomic_exchange(&places[i], NULL));
    printf("%zu blocks\n", all);
    return 0;
}
