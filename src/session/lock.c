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

void lock_enter(struct lock *lock, struct lock_hold *hold)
{
    hold->saved_errno = errno;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &hold->cancel_state);
    hold->signals = own_mask_close();
    /* Acquire: what the last holder wrote is seen. */
    uint32_t word = FREE;
    if (atomic_compare_exchange_strong_explicit(&lock->word, &word, HELD, memory_order_acquire, memory_order_relaxed))
        return;
    while (atomic_exchange_explicit(&lock->word, WAITED_FOR, memory_order_acquire) != FREE)
        syscall(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, WAITED_FOR, NULL, NULL, 0);
}

void lock_leave(struct lock *lock, const struct lock_hold *hold)
{
    /* Release: the next holder sees what this one wrote. */
    if (atomic_exchange_explicit(&lock->word, FREE, memory_order_release) == WAITED_FOR)
        syscall(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    own_mask_open(hold->signals);
    int ignored;
    pthread_setcancelstate(hold->cancel_state, &ignored);
    errno = hold->saved_errno;
}
