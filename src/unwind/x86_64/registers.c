#include "unwind/registers.h"

#include <stddef.h>
#include <ucontext.h>

#define PLACE(name) offsetof(ucontext_t, uc_mcontext.gregs[REG_##name])
const uint16_t unwind_context_places[UNWIND_REGISTER_COUNT] = {
    PLACE(RAX), PLACE(RDX), PLACE(RCX), PLACE(RBX), PLACE(RSI), PLACE(RDI), PLACE(RBP), PLACE(RSP), PLACE(R8),
    PLACE(R9),  PLACE(R10), PLACE(R11), PLACE(R12), PLACE(R13), PLACE(R14), PLACE(R15), PLACE(RIP),
};

/* rdi, rsi, rdx, r10, r8, r9 */
const uint8_t unwind_call_registers[UNWIND_CALL_ARGUMENTS] = {5, 4, 1, 10, 8, 9};

/* In assembly, because a compiler may already have changed what a C function would look at. rsp is what it will be after the
 * return, the pc is where the call returns to. known: rbx, rbp, rsp, r12–r15, pc. */
_Static_assert(offsetof(struct unwind_registers, value) == 8 && sizeof(struct unwind_registers) == 8 + 17 * 8, "as used below");
__asm__(".pushsection .text\n"
        ".globl unwind_registers_here\n"
        ".hidden unwind_registers_here\n"
        ".type unwind_registers_here, @function\n"
        "unwind_registers_here:\n"
        ".cfi_startproc\n"
        "    movq $0x1f0c8, (%rdi)\n"
        "    movq %rbx, 8+8*3(%rdi)\n"
        "    movq %rbp, 8+8*6(%rdi)\n"
        "    leaq 8(%rsp), %rax\n"
        "    movq %rax, 8+8*7(%rdi)\n"
        "    movq %r12, 8+8*12(%rdi)\n"
        "    movq %r13, 8+8*13(%rdi)\n"
        "    movq %r14, 8+8*14(%rdi)\n"
        "    movq %r15, 8+8*15(%rdi)\n"
        "    movq (%rsp), %rax\n"
        "    movq %rax, 8+8*16(%rdi)\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size unwind_registers_here, . - unwind_registers_here\n"
        ".popsection\n");
