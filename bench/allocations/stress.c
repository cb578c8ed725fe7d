/* Nothing but malloc() and free(), on four threads: blocks of all sizes that live shortly, some that go to another thread to be
 * freed there, and some that are lost.
 *
 *     stress ROUNDS */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, HELD = 1024, HANDED_OVER = 256, LOST_EVERY = 4096 };

static _Atomic(void *) handed_over[HANDED_OVER];
static void *volatile lost;
static unsigned rounds;

static uint32_t next_random(uint32_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    return *random ^= *random << 5;
}

/* Mostly small ones. */
static size_t size_of(uint32_t random)
{
    unsigned shift = 4 + (random >> 8) % 8;
    return random % 97 == 0 ? 20000 : ((size_t)1 << shift) + random % 16;
}

static void *work(void *number)
{
    uint32_t random = (uint32_t)(uintptr_t)number;
    void **held = calloc(HELD, sizeof *held);
    for (unsigned i = 0; held && i < rounds; i++) {
        uint32_t value = next_random(&random);
        void **place = &held[value % HELD];
        free(*place);
        *place = malloc(size_of(value));
        if (i % 8 == 0) {
            free(atomic_exchange(&handed_over[value % HANDED_OVER], *place));
            *place = NULL;
        }
        if (i % LOST_EVERY == 0)
            lost = malloc(100);
    }
    for (unsigned i = 0; held && i < HELD; i++)
        free(held[i]);
    free(held);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    for (uintptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(i + 1)) != 0)
            return 1;
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return lost == NULL;
}
