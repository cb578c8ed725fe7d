#include "unwind/registers.h"

#include <stddef.h>
#include <string.h>

void unwind_registers_from_context(struct unwind_registers *registers, const void *ucontext)
{
    registers->known = UNWIND_ALL_KNOWN;
    for (size_t i = 0; i < UNWIND_REGISTER_COUNT; i++)
        memcpy(&registers->value[i], (const char *)ucontext + unwind_context_places[i], sizeof registers->value[i]);
}

void unwind_registers_from_pc_sp(struct unwind_registers *registers, uint64_t pc, uint64_t sp)
{
    memset(registers, 0, sizeof *registers);
    registers->known = (uint64_t)1 << UNWIND_PC | (uint64_t)1 << UNWIND_SP;
    registers->value[UNWIND_PC] = pc;
    registers->value[UNWIND_SP] = sp;
}

void unwind_registers_add_call(struct unwind_registers *registers, const uint64_t arguments[UNWIND_CALL_ARGUMENTS])
{
    for (size_t i = 0; i < UNWIND_CALL_ARGUMENTS; i++) {
        registers->known |= (uint64_t)1 << unwind_call_registers[i];
        registers->value[unwind_call_registers[i]] = arguments[i];
    }
}
