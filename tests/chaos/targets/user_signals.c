/* SIGUSR1 and SIGUSR2 as a program's own: two threads and two processes that play ping-pong with them, and wait for each other
 * in all calls that let signals in meanwhile. */
#include "check.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>

enum { TURNS = 8000 };

static volatile sig_atomic_t pings, pongs;
static pthread_t players[2];
static sigset_t while_waiting;
static int no_files; /* an epoll that knows of none */

static void on_ping(int number)
{
    (void)number;
    pings++;
}

static void on_pong(int number)
{
    (void)number;
    pongs++;
}

/* What ppoll() is with _FORTIFY_SOURCE. */
int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *set, size_t room);

static void wait_for_signal(int turn)
{
    struct epoll_event none;
    int result;
    switch (turn % 5) {
    case 0:
        result = sigsuspend(&while_waiting);
        break;
    case 1:
        result = ppoll(NULL, 0, NULL, &while_waiting);
        break;
    case 2:
        result = __ppoll_chk(NULL, 0, NULL, &while_waiting, 0);
        break;
    case 3:
        result = pselect(0, NULL, NULL, NULL, NULL, &while_waiting);
        break;
    default:
        result = epoll_pwait(no_files, &none, 1, -1, &while_waiting);
    }
    check(result == -1 && errno == EINTR);
}

static void *answer(void *argument)
{
    (void)argument;
    for (int i = 1; i <= TURNS; i++) {
        while (pings < i)
            wait_for_signal(i);
        check(pthread_kill(players[0], SIGUSR2) == 0);
    }
    return NULL;
}

static void answer_from_child(pid_t parent)
{
    for (int i = 1; i <= TURNS / 4; i++) {
        while (pings < i)
            wait_for_signal(i);
        check(kill(parent, SIGUSR2) == 0);
    }
    exit(0);
}

int main(void)
{
    alarm(240);
    sigset_t users;
    sigemptyset(&users);
    sigaddset(&users, SIGUSR1);
    sigaddset(&users, SIGUSR2);
    check(pthread_sigmask(SIG_BLOCK, &users, &while_waiting) == 0);
    check(signal(SIGUSR1, on_ping) != SIG_ERR && signal(SIGUSR2, on_pong) != SIG_ERR);
    check((no_files = epoll_create1(EPOLL_CLOEXEC)) >= 0);
    players[0] = pthread_self();
    check(pthread_create(&players[1], NULL, answer, NULL) == 0);
    for (int i = 1; i <= TURNS; i++) {
        check(pthread_kill(players[1], SIGUSR1) == 0);
        while (pongs < i)
            wait_for_signal(i);
        check(pings == i && pongs == i);
    }
    check(pthread_join(players[1], NULL) == 0);
    pings = pongs = 0;
    pid_t parent = getpid(), child = fork();
    check(child >= 0);
    if (child == 0)
        answer_from_child(parent);
    for (int i = 1; i <= TURNS / 4; i++) {
        check(kill(child, SIGUSR1) == 0);
        while (pongs < i)
            wait_for_signal(i);
    }
    int status;
    while (waitpid(child, &status, 0) != child)
        check(errno == EINTR);
    check(status == 0);
    printf("%d turns\n", TURNS + TURNS / 4);
    return 0;
}
