#include "capture/call_again.h"

#include "capture/handler_number.h"
#include "capture/sandbox.h"
#include "session/own_mask.h"

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
    case SYS_io_pgetevents:
    case SYS_io_uring_enter:
    case SYS_futex_waitv:
    case SYS_recvmmsg:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
    /* On sockets with a time limit. */
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_accept:
    case SYS_accept4:
        return true;
    default:
        return false;
    }
}

enum { CALL_BYTES = 2, MOVE_BYTES = 5, MOVE_TO_EAX = 0xb8, SMALLEST_PAGE = 4096 };
static const uint8_t call[CALL_BYTES] = {0x0f, 0x05};
static const uint8_t clear_eax[] = {0x31, 0xc0}; /* the number of read() is 0 */

/* While our handler runs all signals wait; one that the program lets through comes as soon as it returns. */
static bool another_signal_waits(const ucontext_t *context)
{
    uint64_t blocked;
    memcpy(&blocked, &context->uc_sigmask, sizeof blocked);
    uint64_t ours = atomic_load_explicit(&handler_numbers, memory_order_relaxed);
    return !sandbox_is_closed() && (own_mask_waiting() & ~blocked & ~ours) != 0;
}

/* The number of the call that ended with EINTR at this very place. */
enum { NO_CALL = -2, SOME_CALL = -1 };
static int64_t interrupted_number(const greg_t *registers)
{
    uint64_t pc = (uint64_t)registers[REG_RIP];
    const uint8_t *code = (const uint8_t *)pc - CALL_BYTES;
    uint32_t number;
    /* The page is there: its code is just being executed. The one in front of it need not be. */
    if (registers[REG_RAX] != -EINTR || pc % SMALLEST_PAGE < CALL_BYTES + MOVE_BYTES || memcmp(code, call, CALL_BYTES) != 0)
        return NO_CALL;
    if (memcmp(code - sizeof clear_eax, clear_eax, sizeof clear_eax) == 0)
        return SYS_read;
    memcpy(&number, code - MOVE_BYTES + 1, sizeof number);
    return code[-MOVE_BYTES] == MOVE_TO_EAX ? (int64_t)number : SOME_CALL;
}

bool call_interrupted(void *context, struct blocked_at asked)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    int64_t number = interrupted_number(registers);
    if (number == NO_CALL)
        return false;
    if ((uint64_t)registers[REG_RIP] != asked.pc || (uint64_t)registers[REG_RSP] != asked.sp || number == SOME_CALL ||
        !may_be_made_again((uint32_t)number) || another_signal_waits(context))
        return true;
    registers[REG_RIP] -= CALL_BYTES;
    registers[REG_RAX] = number;
    return false;
}

bool call_waits_for_signals(const void *context)
{
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    switch (interrupted_number(registers)) {
    case SYS_pause:
    case SYS_rt_sigsuspend:
        return true;
    case SYS_ppoll:
        return registers[REG_R10] != 0;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
        return registers[REG_R8] != 0;
    case SYS_pselect6:
        return registers[REG_R9] != 0;
    default:
        return false;
    }
}

/* The kernel will make it again by itself: its number is in rax again, and it stands before the instruction. */
static int64_t number_to_come(const greg_t *registers)
{
    uint64_t pc = (uint64_t)registers[REG_RIP];
    bool stands = pc % SMALLEST_PAGE <= SMALLEST_PAGE - CALL_BYTES && memcmp((const uint8_t *)pc, call, CALL_BYTES) == 0;
    return stands ? registers[REG_RAX] : NO_CALL;
}

bool call_waits(const void *context)
{
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    int64_t number = interrupted_number(registers);
    if (number == NO_CALL)
        number = number_to_come(registers);
    switch (number) {
    case SYS_wait4:
    case SYS_waitid:
    case SYS_flock:
    case SYS_fcntl:
    case SYS_openat:
    case SYS_connect:
        return true; /* the kernel makes them again itself */
    default:
        break;
    }
    return number >= 0 && number <= UINT32_MAX && may_be_made_again((uint32_t)number);
}

bool call_interrupted_by_timer(void *context)
{
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    return call_interrupted(context, (struct blocked_at){(uint64_t)registers[REG_RIP], (uint64_t)registers[REG_RSP]});
}

/* A call that the kernel will make again has its number in rax and stands before the instruction, one that has ended has its
 * result there and stands behind it. Memory is looked at only where rax may be either, and in the page that is being executed.
 */
bool call_stands(const void *context)
{
    enum { MOST_NUMBER = 1024, MOST_ERROR = 4095 };
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    uint64_t pc = (uint64_t)registers[REG_RIP], in_page = pc % SMALLEST_PAGE;
    int64_t rax = registers[REG_RAX];
    if (rax < -MOST_ERROR || rax > MOST_NUMBER)
        return false;
    return (in_page >= CALL_BYTES && memcmp((const uint8_t *)pc - CALL_BYTES, call, CALL_BYTES) == 0) ||
           (in_page <= SMALLEST_PAGE - CALL_BYTES && memcmp((const uint8_t *)pc, call, CALL_BYTES) == 0);
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

/* There are no timers here. */
bool call_waits_for_signals(const void *context)
{
    (void)context;
    return false;
}

bool call_waits(const void *context)
{
    (void)context;
    return false;
}

bool call_interrupted_by_timer(void *context)
{
    return call_interrupted(context, (struct blocked_at){0});
}

bool call_stands(const void *context)
{
    (void)context;
    return true;
}

#endif
