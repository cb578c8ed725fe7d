/* Children by vfork() that forbid themselves some system calls, and become another program or end; then a thread works.
 *
 * A call that this program does not make, and Sonde could make in the children, kills them. */
#include "burn.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define KILL(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static void shut_in(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef SYS_readlink
        KILL(SYS_readlink),
#endif
        KILL(SYS_readlinkat),
        KILL(SYS_socket),
        KILL(SYS_sendto),
        KILL(SYS_timer_create),
        KILL(SYS_fallocate),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof steps / sizeof *steps, .filter = steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        _exit(99);
}

static int status_of(pid_t child)
{
    int status;
    check(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

__attribute__((noinline, noclone)) static void work_in_thread(void)
{
    burn(300000000);
}

static void *thread_main(void *argument)
{
    work_in_thread();
    return argument;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return 7;
    /* Relative: where it is has to be looked up by whoever wants to know. */
    char *const words[] = {argv[0], "again", NULL};
    check(chdir("/") == 0);
    pid_t child = vfork();
    if (child == 0) {
        shut_in();
        execv("./nothing", words); /* fails, and the child is as shut in as before */
        execv(argv[0] + 1, words);
        _exit(98);
    }
    printf("became another program: %d\n", status_of(child));
    child = vfork();
    if (child == 0) {
        shut_in();
        _exit(8);
    }
    printf("ended: %d\n", status_of(child));
    pthread_t thread;
    check(pthread_create(&thread, NULL, thread_main, NULL) == 0);
    check(pthread_join(thread, NULL) == 0);
    return 0;
}
