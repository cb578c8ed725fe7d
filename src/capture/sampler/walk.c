/* A thread walks its own native stack. */
#include "capture/core/full.h"
#include "capture/core/sandbox.h"
#include "capture/sampler/module_watch.h"
#include "capture/sampler/registration.h"

#include <string.h>

/* The bounds of the library that this is in, from the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

enum { RED_ZONE = 128 }; /* below the stack pointer, but in use */

void walk_stack(const struct registration *thread, const void *context, struct raw_stack *raw)
{
    struct unwind_registers registers;
    if (context)
        unwind_registers_from_context(&registers, context);
    else
        unwind_registers_here(&registers);
    const struct unwind *unwind = module_watch_unwind();
    uint64_t sp = registers.value[UNWIND_SP];
    if (!unwind) {
        raw->native[0] = (struct unwind_frame){.pc = registers.value[UNWIND_PC], .sp = sp & INT64_MAX, .exact = true};
        raw->native_count = 1;
        raw->end = UNWIND_NO_RULE;
        return;
    }
    /* From its stack pointer up, a thread's own stack is there to be read. Anything else (a coroutine's stack, an alternate one
     * of a signal handler, and what lies beyond it) goes through copies, which is a system call: not made once the program has
     * forbidden itself some (sandbox.h). */
    struct unwind_memory memory = {.copy = sandbox_is_closed() ? NULL : raw->copy};
    if (sp >= thread->info.stack_start && sp < thread->info.stack_end) {
        memory.start = sp - thread->info.stack_start > RED_ZONE ? sp - RED_ZONE : thread->info.stack_start;
        memory.end = thread->info.stack_end;
    }
    raw->native_count = (uint32_t)unwind_stack(unwind, &registers, &memory, raw->native, STACK_FRAMES_MAX, &raw->end);
    if (!context)
        raw_stack_drop_own(raw, __ehdr_start, _end);
}
