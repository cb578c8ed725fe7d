#include "unwind/aarch64/step.h"

/* The kernel puts the siginfo and then the ucontext at the stack pointer that the handler started with. */
enum unwind_end step_signal(struct unwind_registers *registers, struct unwind_memory *memory)
{
    enum { SIGINFO_BYTES = 128 };
    uint64_t context = registers->value[UNWIND_SP] + SIGINFO_BYTES;
    for (unsigned i = 0; i < UNWIND_REGISTER_COUNT; i++)
        if (!unwind_memory_read(memory, context + unwind_context_places[i], &registers->value[i]))
            return UNWIND_UNREADABLE;
    registers->known = UNWIND_ALL_KNOWN;
    return UNWIND_GOES_ON;
}
