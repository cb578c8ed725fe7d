/* Allows itself what threads and forks of the C library need, and nothing else, then makes threads and a child.
 *
 *     shut_in prctl|syscall
 *
 * Any other system call kills the process. */
#include "burn.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void shut_in(bool by_prctl)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_write),
        ALLOW(SYS_exit),
        ALLOW(SYS_exit_group),
        ALLOW(SYS_futex),
        ALLOW(SYS_rt_sigreturn),
        ALLOW(SYS_clone3),
        ALLOW(SYS_clone),
        ALLOW(SYS_mmap),
        ALLOW(SYS_munmap),
        ALLOW(SYS_mprotect),
        ALLOW(SYS_madvise),
        ALLOW(SYS_brk),
        ALLOW(SYS_rseq),
        ALLOW(SYS_set_robust_list),
        ALLOW(SYS_rt_sigprocmask),
        ALLOW(SYS_wait4),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog filter = {.len = sizeof steps / sizeof *steps, .filter = steps};
    check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    if (by_prctl)
        check(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
    else
        check(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0);
}

static void *work(void *argument)
{
    burn(20000000);
    return argument;
}

static void make_threads(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (unsigned i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
}

int main(int argc, char **argv)
{
    check(argc == 2);
    make_threads();
    shut_in(strcmp(argv[1], "prctl") == 0);
    make_threads();
    pid_t child = fork();
    check(child >= 0);
    if (child == 0) {
        make_threads();
        _exit(9);
    }
    int status;
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 9);
    static const char done[] = "done\n";
    return write(STDOUT_FILENO, done, sizeof done - 1) > 0 ? 0 : 1;
}
