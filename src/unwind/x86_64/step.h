/* Applies the rules of this CPU. In a header, so that the loop over the frames is one piece of code. */
#ifndef SONDE_UNWIND_X86_64_STEP_H
#define SONDE_UNWIND_X86_64_STEP_H

#include "unwind/end.h"
#include "unwind/memory.h"
#include "unwind/registers.h"
#include "unwind/x86_64/rule.h"

/* Registers that a called function gives back unchanged: rbx, rbp, rsp, r12–r15; and the pc. */
#define STEP_KEPT_BY_CALLS 0x1f0c8u

/* Code with rules uses the frame pointer for what it likes. */
enum { STEP_FRAME_POINTERS_EVERYWHERE = false };

/* The same as step_frame, word by word, for a frame that is not all in the window. */
enum unwind_end step_frame_checked(struct unwind_rule rule, uint64_t cfa, struct unwind_registers *registers,
                                   struct unwind_memory *memory);

/* RULE_FRAME. `youngest`: see row_step.h. */
__attribute__((always_inline)) static inline enum unwind_end step_frame(struct unwind_rule rule, bool youngest,
                                                                        struct unwind_registers *registers,
                                                                        struct unwind_memory *memory)
{
    enum { REACH = 8 * 16 }; /* all that a rule can name lies so far below the CFA */
    (void)youngest;
    if (!(registers->known >> rule.cfa_register & 1))
        return UNWIND_NO_REGISTER;
    uint64_t cfa = registers->value[rule.cfa_register] + (uint64_t)rule.offset;
    if (cfa <= registers->value[UNWIND_SP])
        return UNWIND_NO_PROGRESS;
    if (!unwind_memory_in_window(memory, cfa - REACH, REACH))
        return step_frame_checked(rule, cfa, registers, memory);
    unsigned saved = rule.saved;
    if (saved) {
        for (unsigned i = 0; i < RULE_SAVED_COUNT; i++) {
            unsigned words = saved >> 4 * i & 15;
            if (words) {
                registers->value[rule_saved_registers[i]] = unwind_memory_word(cfa - 8 * words);
                registers->known |= (uint64_t)1 << rule_saved_registers[i];
            }
        }
    }
    registers->known &= STEP_KEPT_BY_CALLS;
    registers->value[UNWIND_PC] = unwind_memory_word(cfa - 8);
    registers->value[UNWIND_SP] = cfa;
    return UNWIND_GOES_ON;
}

/* Code without rules is not what handlers return to here: that is in the C library. */
static inline bool step_may_be_signal(const struct unwind_registers *registers)
{
    (void)registers;
    return false;
}

/* RULE_SIGNAL. */
enum unwind_end step_signal(struct unwind_registers *registers, struct unwind_memory *memory);

/* Return addresses carry no signature here. */
static inline uint64_t step_strip(uint64_t pc)
{
    return pc;
}

/* What is known behind a frame that ends at the frame pointer: rbp and the return address are the two words at it. */
static inline void step_over_frame_pointer(struct unwind_registers *registers, uint64_t fp, uint64_t next_fp, uint64_t pc)
{
    registers->known &= STEP_KEPT_BY_CALLS;
    registers->value[UNWIND_SP] = fp + 16;
    registers->value[UNWIND_FP] = next_fp;
    registers->value[UNWIND_PC] = pc;
}

/* The caller's pc, once a row is applied. */
static inline void step_finish_row(struct unwind_registers *caller, unsigned return_register, bool signal_frame)
{
    (void)signal_frame;
    caller->value[UNWIND_PC] = caller->value[return_register];
    caller->known |= (uint64_t)1 << UNWIND_PC;
}

#endif
