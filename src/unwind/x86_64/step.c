#include "unwind/x86_64/step.h"

enum unwind_end step_frame_checked(struct unwind_rule rule, uint64_t cfa, struct unwind_registers *registers,
                                   struct unwind_memory *memory)
{
    uint64_t pc;
    if (!unwind_memory_read(memory, cfa - 8, &pc))
        return UNWIND_UNREADABLE;
    for (unsigned i = 0; i < RULE_SAVED_COUNT; i++) {
        unsigned words = rule.saved >> 4 * i & 15;
        unsigned number = rule_saved_registers[i];
        if (words == 0)
            continue;
        if (unwind_memory_read(memory, cfa - 8 * words, &registers->value[number]))
            registers->known |= (uint64_t)1 << number;
        else
            registers->known &= ~((uint64_t)1 << number);
    }
    registers->known &= STEP_KEPT_BY_CALLS;
    registers->value[UNWIND_PC] = pc;
    registers->value[UNWIND_SP] = cfa;
    return UNWIND_GOES_ON;
}

/* The handler's return has popped the address of this code: the ucontext stands at the stack pointer. */
enum unwind_end step_signal(struct unwind_registers *registers, struct unwind_memory *memory)
{
    uint64_t context = registers->value[UNWIND_SP];
    for (unsigned i = 0; i < UNWIND_REGISTER_COUNT; i++)
        if (!unwind_memory_read(memory, context + unwind_context_places[i], &registers->value[i]))
            return UNWIND_UNREADABLE;
    registers->known = UNWIND_ALL_KNOWN;
    return UNWIND_GOES_ON;
}
