/* Allows itself hardly any system call, then computes for a second:
 *
 *     filtered raw|libc|strict tsync|alone return|_exit [code|no-handlers]
 *
 * Any other call than write, exit, exit_group and rt_sigreturn kills the process. `raw` installs the filter with an instruction
 * of its own, so that nobody who stands in front of the C library knows of it; `tsync` for all threads, of which there is then
 * another one that computes. `strict` is the kernel's own filter: read, write, exit, rt_sigreturn. With `code` the work after
 * the filter is called from code that no unwind table describes; with `no-handlers` rt_sigreturn kills, too. */
#include "burn.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static bool raw, without_handlers;

static long call(long number, long a, long b, long c, long d)
{
#ifdef __x86_64__
    if (raw) {
        long result;
        register long r10 __asm__("r10") = d;
        register long r8 __asm__("r8") = 0;
        __asm__ volatile("syscall"
                         : "=a"(result)
                         : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                         : "rcx", "r11", "memory");
        return result;
    }
#endif
    return number == SYS_prctl ? prctl((int)a, b, c, d, 0) : syscall(number, a, b, c, d);
}

static void filter_install(bool all_threads)
{
#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    struct sock_filter instructions[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_write),
        ALLOW(SYS_exit),
        ALLOW(SYS_exit_group),
        ALLOW(without_handlers ? SYS_exit : SYS_rt_sigreturn),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog filter = {.len = sizeof instructions / sizeof *instructions, .filter = instructions};
    check(call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0) == 0);
    if (all_threads)
        check(call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, (long)&filter, 0) == 0);
    else
        check(call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&filter, 0) == 0);
}

__attribute__((noinline, noclone)) static uint32_t work_before(uint32_t seed)
{
    return compute(seed, 50000000);
}

__attribute__((noinline, noclone)) static uint32_t work_after(uint32_t seed)
{
    return compute(seed, 500000000);
}

/* Calls its second argument with the first. */
uint32_t call_without_table(uint32_t value, uint32_t (*function)(uint32_t));
#ifdef __x86_64__
__asm__(".text\n"
        ".type call_without_table, @function\n"
        "call_without_table:\n"
        "    push %rbp\n"
        "    mov %rsp, %rbp\n"
        "    call *%rsi\n"
        "    pop %rbp\n"
        "    ret\n"
        ".size call_without_table, . - call_without_table\n");
#else
uint32_t call_without_table(uint32_t value, uint32_t (*function)(uint32_t))
{
    return function(value);
}
#endif

static void *work_beside(void *argument)
{
    for (;;)
        burn(100000);
    return argument;
}

int main(int argc, char **argv)
{
    check(argc == 4 || argc == 5);
    bool without_table = argc == 5 && strcmp(argv[4], "code") == 0;
    without_handlers = argc == 5 && !without_table;
    raw = strcmp(argv[1], "raw") == 0;
    bool strict = strcmp(argv[1], "strict") == 0, all_threads = strcmp(argv[2], "tsync") == 0;
    pthread_t thread;
    if (all_threads)
        check(pthread_create(&thread, NULL, work_beside, NULL) == 0);
    uint32_t value = work_before(7);
    if (strict)
        check(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) == 0);
    else
        filter_install(all_threads);
    value = without_table ? call_without_table(value, work_after) : work_after(value);
    char text[20];
    for (unsigned i = 0; i < 8; i++)
        text[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
    text[8] = '\n';
    if (write(STDOUT_FILENO, text, 9) != 9)
        return 1;
    if (strict)
        syscall(SYS_exit, 0);
    if (strcmp(argv[3], "_exit") == 0)
        _exit(0);
    return 0;
}
