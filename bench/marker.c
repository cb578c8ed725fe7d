/* What a marker costs, in nanoseconds, against what it has to cost and against the usual design:
 *
 *     marker [ROUNDS]
 *
 *     clock            one reading of the clock that markers are timed by
 *     off              an instant marker while nothing is recorded
 *     instant          … while it is recorded
 *     interval         a sonde_now() and the interval marker since then: two readings of the clock are in it
 *     scope            an interval with a text, until the end of a block
 *     typed            an interval with three fields
 *     mutex            the peer of instant: a ring under a mutex, 48 bytes an event, with one reading of the clock
 *     mutex interval   the peer of interval, with two
 *
 * with one thread and with two at the same time. Prints a line of JSON for each: {"item": "interval", "threads": 2, "ns": […]}.
 * All of them take turns in each round, so that a noisy moment is noisy for all. The buffer is so small that its memory is used
 * again and again: at this rate new memory would measure the disk. */
#define SONDE_LINKED_BASE
#include "sonde/sonde.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 10000, THREADS_MAX = 2, ROUNDS_MAX = 1000 };

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* --- the peer ---------------------------------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t mutex;
    uint64_t at;
    struct {
        uint64_t start, end, thread, type;
        char name[16];
    } events[1 << 16];
} ring = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void ring_add(const char *name, uint64_t start, uint64_t end)
{
    pthread_mutex_lock(&ring.mutex);
    size_t i = ring.at++ % (sizeof ring.events / sizeof *ring.events);
    ring.events[i].start = start;
    ring.events[i].end = end;
    ring.events[i].thread = (uintptr_t)&ring ^ start;
    ring.events[i].type = 1;
    strncpy(ring.events[i].name, name, sizeof ring.events[i].name - 1);
    pthread_mutex_unlock(&ring.mutex);
}

/* --- the items --------------------------------------------------------------------------------------------------------- */

SONDE_MARKER_TYPE(request, "HTTP request", SONDE_FIELD_URL(url), SONDE_FIELD_INTEGER(status), SONDE_FIELD_BYTES(size));

static void run_clock(void)
{
    for (int i = 0; i < BATCH; i++)
        sonde_now();
}

static void run_instant(void)
{
    for (int i = 0; i < BATCH; i++)
        sonde_marker_instant("cache miss", OTHER);
}

static void run_interval(void)
{
    for (int i = 0; i < BATCH; i++) {
        uint64_t start = sonde_now();
        sonde_marker_since(start, "cache miss", OTHER);
    }
}

static void run_scope(void)
{
    for (int i = 0; i < BATCH; i++) {
        SONDE_MARKER_SCOPE("load", "config.toml");
    }
}

static void run_typed(void)
{
    for (int i = 0; i < BATCH; i++) {
        uint64_t start = sonde_now();
        SONDE_MARKER_SINCE(start, request, "GET", NETWORK, .url = "https://example.org/", .status = 200, .size = 1234);
    }
}

static void run_mutex(void)
{
    for (int i = 0; i < BATCH; i++)
        ring_add("cache miss", clock_ns(CLOCK_MONOTONIC), 0);
}

static void run_mutex_interval(void)
{
    for (int i = 0; i < BATCH; i++) {
        uint64_t start = clock_ns(CLOCK_MONOTONIC);
        ring_add("cache miss", start, clock_ns(CLOCK_MONOTONIC));
    }
}

static const struct item {
    const char *name;
    void (*run)(void);
    bool recording;
} items[] = {
    {"clock", run_clock, true}, {"off", run_instant, false},      {"instant", run_instant, true},
    {"mutex", run_mutex, true}, {"interval", run_interval, true}, {"mutex interval", run_mutex_interval, true},
    {"scope", run_scope, true}, {"typed", run_typed, true},
};
enum { ITEMS = sizeof items / sizeof *items };

/* --- measuring --------------------------------------------------------------------------------------------------------- */

static struct {
    _Atomic(const struct item *) item;   /* NULL = the end */
    _Atomic unsigned round, ready, done; /* of the helper, which waits spinning: it has to be there at the same moment */
    double ns[THREADS_MAX];
} crew;

static void work(int thread)
{
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    atomic_load(&crew.item)->run();
    crew.ns[thread] = (double)(clock_ns(CLOCK_MONOTONIC) - start) / BATCH;
}

/* Each on a CPU of its own, where there are two. */
static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *helper(void *argument)
{
    sonde_thread_register("helper");
    pin(1);
    for (unsigned round = 1;; round++) {
        while (atomic_load(&crew.round) != round) /* asleep while the other works alone */
            usleep(100);
        atomic_store(&crew.ready, round);
        if (!atomic_load(&crew.item))
            break;
        work(1);
        atomic_store(&crew.done, round);
    }
    sonde_thread_unregister();
    return argument;
}

static double measure(const struct item *item, int threads)
{
    if (item->recording)
        sonde_resume();
    else
        sonde_pause();
    atomic_store(&crew.item, item);
    if (threads == 1) {
        work(0);
        return crew.ns[0];
    }
    unsigned round = atomic_fetch_add(&crew.round, 1) + 1;
    while (atomic_load(&crew.ready) != round)
        ;
    work(0);
    while (atomic_load(&crew.done) != round)
        ;
    return (crew.ns[0] + crew.ns[1]) / 2;
}

static double results[ITEMS][THREADS_MAX + 1][ROUNDS_MAX];

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    struct sonde_start_options options = {.size = sizeof options, .interval_ms = 10, .buffer_bytes = 1 << 20};
    int result = sonde_start(&options);
    if (result != 0) {
        fprintf(stderr, "marker: nothing can be recorded: %s\n", strerror(-result));
        return 1;
    }
    pin(0);
    pthread_t thread;
    pthread_create(&thread, NULL, helper, NULL);
    for (int round = -2; round < rounds; round++) /* the first two only warm up */
        for (size_t i = 0; i < ITEMS; i++)
            for (int threads = 1; threads <= THREADS_MAX; threads++) {
                double ns = measure(&items[i], threads);
                if (round >= 0)
                    results[i][threads][round] = ns;
            }
    atomic_store(&crew.item, NULL);
    atomic_fetch_add(&crew.round, 1);
    pthread_join(thread, NULL);
    sonde_stop();
    for (size_t i = 0; i < ITEMS; i++)
        for (int threads = 1; threads <= THREADS_MAX; threads++) {
            printf("{\"item\": \"%s\", \"threads\": %d, \"ns\": [", items[i].name, threads);
            for (int round = 0; round < rounds; round++)
                printf("%s%.2f", round ? ", " : "", results[i][threads][round]);
            printf("]}\n");
        }
    return 0;
}
