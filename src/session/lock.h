/* A lock inside somebody else's program, which must not be able to leave it held or to meet itself in it.
 *
 * While it is held all signals are blocked (a handler of the program could ask for a chunk, too, or jump away) and so is the
 * cancellation of the thread. While a thread waits for it neither is: others may wait for what the program does in a handler.
 * It is our own futex word rather than a pthread mutex because programs and tools replace the functions of those, with code
 * that may itself be recorded. */
#ifndef SONDE_SESSION_LOCK_H
#define SONDE_SESSION_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct lock {
    _Atomic uint32_t word; /* 0 = free, 1 = held, 2 = held and waited for */
};

/* What the thread was before, to be given back with lock_leave(). */
struct lock_hold {
    uint64_t signals;
    int cancel_state;
    int saved_errno;
};

void lock_enter(struct lock *lock, struct lock_hold *hold);
/* False where another thread holds it. */
bool lock_try(struct lock *lock, struct lock_hold *hold);
/* errno is what it was at lock_enter(). */
void lock_leave(struct lock *lock, const struct lock_hold *hold);

#endif
