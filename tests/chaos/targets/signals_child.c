/* A forked child makes a signalfd when it has run for a while, and reads from it what its parent sends: with the number that a
 * profiler takes first, and then with the next. */
#include "check.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

enum { TURNS = 3, MANY = 5 };

static int number(int which)
{
    return SIGRTMIN + (SIGRTMAX - SIGRTMIN + 1) * 2 / 3 + which;
}

static void read_all(int fd, int ready)
{
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < 20; i++) {
            compute(1, 1000000);
            usleep(500);
        }
        check(write(ready, "r", 1) == 1);
        for (int i = 0; i < MANY; i++) {
            struct signalfd_siginfo info;
            ssize_t size;
            while ((size = read(fd, &info, sizeof info)) < 0)
                check(errno == EINTR);
            if (info.ssi_signo != (uint32_t)number(turn))
                fprintf(stderr, "signal %u came, and not %d\n", info.ssi_signo, number(turn));
            check(size == (ssize_t)sizeof info && info.ssi_signo == (uint32_t)number(turn));
        }
    }
}

int main(void)
{
    alarm(60);
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGALRM);
    sigdelset(&all, SIGCHLD);
    check(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
    int ready[2];
    check(pipe(ready) == 0);
    pid_t child = fork();
    check(child >= 0);
    if (child == 0) {
        alarm(60);
        compute(1, 20000000);
        int fd = signalfd(-1, &all, SFD_CLOEXEC);
        check(fd >= 0);
        read_all(fd, ready[1]);
        _exit(0);
    }
    for (int turn = 0; turn < TURNS; turn++) {
        char byte;
        while (read(ready[0], &byte, 1) != 1)
            check(errno == EINTR);
        for (int i = 0; i < MANY; i++)
            check(sigqueue(child, number(turn), (union sigval){0}) == 0);
    }
    int status;
    while (waitpid(child, &status, 0) != child)
        check(errno == EINTR);
    check(status == 0);
    printf("%d signals to a child\n", TURNS * MANY);
    return 0;
}
