/* syscall(), which libsonde-preload stands in front of for the sake of three calls: a program that replaces itself with
 * syscall(SYS_execve, …) must not leave a signal of ours to the next one, as with execve(); and before one allows itself only
 * some calls, with syscall(SYS_seccomp, …), we have to know.
 *
 * All others must be what they are in the C library, to the instruction: some return on another stack, or twice on the same. So
 * it is done as there, without a frame, and the first two go on to a function of C, which finds its arguments where syscall()
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

__attribute__((used)) static void preload_before_seccomp(long number, unsigned operation)
{
    (void)number;
    int saved_errno = errno;
    if (operation == SECCOMP_SET_MODE_STRICT || operation == SECCOMP_SET_MODE_FILTER)
        preload_shut_in(operation == SECCOMP_SET_MODE_STRICT);
    errno = saved_errno;
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
        "    jne 2f\n"
        "3:  push %rdi\n"
        "    push %rsi\n"
        "    push %rdx\n"
        "    push %rcx\n"
        "    push %r8\n"
        "    push %r9\n"
        "    sub $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 56\n"
        "    call preload_before_seccomp\n"
        "    add $8, %rsp\n"
        "    pop %r9\n"
        "    pop %r8\n"
        "    pop %rcx\n"
        "    pop %rdx\n"
        "    pop %rsi\n"
        "    pop %rdi\n"
        "    .cfi_adjust_cfa_offset -56\n"
        "2:  mov %rdi, %rax\n"
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
