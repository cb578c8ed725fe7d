/* Runs a command in which perf_event_open() is refused with EACCES, as in most containers and under kernel.perf_event_paranoid
 * of 3 and more:
 *
 *     refuse_events COMMAND [ARGUMENT...]
 *
 * The filter holds for everything that the command starts, and takes the right to gain privileges by exec (set-user-ID
 * programs). */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: refuse_events COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    struct sock_filter instructions[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof instructions / sizeof *instructions, .filter = instructions};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        fprintf(stderr, "refuse_events: %s\n", strerror(errno));
        return 125;
    }
    execvp(argv[1], argv + 1);
    fprintf(stderr, "refuse_events: %s: %s\n", argv[1], strerror(errno));
    return 127;
}
