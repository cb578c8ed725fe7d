/* The same, taken through a signalfd with every signal in it; and waits that change the mask: ppoll, pselect, epoll_pwait. */
#include "check.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <time.h>

enum { TIMES = 600, TURNS = 120 };

static int messages[2];

static void *send_signals(void *argument)
{
    (void)argument;
    for (int i = 0; i < TIMES; i++) {
        union sigval value = {.sival_int = i};
        while (sigqueue(getpid(), SIGRTMAX, value) != 0) {
            check(errno == EAGAIN);
            usleep(100);
        }
        if (i % 20 == 0)
            usleep(2000);
    }
    return NULL;
}

static void *send_messages(void *argument)
{
    (void)argument;
    for (int i = 0; i < TURNS; i++) {
        usleep(1500);
        check(write(messages[1], "m", 1) == 1);
    }
    return NULL;
}

static bool wait_masked(int turn, int epoll, const sigset_t *mask)
{
    struct timespec second = {1, 0};
    if (turn % 3 == 0) {
        struct pollfd poll = {.fd = messages[0], .events = POLLIN};
        return ppoll(&poll, 1, &second, mask) == 1;
    }
    if (turn % 3 == 1) {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(messages[0], &set);
        return pselect(messages[0] + 1, &set, NULL, NULL, &second, mask) == 1;
    }
    struct epoll_event event;
    return epoll_pwait(epoll, &event, 1, 1000, mask) == 1;
}

static void *wait_for_messages(void *argument)
{
    sigset_t all;
    sigfillset(&all);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    check(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, messages[0], &event) == 0);
    for (int i = 0; i < TURNS; i++) {
        while (!wait_masked(i, epoll, &all))
            check(errno == EINTR);
        char byte;
        check(read(messages[0], &byte, 1) == 1);
        ++*(int *)argument;
    }
    close(epoll);
    return NULL;
}

int main(void)
{
    alarm(240);
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGALRM);
    check(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    int fd = signalfd(-1, &all, SFD_CLOEXEC), got = 0, received = 0;
    check(fd >= 0 && pipe(messages) == 0);
    pthread_t sender, speaker, waiter;
    check(pthread_create(&sender, NULL, send_signals, NULL) == 0);
    check(pthread_create(&waiter, NULL, wait_for_messages, &received) == 0);
    check(pthread_create(&speaker, NULL, send_messages, NULL) == 0);
    while (got < TIMES) {
        struct signalfd_siginfo info;
        ssize_t size = read(fd, &info, sizeof info);
        if (size < 0 && errno == EINTR)
            continue;
        check(size == sizeof info);
        if (info.ssi_signo != (uint32_t)SIGRTMAX)
            fprintf(stderr, "signal %u came, and nobody sent it\n", info.ssi_signo);
        check(info.ssi_signo == (uint32_t)SIGRTMAX && info.ssi_int == got);
        got++;
        compute(1, 20000);
    }
    check(pthread_join(sender, NULL) == 0);
    check(pthread_join(speaker, NULL) == 0);
    check(pthread_join(waiter, NULL) == 0);
    printf("%d signals through a file, %d messages\n", got, received);
    return 0;
}
