/* A program that becomes itself again and again, from different threads, while others run; what it inherits stays the same. */
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>

enum { GENERATIONS = 12 };

static char *next_words[3];

static void *stay_busy(void *argument)
{
    (void)argument;
    while (true)
        compute(1, 1000);
    return NULL;
}

static void *become_the_next(void *argument)
{
    (void)argument;
    if (atoi(next_words[1]) % 3 == 0)
        check(syscall(SYS_execve, "/proc/self/exe", next_words, environ) == 0);
    check(execv("/proc/self/exe", next_words) == 0);
    return NULL;
}

/* Signals that are blocked or ignored, and how many descriptors are open: all of it survives exec. */
static void print_inherited(int generation)
{
    sigset_t blocked;
    check(pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0);
    printf("%d:", generation);
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigismember(&blocked, number) == 1)
            printf(" %d is blocked", number);
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            printf(" %d is ignored", number);
    }
    for (int fd = 3; fd < 20; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags >= 0 && !(flags & FD_CLOEXEC))
            printf(" %d is open", fd);
    }
    putchar('\n');
    fflush(stdout);
}

int main(int argc, char **argv)
{
    alarm(240);
    int generation = argc > 1 ? atoi(argv[1]) : 0;
    if (generation == 0) {
        check(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
        sigset_t blocked;
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGWINCH);
        check(pthread_sigmask(SIG_BLOCK, &blocked, NULL) == 0);
    }
    print_inherited(generation);
    if (generation == GENERATIONS)
        return 5;
    char number[12];
    snprintf(number, sizeof number, "%d", generation + 1);
    next_words[0] = argv[0];
    next_words[1] = number;
    pthread_t busy[3], next;
    for (unsigned i = 0; i < 3; i++)
        check(pthread_create(&busy[i], NULL, stay_busy, NULL) == 0);
    usleep(generation % 4 == 0 ? 0 : 20000);
    if (generation % 2)
        check(pthread_create(&next, NULL, become_the_next, NULL) == 0);
    else
        become_the_next(NULL);
    stay_busy(NULL);
}
