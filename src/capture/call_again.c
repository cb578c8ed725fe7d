#include "capture/call_again.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#if defined(__x86_64__)

/* They have done nothing yet when they end with EINTR, and mean the same when they are made again. */
static bool may_be_made_again(uint32_t number)
{
    switch (number) {
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_futex:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_msgsnd:
    case SYS_msgrcv:
    case SYS_io_getevents:
        return true;
    default:
        return false;
    }
}

bool call_interrupted(void *context, struct blocked_at asked)
{
    enum { CALL_BYTES = 2, MOVE_BYTES = 5, MOVE_TO_EAX = 0xb8, SMALLEST_PAGE = 4096 };
    static const uint8_t call[CALL_BYTES] = {0x0f, 0x05};
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint64_t pc = (uint64_t)registers[REG_RIP];
    const uint8_t *code = (const uint8_t *)pc - CALL_BYTES;
    /* The page is there: its code is just being executed. The one in front of it need not be. */
    if (registers[REG_RAX] != -EINTR || pc % SMALLEST_PAGE < CALL_BYTES + MOVE_BYTES || memcmp(code, call, CALL_BYTES) != 0)
        return false;
    uint32_t number;
    memcpy(&number, code - MOVE_BYTES + 1, sizeof number);
    if (pc != asked.pc || (uint64_t)registers[REG_RSP] != asked.sp || code[-MOVE_BYTES] != MOVE_TO_EAX ||
        !may_be_made_again(number))
        return true;
    registers[REG_RIP] -= CALL_BYTES;
    registers[REG_RAX] = number;
    return false;
}

#elif defined(__aarch64__)

/* The first argument stood where the result is now, so that the call cannot be made again. */
bool call_interrupted(void *context, struct blocked_at asked)
{
    enum { SUPERVISOR_CALL = 0xd4000001 };
    (void)asked;
    const mcontext_t *registers = &((const ucontext_t *)context)->uc_mcontext;
    uint32_t instruction;
    if ((int64_t)registers->regs[0] != -EINTR)
        return false;
    memcpy(&instruction, (const uint8_t *)registers->pc - sizeof instruction, sizeof instruction);
    return instruction == SUPERVISOR_CALL;
}

#endif
