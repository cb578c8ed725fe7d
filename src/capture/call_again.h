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
 * program has brought about is the program's (and where one of the program's waits to be delivered, the EINTR is left to it). A
 * timeout begins anew: the wait gets longer by what had passed of it, mostly less than two intervals, because only a thread
 * that has run since the last look is asked. */
#ifndef SONDE_CAPTURE_CALL_AGAIN_H
#define SONDE_CAPTURE_CALL_AGAIN_H

#include <stdbool.h>
#include <stdint.h>

/* Where a thread was blocked; 0, 0 = nowhere. */
struct blocked_at {
    uint64_t pc, sp;
};

/* What follows in the handler, with its third argument. True when the program will see an EINTR of which our signal may be the
 * reason. */
bool call_interrupted(void *context, struct blocked_at asked);

/* The same for a signal that was not sent because of anything the sampler saw: by a timer (own_timer.h), to a thread that had
 * not been blocked for long. */
bool call_interrupted_by_timer(void *context);

/* Whether the call that ends with EINTR now is one that lets signals of the program in while it waits (sigsuspend, ppoll …). */
bool call_waits_for_signals(const void *context);

/* Whether the signal came in a call in which a thread waits for others, and holds no lock of the C library. */
bool call_waits(const void *context);

/* Whether the signal came in a system call, or right before or after one. */
bool call_stands(const void *context);

#if defined(__x86_64__)
enum { CALLS_CAN_BE_MADE_AGAIN = true };
#else
enum { CALLS_CAN_BE_MADE_AGAIN = false };
#endif

#endif
