/* Half of its CPU time is in code whose caller nobody can find: no unwind information, no frame pointer. All of it is one
 * stack. */
#include "chaos/targets/check.h"

#include <stdlib.h>

#ifdef __x86_64__
void work_lost(uint64_t rounds);
__asm__(".pushsection .text\n"
        ".globl work_lost\n"
        ".type work_lost, @function\n"
        "work_lost:\n"
        "    push %rbp\n"
        "    push %rbx\n"
        "    mov %rsp, %rbx\n"
        "    mov $1, %ebp\n"
        "    sub $4096, %rsp\n"
        "    and $-512, %rsp\n"
        "1:  imul $3, %rax, %rax\n"
        "    imul $3, %rax, %rax\n"
        "    dec %rdi\n"
        "    jnz 1b\n"
        "    mov %rbx, %rsp\n"
        "    pop %rbx\n"
        "    pop %rbp\n"
        "    ret\n"
        ".size work_lost, .-work_lost\n"
        ".popsection\n");

/* The same loop where callers can be found. */
__attribute__((noinline, noclone)) static void work_found(uint64_t rounds)
{
    __asm__ volatile("1:  imul $3, %%rax, %%rax\n"
                     "    imul $3, %%rax, %%rax\n"
                     "    dec %0\n"
                     "    jnz 1b\n"
                     : "+r"(rounds)
                     :
                     : "rax", "cc");
}

int main(void)
{
    for (unsigned i = 0; i < 100; i++) {
        work_found(3000000);
        work_lost(3000000);
    }
    puts("half of it lost");
    return 0;
}
#else
int main(void)
{
    return 77;
}
#endif
