/* System calls that our signal interrupted.
 *
 * The kernel makes most of them again by itself (SA_RESTART), but calls that wait for a time or for one of many things end with
 * EINTR whatever the handler says: nanosleep, poll, select, epoll_wait, semop, futex … A program that never handles signals
 * does not expect that. So the handler makes the call again in their place: it sets the interrupted thread back to the
 * instruction.
 *
 *     mov $NUMBER, %eax
 *     syscall              ◀── the handler returns to here, with NUMBER in rax
 *     cmp $-4095, %rax     ◀── the kernel would return to here, with -EINTR in rax
 *
 * Only where the sampler saw the thread blocked in this very call when it sent the signal: an EINTR that a signal of the
 * program has brought about is the program's. A timeout begins anew: the wait gets longer by what had passed of it, mostly less
 * than two intervals, because only a thread that has run since the last look is asked. */
#ifndef SONDE_CAPTURE_CALL_AGAIN_H
#define SONDE_CAPTURE_CALL_AGAIN_H

#include <stdbool.h>
#include <stdint.h>

/* Where a thread was blocked; 0, 0 = nowhere. */
struct blocked_at {
    uint64_t pc, sp;
};

/* In the handler, with its third argument. True when the program will see an EINTR of which our signal may be the reason. */
bool call_interrupted(void *context, struct blocked_at asked);

#endif
