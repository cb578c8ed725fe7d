/* A stack of our own for what a signal handler does: the program's may be small (sigaltstack(), coroutines). */
#ifndef SONDE_CAPTURE_ROOMY_STACK_H
#define SONDE_CAPTURE_ROOMY_STACK_H

#include <stdint.h>

enum { ROOMY_STACK_BYTES = 64 << 10 };

/* Calls `function`, which returns, on the stack that ends at `top`, aligned to 16 bytes. */
static inline void roomy_stack_call(char *top, void (*function)(void *), void *data)
{
#if defined(__x86_64__)
    __asm__ volatile("movq %%rsp, %%rbx\n\t"
                     "movq %[top], %%rsp\n\t"
                     "call *%[function]\n\t"
                     "movq %%rbx, %%rsp"
                     : "+D"(data)
                     : [top] "r"(top), [function] "r"(function)
                     : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
                       "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory",
                       "cc");
#else
    (void)top;
    function(data);
#endif
}

#endif
