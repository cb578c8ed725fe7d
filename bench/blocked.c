/* What eight blocked threads cost while they are recorded at 1 kHz: the CPU time of the whole process, as a share of one core.
 *
 *     blocked ROUNDS
 *
 * A round is a second without a recording, one with a thread that only wakes at 1 kHz, and one with a recording, each after
 * half a second of the same. Prints the shares of each in percent, and what became of the samples. */
#include "recording.h"

#define SONDE_LINKED
#include "sonde/sonde.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS_MAX = 100 };

static double read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int quiet[2], sockets[2];

/* Waits for what never comes, in another way for each thread. */
static void *block(void *argument)
{
    sonde_thread_register("blocked");
    struct pollfd poller = {.fd = quiet[0], .events = POLLIN};
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    epoll_ctl(epoll, EPOLL_CTL_ADD, quiet[0], &event);
    struct timespec day = {86400, 0};
    char byte;
    for (;;)
        switch ((uintptr_t)argument) {
        case 0:
            (void)!read(quiet[0], &byte, 1);
            break;
        case 1:
            poll(&poller, 1, -1);
            break;
        case 2:
            epoll_wait(epoll, &event, 1, -1);
            break;
        case 3:
            nanosleep(&day, NULL);
            break;
        case 4:
            sem_wait(&semaphore);
            break;
        case 5:
            pthread_mutex_lock(&mutex);
            pthread_cond_wait(&condition, &mutex);
            pthread_mutex_unlock(&mutex);
            break;
        case 6:
            recv(sockets[0], &byte, 1, 0);
            break;
        default:
            select(0, NULL, NULL, NULL, NULL);
        }
    return NULL;
}

static atomic_bool waking;

static void *wake(void *argument)
{
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    while (atomic_load(&waking)) {
        next.tv_nsec += 1000000;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    return argument;
}

/* Percent of a core, over a second, after half a second in which a recording gets to know that nothing happens. This thread
 * waits at the same place in both. */
static double share(void)
{
    static volatile unsigned turns = 2; /* so that the compiler does not make two calls of it */
    double cpu = 0, start = 0;
    for (unsigned i = 0; i < turns; i++) {
        cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
        start = read_clock(CLOCK_MONOTONIC);
        usleep(500000u << i);
    }
    return (read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (read_clock(CLOCK_MONOTONIC) - start) * 100;
}

static double share_of_waking(void)
{
    pthread_t waker;
    atomic_store(&waking, true);
    pthread_create(&waker, NULL, wake, NULL);
    double result = share();
    atomic_store(&waking, false);
    pthread_join(waker, NULL);
    return result;
}

static double share_of_recording(struct recorded *recorded)
{
    recording_start(1, 0);
    double result = share();
    recording_stop(recorded);
    return result;
}

static void print(const char *name, const double *values, unsigned count)
{
    printf("\"%s\": [", name);
    for (unsigned i = 0; i < count; i++)
        printf("%s%.4f", i ? ", " : "", values[i]);
    fputs("], ", stdout);
}

int main(int argc, char **argv)
{
    unsigned rounds = argc == 2 ? (unsigned)atoi(argv[1]) : 0;
    if (rounds == 0 || rounds > ROUNDS_MAX) {
        fputs("usage: blocked ROUNDS\n", stderr);
        return 2;
    }
    if (pipe(quiet) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0 || sem_init(&semaphore, 0, 0) != 0) {
        perror("blocked");
        return 1;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, block, (void *)(uintptr_t)i) != 0)
            return 1;
    }
    usleep(100000);
    double nothing[ROUNDS_MAX], woken[ROUNDS_MAX], recording[ROUNDS_MAX];
    struct recorded recorded = {0};
    for (unsigned i = 0; i < rounds; i++) {
        nothing[i] = share();
        woken[i] = share_of_waking();
        recording[i] = share_of_recording(&recorded);
    }
    putchar('{');
    print("nothing", nothing, rounds);
    print("waking", woken, rounds);
    print("recording", recording, rounds);
    recorded_print_figures(&recorded);
    puts("}");
    return 0;
}
