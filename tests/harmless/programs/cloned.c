/* Forks as sandboxes do, behind the back of the C library, and then works in two threads of the child:
 *
 *     cloned clone|raw
 *
 * `clone` calls clone() with a stack of a page, which is left at once with longjmp(); `raw` makes the system call itself. The
 * child gives all signals their default action. Before that it asks whether there are filters of system calls, by calls that
 * have to fail. */
#include "burn.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static jmp_buf back;

static int jump_back(void *unused)
{
    (void)unused;
    longjmp(back, 1);
}

enum { MARK = 0x5a, UNUSED = 256 };
_Alignas(16) static char page[4096];

/* Whoever stands in front of clone() has not much of the page. */
static bool page_has_room(void)
{
    for (unsigned i = 0; i < UNUSED; i++)
        if (page[i] != MARK)
            return false;
    return true;
}

__attribute__((noinline, noclone)) static int clone_on_a_page(void)
{
    memset(page, MARK, sizeof page);
    return clone(jump_back, page + sizeof page, SIGCHLD, NULL);
}

static pid_t fork_by_clone(void)
{
    if (setjmp(back) == 0)
        return clone_on_a_page();
    check(page_has_room());
    return 0;
}

__attribute__((noinline, noclone)) static void work_in_child(void)
{
    burn(200000000);
}

static void *work_beside(void *argument)
{
    work_in_child();
    return argument;
}

static int child(void)
{
    pthread_t thread;
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        (void)signal(i, SIG_DFL);
    sigemptyset(&none);
    check(sigprocmask(SIG_SETMASK, &none, NULL) == 0);
    check(pthread_create(&thread, NULL, work_beside, NULL) == 0);
    work_in_child();
    check(pthread_join(thread, NULL) == 0);
    return 0;
}

int main(int argc, char **argv)
{
    check(argc == 2);
    check(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1 && errno == EFAULT);
    check(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == -1 && errno == EFAULT);
    bool raw = strcmp(argv[1], "raw") == 0;
    pid_t pid = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork_by_clone();
    check(pid >= 0);
    if (pid == 0)
        exit(child());
    int status;
    check(waitpid(pid, &status, 0) == pid);
    burn(50000000);
    printf("the child ended with %d, by signal %d\n", WEXITSTATUS(status), WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return 0;
}
