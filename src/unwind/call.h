/* Whether a signal came to a thread that was about to return from a system call. */
#ifndef SONDE_UNWIND_CALL_H
#define SONDE_UNWIND_CALL_H

#include "unwind/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* `context` is the third argument of the handler. The instruction behind which the thread stands is that of a system call; the
 * kernel puts it there when it delivers a signal on the way out of the call. */
static inline bool unwind_context_is_after_call(const void *context)
{
    enum { PAGE = 4096 };
    const ucontext_t *interrupted = context;
#if defined(__x86_64__)
    enum { CALL_BYTES = 2, CALL = 0x050f };
    uint64_t pc = (uint64_t)interrupted->uc_mcontext.gregs[REG_RIP];
#else
    enum { CALL_BYTES = 4 };
    const uint32_t CALL = 0xd4000001;
    uint64_t pc = interrupted->uc_mcontext.pc;
#endif
    /* The page before may not be there. */
    if (pc % PAGE < CALL_BYTES)
        return false;
    uint64_t word = 0;
    for (unsigned i = 0; i < CALL_BYTES; i++)
        word |= (uint64_t) * (const volatile uint8_t *)(uintptr_t)(pc - CALL_BYTES + i) << (8 * i);
    return word == CALL;
}

#endif
