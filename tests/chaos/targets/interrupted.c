/* Waits of every kind, in threads of their own. Many programs are not prepared for EINTR where they send themselves no signals;
 * this one is, and counts. It prints the number on standard error; all else is the same whether there were any or not. */
#include "check.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

enum kind { READ, POLL, SELECT, EPOLL, SEM_WAIT, SEM_TIMEDWAIT, NANOSLEEP, CLOCK_SLEEP, ACCEPT, RECV, MSGRCV, SEMOP, KINDS };

static unsigned turns = 60;
static unsigned pause_us = 7000;
static atomic_uint interrupted[KINDS];
static int pipes[KINDS][2], listener, queue, semaphores;
static sem_t posix_semaphores[2];
static struct sockaddr_un address = {.sun_family = AF_UNIX};

static struct timespec in_a_minute(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += 60;
    return time;
}

/* One call that waits. It says whether what was waited for has come. */
static bool wait_once(enum kind kind, int epoll)
{
    int fd = pipes[kind][0];
    char bytes[64];
    struct pollfd poller = {.fd = fd, .events = POLLIN};
    struct epoll_event event;
    struct timespec minute = in_a_minute();
    static _Thread_local struct timespec rest;
    struct sembuf down = {.sem_op = -1};
    fd_set set;
    switch (kind) {
    case READ:
        return read(fd, bytes, 1) == 1;
    case POLL:
        return poll(&poller, 1, 60000) == 1 && read(fd, bytes, 1) == 1;
    case SELECT:
        FD_ZERO(&set);
        FD_SET(fd, &set);
        return select(fd + 1, &set, NULL, NULL, NULL) == 1 && read(fd, bytes, 1) == 1;
    case EPOLL:
        return epoll_wait(epoll, &event, 1, 60000) == 1 && read(fd, bytes, 1) == 1;
    case SEM_WAIT:
        return sem_wait(&posix_semaphores[0]) == 0;
    case SEM_TIMEDWAIT:
        return sem_timedwait(&posix_semaphores[1], &minute) == 0;
    case NANOSLEEP:
        if (rest.tv_nsec == 0)
            rest.tv_nsec = (long)pause_us * 1000;
        if (nanosleep(&rest, &rest) != 0)
            return false;
        rest.tv_nsec = 0;
        return true;
    case CLOCK_SLEEP:
        rest.tv_nsec = (long)pause_us * 1000;
        errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, NULL);
        return errno == 0;
    case ACCEPT: {
        int client = accept(listener, NULL, NULL);
        if (client >= 0)
            close(client);
        return client >= 0;
    }
    case RECV:
        return recv(fd, bytes, 1, 0) == 1;
    case MSGRCV:
        return msgrcv(queue, bytes, 8, 0, 0) >= 0;
    case SEMOP:
        return semop(semaphores, &down, 1) == 0;
    case KINDS:
        break;
    }
    return false;
}

static void *wait_often(void *argument)
{
    enum kind kind = (enum kind)(uintptr_t)argument;
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    if (kind == EPOLL)
        check(epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[kind][0], &event) == 0);
    for (unsigned i = 0; i < turns; i++) {
        compute(i, 5000);
        while (!wait_once(kind, epoll)) {
            check(errno == EINTR);
            atomic_fetch_add(&interrupted[kind], 1);
        }
    }
    close(epoll);
    return NULL;
}

/* Lets every waiting thread take one turn. */
static void wake_all(void)
{
    static const enum kind files[] = {READ, POLL, SELECT, EPOLL, RECV};
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
        check(write(pipes[files[i]][1], "x", 1) == 1);
    check(sem_post(&posix_semaphores[0]) == 0);
    check(sem_post(&posix_semaphores[1]) == 0);
    struct {
        long type;
        char text[8];
    } message = {.type = 1};
    check(msgsnd(queue, &message, sizeof message.text, 0) == 0);
    struct sembuf up = {.sem_op = 1};
    check(semop(semaphores, &up, 1) == 0);
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    while (connect(client, (struct sockaddr *)&address, sizeof address) != 0)
        check(errno == EINTR);
    close(client);
}

/* interrupted [TURNS [PAUSE_US]] */
int main(int argc, char **argv)
{
    if (argc > 1)
        turns = (unsigned)atoi(argv[1]);
    if (argc > 2)
        pause_us = (unsigned)atoi(argv[2]);
    alarm(60 + turns * pause_us / 500000);
    for (unsigned i = 0; i < KINDS; i++)
        check(i == RECV ? socketpair(AF_UNIX, SOCK_STREAM, 0, pipes[i]) == 0 : pipe(pipes[i]) == 0);
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "sonde-chaos-%d", (int)getpid());
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    check(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 100) == 0);
    queue = msgget(IPC_PRIVATE, 0600);
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    check(queue >= 0 && semaphores >= 0);
    for (unsigned i = 0; i < 2; i++)
        check(sem_init(&posix_semaphores[i], 0, 0) == 0);
    pthread_t threads[KINDS];
    for (unsigned i = 0; i < KINDS; i++)
        check(pthread_create(&threads[i], NULL, wait_often, (void *)(uintptr_t)i) == 0);
    for (unsigned i = 0; i < turns; i++) {
        wake_all();
        usleep(pause_us);
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < KINDS; i++) {
        check(pthread_join(threads[i], NULL) == 0);
        sum += atomic_load(&interrupted[i]);
    }
    check(msgctl(queue, IPC_RMID, NULL) == 0 && semctl(semaphores, 0, IPC_RMID) == 0);
    static const char *const names[KINDS] = {"read",     "poll",          "select",    "epoll_wait",
                                             "sem_wait", "sem_timedwait", "nanosleep", "clock_nanosleep",
                                             "accept",   "recv",          "msgrcv",    "semop"};
    fprintf(stderr, "note: %u of %u waits were interrupted", sum, turns * KINDS);
    for (unsigned i = 0; i < KINDS; i++)
        if (atomic_load(&interrupted[i]))
            fprintf(stderr, ", %s %u", names[i], atomic_load(&interrupted[i]));
    fputc('\n', stderr);
    printf("%u waits\n", turns * KINDS);
    return 0;
}
