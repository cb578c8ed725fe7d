/* Applies the rules of this CPU. In a header, so that the loop over the frames is one piece of code. */
#ifndef SONDE_UNWIND_AARCH64_STEP_H
#define SONDE_UNWIND_AARCH64_STEP_H

#include "unwind/aarch64/rule.h"
#include "unwind/end.h"
#include "unwind/memory.h"
#include "unwind/registers.h"

/* Registers that a called function gives back unchanged: x19–x29, sp; and the pc. x30 is not: a call overwrites it. */
#define STEP_KEPT_BY_CALLS 0x1bff80000u
#define STEP_OTHERS_SAVED 0x1ff80000u /* x19–x28 */

/* All code keeps frame pointers here, unless it is told not to, but how far the stack pointer is from one cannot be told: so a
 * walk that had to follow one frame pointer follows the next, until a rule gives the stack pointer again. */
enum { STEP_FRAME_POINTERS_EVERYWHERE = true };

/* Return addresses can be signed. This takes the signature away, on processors that know of it; on others it does nothing. */
static inline uint64_t step_strip(uint64_t pc)
{
    register uint64_t x30 __asm__("x30") = pc;
    __asm__("hint #7" : "+r"(x30)); /* xpaclri */
    return x30;
}

static inline bool step_read(struct unwind_memory *memory, uint64_t address, uint64_t *word)
{
    if (!unwind_memory_in_window(memory, address, sizeof *word))
        return unwind_memory_read(memory, address, word);
    *word = unwind_memory_word(address);
    return true;
}

/* RULE_FRAME. `youngest`: see row_step.h. */
__attribute__((always_inline)) static inline enum unwind_end step_frame(struct unwind_rule rule, bool youngest,
                                                                        struct unwind_registers *registers,
                                                                        struct unwind_memory *memory)
{
    if (!(registers->known >> rule.cfa_register & 1))
        return UNWIND_NO_REGISTER;
    uint64_t sp = registers->value[UNWIND_SP];
    uint64_t cfa = registers->value[rule.cfa_register] + 8 * (uint64_t)rule.offset;
    if (cfa < sp || (cfa == sp && !youngest))
        return UNWIND_NO_PROGRESS;
    uint64_t pc = registers->value[UNWIND_LR], fp = registers->value[UNWIND_FP];
    if (rule.lr == 0 && !(registers->known >> UNWIND_LR & 1))
        return UNWIND_NO_REGISTER;
    if (rule.lr != 0 && !step_read(memory, cfa - 8 * (uint64_t)rule.lr, &pc))
        return UNWIND_UNREADABLE;
    if (rule.fp != 0) {
        registers->known |= (uint64_t)1 << UNWIND_FP;
        if (!step_read(memory, cfa - 8 * (uint64_t)rule.fp, &fp))
            registers->known &= ~((uint64_t)1 << UNWIND_FP);
    }
    registers->known &= STEP_KEPT_BY_CALLS & ~(rule.others_saved ? (uint64_t)STEP_OTHERS_SAVED : 0);
    registers->known |= (uint64_t)1 << UNWIND_SP;
    registers->value[UNWIND_FP] = fp;
    registers->value[UNWIND_PC] = step_strip(pc);
    registers->value[UNWIND_SP] = cfa;
    return UNWIND_GOES_ON;
}

/* Whether code without rules may be what handlers return to. The kernel has that in the vdso, but emulators on a page of their
 * own. Above the registers that were interrupted, both put a record that the frame pointer shows. Few other frames are as
 * large, so that looking at their code, which takes a system call, costs little. */
static inline bool step_may_be_signal(const struct unwind_registers *registers)
{
    enum { CONTEXT_LEAST = 4096, CONTEXT_MOST = 1 << 16 };
    uint64_t size = registers->value[UNWIND_FP] - registers->value[UNWIND_SP];
    return registers->known >> UNWIND_FP & 1 && registers->known >> UNWIND_SP & 1 && size >= CONTEXT_LEAST &&
           size <= CONTEXT_MOST;
}

/* RULE_SIGNAL. */
enum unwind_end step_signal(struct unwind_registers *registers, struct unwind_memory *memory);

/* What is known behind a frame whose record {x29, x30} the frame pointer shows: the stack pointer lies somewhere above it. */
static inline void step_over_frame_pointer(struct unwind_registers *registers, uint64_t fp, uint64_t next_fp, uint64_t pc)
{
    registers->known &= STEP_KEPT_BY_CALLS & ~((uint64_t)1 << UNWIND_SP);
    registers->value[UNWIND_SP] = fp + 16;
    registers->value[UNWIND_FP] = next_fp;
    registers->value[UNWIND_PC] = pc;
}

/* The caller's pc, once a row is applied. The caller has overwritten its x30 by the call. */
static inline void step_finish_row(struct unwind_registers *caller, unsigned return_register, bool signal_frame)
{
    caller->value[UNWIND_PC] = step_strip(caller->value[return_register]);
    caller->known |= (uint64_t)1 << UNWIND_PC;
    if (!signal_frame)
        caller->known &= ~((uint64_t)1 << UNWIND_LR);
}

#endif
