#include "unwind/registers.h"

#include <stddef.h>
#include <ucontext.h>

#define PLACE(n) offsetof(ucontext_t, uc_mcontext.regs[n])
const uint16_t unwind_context_places[UNWIND_REGISTER_COUNT] = {
    PLACE(0),
    PLACE(1),
    PLACE(2),
    PLACE(3),
    PLACE(4),
    PLACE(5),
    PLACE(6),
    PLACE(7),
    PLACE(8),
    PLACE(9),
    PLACE(10),
    PLACE(11),
    PLACE(12),
    PLACE(13),
    PLACE(14),
    PLACE(15),
    PLACE(16),
    PLACE(17),
    PLACE(18),
    PLACE(19),
    PLACE(20),
    PLACE(21),
    PLACE(22),
    PLACE(23),
    PLACE(24),
    PLACE(25),
    PLACE(26),
    PLACE(27),
    PLACE(28),
    PLACE(29),
    PLACE(30),
    [UNWIND_SP] = offsetof(ucontext_t, uc_mcontext.sp),
    [UNWIND_PC] = offsetof(ucontext_t, uc_mcontext.pc),
};

const uint8_t unwind_call_registers[UNWIND_CALL_ARGUMENTS] = {0, 1, 2, 3, 4, 5};

/* In assembly, because a compiler may already have changed what a C function would look at. The pc is where the call returns
 * to, which is what the call has put into x30: the caller's own is not known. known: x19–x29, sp, pc. */
_Static_assert(offsetof(struct unwind_registers, value) == 8 && sizeof(struct unwind_registers) == 8 + 33 * 8, "as used below");
__asm__(".pushsection .text\n"
        ".globl unwind_registers_here\n"
        ".hidden unwind_registers_here\n"
        ".type unwind_registers_here, %function\n"
        ".balign 4\n"
        "unwind_registers_here:\n"
        ".cfi_startproc\n"
        "    hint #34\n" /* bti c */
        "    mov x9, #0xbff80000\n"
        "    movk x9, #1, lsl #32\n"
        "    str x9, [x0]\n"
        "    stp x19, x20, [x0, #8 + 8 * 19]\n"
        "    stp x21, x22, [x0, #8 + 8 * 21]\n"
        "    stp x23, x24, [x0, #8 + 8 * 23]\n"
        "    stp x25, x26, [x0, #8 + 8 * 25]\n"
        "    stp x27, x28, [x0, #8 + 8 * 27]\n"
        "    str x29, [x0, #8 + 8 * 29]\n"
        "    mov x9, sp\n"
        "    str x9, [x0, #8 + 8 * 31]\n"
        "    str x30, [x0, #8 + 8 * 32]\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size unwind_registers_here, . - unwind_registers_here\n"
        ".popsection\n");
