/* Threads that work, and one that waits: counts the primes below a number, in pieces.
 *
 *     cc -O2 -o threads threads.c -lpthread
 *     sonde record ./threads 8000000
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 2, PIECE = 100000 };

static _Atomic long next_piece;
static _Atomic long primes;
static long limit = 4000000;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int workers_done;

static __attribute__((noinline)) bool is_prime(long n)
{
    if (n < 4)
        return n > 1;
    if (n % 2 == 0)
        return false;
    for (long divisor = 3; divisor * divisor <= n; divisor += 2)
        if (n % divisor == 0)
            return false;
    return true;
}

static __attribute__((noinline)) void count_piece(long first)
{
    long found = 0;
    for (long n = first; n < first + PIECE && n < limit; n++)
        found += is_prime(n);
    atomic_fetch_add_explicit(&primes, found, memory_order_relaxed);
}

static void *work(void *data)
{
    char name[16];
    snprintf(name, sizeof name, "worker %d", *(int *)data);
    pthread_setname_np(pthread_self(), name);
    for (long first; (first = PIECE * atomic_fetch_add_explicit(&next_piece, 1, memory_order_relaxed)) < limit;)
        count_piece(first);
    pthread_mutex_lock(&lock);
    workers_done++;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *wait_for_workers(void *data)
{
    (void)data;
    pthread_setname_np(pthread_self(), "waiter");
    pthread_mutex_lock(&lock);
    while (workers_done < WORKERS)
        pthread_cond_wait(&done, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t threads[WORKERS], waiter;
    int numbers[WORKERS];
    if (count > 1)
        limit = atol(arguments[1]);
    pthread_create(&waiter, NULL, wait_for_workers, NULL);
    for (int i = 0; i < WORKERS; i++) {
        numbers[i] = i + 1;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(waiter, NULL);
    printf("%ld primes below %ld\n", atomic_load(&primes), limit);
    return 0;
}
