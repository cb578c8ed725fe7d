/* A program that changes its signal masks in handlers, and leaves those in all ways there are, and asks what they are
 * afterwards: in itself, in threads and in programs that it starts. */
#include "check.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

static sigset_t all;

static void print_mask(const char *where)
{
    sigset_t now;
    check(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
    printf("%s:", where);
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&now, number) == 1)
            printf(" %d", number);
    printf("\n");
    fflush(stdout);
}

static void await_program(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) != child)
        check(errno == EINTR);
    check(status == 0);
}

static void print_masks_of_programs(void)
{
    char *arguments[] = {"/proc/self/exe", "in a program", NULL};
    pid_t child = fork();
    check(child >= 0);
    if (child == 0) {
        execv(*arguments, arguments);
        _exit(1);
    }
    await_program(child);
    child = vfork();
    check(child >= 0);
    if (child == 0) {
        execv(*arguments, arguments);
        _exit(1);
    }
    await_program(child);
    check(posix_spawn(&child, *arguments, NULL, NULL, arguments, environ) == 0);
    await_program(child);
}

static void *in_thread(void *argument)
{
    print_mask(argument);
    return NULL;
}

static void print_masks(const char *where)
{
    pthread_t thread;
    print_mask(where);
    check(pthread_create(&thread, NULL, in_thread, "in a thread") == 0);
    check(pthread_join(thread, NULL) == 0);
    print_masks_of_programs();
}

static void change_and_restore(int number)
{
    (void)number;
    sigset_t before;
    check(pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
    compute(1, 2000000);
    check(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
}

static void change(int number)
{
    (void)number;
    check(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
    compute(1, 2000000);
}

static void handle(void (*handler)(int), bool blocks_all)
{
    struct sigaction action = {.sa_handler = handler};
    if (blocks_all)
        action.sa_mask = all;
    check(sigaction(SIGUSR1, &action, NULL) == 0);
    for (int i = 0; i < 20; i++) {
        check(pthread_kill(pthread_self(), SIGUSR1) == 0);
        compute(1, 2000000);
    }
}

int main(int argc, char **argv)
{
    alarm(240);
    if (argc > 1) {
        print_mask(argv[1]);
        return 0;
    }
    sigfillset(&all);
    print_masks("at first");
    handle(change_and_restore, true);
    print_masks("after handlers that restore it");
    handle(change, true);
    print_masks("after handlers that block all");
    handle(change, false);
    print_masks("after handlers that block all themselves");
    sigjmp_buf place;
    if (sigsetjmp(place, 1) == 0) {
        check(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
        siglongjmp(place, 1);
    }
    print_masks("after a jump");
    sigset_t some = all;
    sigdelset(&some, SIGUSR1);
    check(pthread_sigmask(SIG_SETMASK, &some, NULL) == 0);
    handle(change_and_restore, true);
    print_masks("where all but one is blocked");
    check(pthread_sigmask(SIG_UNBLOCK, &all, NULL) == 0);
    handle(change_and_restore, false);
    print_masks("and none");
    return 0;
}
