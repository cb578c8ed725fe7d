/* What eight blocked threads cost while they are recorded:
 *
 *     blocked SECONDS FILE
 *
 * After a second, in which a recording gets to know that nothing happens, writes to FILE what so many seconds took of this
 * process and of its parent. bench_blocked_itself has a recording of its own. */
#include "costs.h"
#include "itself.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int quiet[2], sockets[2];

/* Waits for what never comes, in another way for each thread. */
static void *block(void *argument)
{
    itself_register();
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

/* This thread waits at the same place before and while it is measured: else it would have a new stack to look at. */
static struct costs measure(unsigned seconds)
{
    static volatile unsigned turns = 2; /* so that the compiler does not make two calls of it */
    struct costs start = {0};
    for (unsigned i = 0; i < turns; i++) {
        start = costs_now();
        sleep(i == 0 ? 1 : seconds);
    }
    return costs_since(&start);
}

int main(int argc, char **argv)
{
    unsigned seconds = argc == 3 ? (unsigned)atoi(argv[1]) : 0;
    if (seconds == 0) {
        fputs("usage: blocked SECONDS FILE\n", stderr);
        return 2;
    }
    if (pipe(quiet) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0 || sem_init(&semaphore, 0, 0) != 0) {
        perror("blocked");
        return 1;
    }
    itself_start();
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, block, (void *)(uintptr_t)i) != 0)
            return 1;
    }
    struct costs costs = measure(seconds);
    itself_stop();
    FILE *out = costs_open(argv[2]);
    fputc('{', out);
    costs_print(out, &costs, 1);
    itself_print(out);
    fputs("}\n", out);
    fclose(out);
    return 0;
}
