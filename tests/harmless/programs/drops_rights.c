/* Children that change their user and group, as servers do that root starts: each call has the C library signal every other
 * thread of the process and wait for its answer. Once in a child with a thread of its own, once in one without, and in the
 * program itself. Without root it is the user that they already are, which takes the same way. */
#include "burn.h"

#include <pthread.h>
#include <sys/wait.h>

static void *work(void *argument)
{
    (void)argument;
    for (;;)
        burn(100000);
    return NULL;
}

static void *wait_for_ever(void *argument)
{
    (void)argument;
    for (;;)
        pause();
    return NULL;
}

static void threads_make(void)
{
    pthread_t thread;
    check(pthread_create(&thread, NULL, work, NULL) == 0);
    check(pthread_create(&thread, NULL, wait_for_ever, NULL) == 0);
}

static void drop_rights(void)
{
    bool root = getuid() == 0;
    check(setgid(root ? 65534 : getgid()) == 0);
    check(setuid(root ? 65534 : getuid()) == 0);
    check(!root || (getuid() == 65534 && getegid() == 65534));
}

static void child_run(bool with_threads)
{
    pid_t child = fork();
    check(child >= 0);
    if (child == 0) {
        if (with_threads)
            threads_make();
        burn(20000000);
        drop_rights();
        burn(20000000);
        _exit(5);
    }
    int status;
    check(waitpid(child, &status, 0) == child);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

int main(void)
{
    child_run(false);
    threads_make();
    burn(50000000);
    child_run(false);
    child_run(true);
    drop_rights();
    puts("all rights dropped");
    return 0;
}
