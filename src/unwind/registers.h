/* The registers an unwinder follows: those that a frame address is ever computed from, and those that callees save.
 *
 * A register can be unknown: from `/proc/…/syscall` come only pc and sp, and a caller-saved register is lost after one step. */
#ifndef SONDE_UNWIND_REGISTERS_H
#define SONDE_UNWIND_REGISTERS_H

#include <stdint.h>

#if defined(__x86_64__)
/* As DWARF numbers them, so that a rule can name them: rbx 3, rbp 6, rsp 7, r8–r15; pc (16) is the return address. */
enum { UNWIND_REGISTER_COUNT = 17, UNWIND_SP = 7, UNWIND_FP = 6, UNWIND_PC = 16 };
#elif defined(__aarch64__)
/* x0–x30, sp (31), pc (32). */
enum { UNWIND_REGISTER_COUNT = 33, UNWIND_SP = 31, UNWIND_FP = 29, UNWIND_LR = 30, UNWIND_PC = 32 };
#else
#error "Sonde unwinds x86-64 and aarch64 only"
#endif

struct unwind_registers {
    uint64_t known; /* bit i: value[i] is known */
    uint64_t value[UNWIND_REGISTER_COUNT];
};

#define UNWIND_ALL_KNOWN (((uint64_t)1 << UNWIND_REGISTER_COUNT) - 1)

/* Where each register is in a ucontext_t, in bytes. */
extern const uint16_t unwind_context_places[UNWIND_REGISTER_COUNT];

/* What the arguments of a system call come in, in their order. */
enum { UNWIND_CALL_ARGUMENTS = 6 };
extern const uint8_t unwind_call_registers[UNWIND_CALL_ARGUMENTS];

/* All registers as a signal handler gets them in its third argument (a ucontext_t). */
void unwind_registers_from_context(struct unwind_registers *registers, const void *ucontext);

/* Only these two are known. */
void unwind_registers_from_pc_sp(struct unwind_registers *registers, uint64_t pc, uint64_t sp);

/* Of a thread in a system call, the registers that its arguments came in are known, too: calls do not change them. vfork() of
 * the GNU C library keeps its return address in one. */
void unwind_registers_add_call(struct unwind_registers *registers, const uint64_t arguments[UNWIND_CALL_ARGUMENTS]);

/* The caller's own registers at the point of the call, enough to unwind from it: for stacks of markers. */
void unwind_registers_here(struct unwind_registers *registers);

#endif
