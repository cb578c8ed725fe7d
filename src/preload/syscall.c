/* syscall(), which libsonde-preload stands in front of for the sake of three calls: a program that replaces itself with
 * syscall(SYS_execve, …) must not leave a signal of ours to the next one, as with execve(); and before one allows itself only
 * some calls, with syscall(SYS_seccomp, …), we have to know.
 *
 * All others must be what they are in the C library, to the instruction: some return on another stack, or twice on the same. So
 * it is done as there, without a frame, and these three go on to a function of C, which finds its arguments where syscall()
 * has them. */
#include "preload/preload.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

__attribute__((used)) static long preload_execve(long number, const char *path, char *const arguments[],
                                                 char *const environment[])
{
    (void)number;
    return execve(path, arguments, environment);
}

__attribute__((used)) static long preload_execveat(long number, int folder, const char *path, char *const arguments[],
                                                   char *const environment[], int flags)
{
    (void)number;
    return execveat(folder, path, arguments, environment, flags);
}

/* Programs ask by a call that has to fail (a NULL filter) what the kernel can do: then there is no filter. */
__attribute__((used)) static long preload_seccomp(long number, unsigned operation, unsigned flags, void *arguments)
{
    struct shut_in before = {0};
    if (operation == SECCOMP_SET_MODE_STRICT || operation == SECCOMP_SET_MODE_FILTER)
        before = preload_shut_in(operation == SECCOMP_SET_MODE_STRICT ? NULL : arguments, flags & SECCOMP_FILTER_FLAG_TSYNC);
    long result = REAL(syscall)(number, operation, flags, arguments);
    if (result < 0)
        preload_shut_in_failed(before);
    return result;
}

__attribute__((used)) static long preload_call_failed(long result)
{
    errno = (int)-result;
    return -1;
}

#if defined(__x86_64__)

__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    cmp $59, %rdi\n" /* execve */
        "    je preload_execve\n"
        "    cmp $322, %rdi\n" /* execveat */
        "    je preload_execveat\n"
        "    cmp $317, %rdi\n" /* seccomp */
        "    je preload_seccomp\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n"
        "    mov %r9, %r8\n"
        "    mov 8(%rsp), %r9\n"
        "    syscall\n"
        "    cmp $-4095, %rax\n"
        "    jae 1f\n"
        "    ret\n"
        "1:  mov %rax, %rdi\n"
        "    jmp preload_call_failed\n"
        "    .cfi_endproc\n"
        ".size syscall, . - syscall\n");

#elif defined(__aarch64__)

__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, %function\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    hint #34\n"     /* bti c */
        "    cmp x0, #221\n" /* execve */
        "    b.eq preload_execve\n"
        "    cmp x0, #281\n" /* execveat */
        "    b.eq preload_execveat\n"
        "    cmp x0, #277\n" /* seccomp */
        "    b.eq preload_seccomp\n"
        "    mov x8, x0\n"
        "    mov x0, x1\n"
        "    mov x1, x2\n"
        "    mov x2, x3\n"
        "    mov x3, x4\n"
        "    mov x4, x5\n"
        "    mov x5, x6\n"
        "    mov x6, x7\n"
        "    svc #0\n"
        "    cmn x0, #4095\n"
        "    b.cs 1f\n"
        "    ret\n"
        "1:  b preload_call_failed\n"
        "    .cfi_endproc\n"
        ".size syscall, . - syscall\n");

#endif
