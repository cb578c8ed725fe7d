/* The calling thread's signal mask as the kernel has it: bit 0 is signal 1. By the system call itself, because libsonde-preload
 * and tools stand in front of the functions; leaves errno alone. */
#ifndef SONDE_SESSION_OWN_MASK_H
#define SONDE_SESSION_OWN_MASK_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns what it was. */
static inline uint64_t own_mask_change(int how, uint64_t bits)
{
    uint64_t old = 0;
    int saved_errno = errno;
    syscall(SYS_rt_sigprocmask, how, &bits, &old, sizeof bits);
    errno = saved_errno;
    return old;
}

/* All but the two that the C library keeps for itself: with one of them setuid() and its kin call on every thread, and wait for
 * each. A thread that blocked it, or a child forked while its only thread did, would be waited for without end. */
static inline uint64_t own_mask_block_all(void)
{
    enum { CANCEL = 32, CHANGE_ID = 33 };
    return own_mask_change(SIG_SETMASK, ~(UINT64_C(1) << (CANCEL - 1) | UINT64_C(1) << (CHANGE_ID - 1)));
}

static inline void own_mask_restore(uint64_t bits)
{
    own_mask_change(SIG_SETMASK, bits);
}

/* The same, for stretches of code of which one may lie within another: only the outermost asks the kernel. Nothing else may
 * change the mask meanwhile. */
extern __thread bool own_mask_closed __attribute__((tls_model("initial-exec"), visibility("hidden")));
#define OWN_MASK_STAYS UINT64_MAX /* no mask of the kernel's: some signals cannot be blocked */

static inline uint64_t own_mask_close(void)
{
    if (own_mask_closed)
        return OWN_MASK_STAYS;
    uint64_t before = own_mask_block_all();
    own_mask_closed = true;
    return before;
}

static inline void own_mask_open(uint64_t before)
{
    if (before == OWN_MASK_STAYS)
        return;
    own_mask_closed = false;
    own_mask_restore(before);
}

/* Signals that wait to be delivered, because they are blocked. */
static inline uint64_t own_mask_waiting(void)
{
    uint64_t waiting = 0;
    int saved_errno = errno;
    syscall(SYS_rt_sigpending, &waiting, sizeof waiting);
    errno = saved_errno;
    return waiting;
}

static inline uint64_t own_mask_get(void)
{
    return own_mask_change(SIG_BLOCK, 0);
}

#endif
