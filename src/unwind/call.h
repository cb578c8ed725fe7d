/* Whether a signal came to a thread that was about to return from the kernel: from a system call, or from a page fault. */
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

/* A number for all registers of the interrupted code: that of code that has not gone on since is the same. */
static inline uint64_t unwind_context_mark(const void *context)
{
    const ucontext_t *interrupted = context;
    uint64_t mark = 1;
#if defined(__x86_64__)
    for (int i = REG_R8; i <= REG_RIP; i++)
        mark = (mark ^ (uint64_t)interrupted->uc_mcontext.gregs[i]) * UINT64_C(0x9e3779b97f4a7c15);
#else
    for (int i = 0; i < 31; i++)
        mark = (mark ^ interrupted->uc_mcontext.regs[i]) * UINT64_C(0x9e3779b97f4a7c15);
    mark = (mark ^ interrupted->uc_mcontext.sp) * UINT64_C(0x9e3779b97f4a7c15);
    mark = (mark ^ interrupted->uc_mcontext.pc) * UINT64_C(0x9e3779b97f4a7c15);
#endif
    return mark;
}

#if defined(__x86_64__)
static inline bool is_repeated_string(const volatile uint8_t *code)
{
    enum { OPERAND_SIZE = 0x66, REPNE = 0xf2, REP = 0xf3, REX = 0x40, INS = 0x6c, MOVS = 0xa4, STOS = 0xaa, SCAS_END = 0xaf };
    code += *code == OPERAND_SIZE;
    if (*code != REPNE && *code != REP)
        return false;
    code++;
    code += (*code & 0xf0) == REX;
    return (*code & 0xfc) == INS || (*code & 0xfc) == MOVS || (*code >= STOS && *code <= SCAS_END);
}
#endif

/* The thread stands before an instruction that faulted, mostly for a page that was not there. The CPU says so: it saves the
 * flags with RF set where an instruction is to be tried again, and behind an interrupt only in the middle of a repeated string
 * instruction. There nobody knows, nor with another CPU. */
static inline bool unwind_context_is_in_fault(const void *context)
{
#if defined(__x86_64__)
    enum { RF = 1 << 16 };
    const ucontext_t *interrupted = context;
    const greg_t *registers = interrupted->uc_mcontext.gregs;
    return registers[REG_EFL] & RF && !is_repeated_string((const volatile uint8_t *)(uintptr_t)registers[REG_RIP]);
#else
    (void)context;
    return false;
#endif
}

#endif
