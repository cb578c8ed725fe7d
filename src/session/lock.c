#include "session/lock.h"

#include "session/own_mask.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FREE, HELD, WAITED_FOR };

__thread bool own_mask_closed __attribute__((tls_model("initial-exec")));

/* Acquire: what the last holder wrote is seen. */
static bool take(struct lock *lock, uint32_t as)
{
    if (as == WAITED_FOR)
        return atomic_exchange_explicit(&lock->word, WAITED_FOR, memory_order_acquire) == FREE;
    uint32_t word = FREE;
    return atomic_compare_exchange_strong_explicit(&lock->word, &word, as, memory_order_acquire, memory_order_relaxed);
}

static void restore_thread(const struct lock_hold *hold)
{
    int ignored;
    own_mask_open(hold->signals);
    pthread_setcancelstate(hold->cancel_state, &ignored);
}

static bool try_as(struct lock *lock, struct lock_hold *hold, uint32_t as)
{
    hold->saved_errno = errno;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &hold->cancel_state);
    hold->signals = own_mask_close();
    bool taken = take(lock, as);
    if (!taken)
        restore_thread(hold);
    return taken;
}

bool lock_try(struct lock *lock, struct lock_hold *hold)
{
    return try_as(lock, hold, HELD);
}

void lock_enter(struct lock *lock, struct lock_hold *hold)
{
    int saved_errno = errno;
    for (uint32_t as = HELD; !try_as(lock, hold, as); as = WAITED_FOR)
        if (as == WAITED_FOR)
            syscall(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, WAITED_FOR, NULL, NULL, 0);
    hold->saved_errno = errno = saved_errno;
}

void lock_leave(struct lock *lock, const struct lock_hold *hold)
{
    /* Release: the next holder sees what this one wrote. */
    if (atomic_exchange_explicit(&lock->word, FREE, memory_order_release) == WAITED_FOR)
        syscall(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    restore_thread(hold);
    errno = hold->saved_errno;
}
