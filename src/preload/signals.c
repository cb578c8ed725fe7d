/* SIGPROF is the signal that samples threads. A program may use it all the same: it sets a handler, which is called for all
 * signals that are not ours, and blocks it, whereupon its own are held back while ours go on, as the C library does with
 * signals of its own. */
#include "preload/preload.h"

#include <string.h>

static bool is_ours(int number)
{
    return base && number == base->signal && base->handles_signal();
}

INTERPOSED int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (!is_ours(number) || (action && base->is_our_handler(action)))
        return REAL(sigaction)(number, action, old);
    return base->change_action(action, old);
}

INTERPOSED __sighandler_t signal(int number, __sighandler_t handler)
{
    if (!is_ours(number))
        return REAL(signal)(number, handler);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    return base->change_action(&action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

static uint64_t bits_of(const sigset_t *set)
{
    uint64_t bits;
    memcpy(&bits, set, sizeof bits);
    return bits;
}

static uint64_t mask_after(int how, uint64_t before, uint64_t bits)
{
    return how == SIG_SETMASK ? bits : how == SIG_BLOCK ? before | bits : before & ~bits;
}

/* Ours is kept out of the kernel's mask; what the program wants of it is remembered. */
static int change_mask(int (*change)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set, sigset_t *old)
{
    if (!base || !base->handles_signal() || (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK))
        return change(how, set, old);
    uint64_t ours = UINT64_C(1) << (base->signal - 1), bits = set ? bits_of(set) : 0;
    bool was_blocked = base->is_blocked(UINT64_MAX), blocks = set && how != SIG_UNBLOCK && bits & ours,
         unblocks = set && how != SIG_BLOCK && !(bits & ours) == (how == SIG_SETMASK);
    if ((!was_blocked && !blocks) || !base->is_own_process())
        return change(how, set, old);
    sigset_t without, previous;
    if (blocks) {
        without = *set;
        sigdelset(&without, base->signal);
    }
    int result = change(SIG_BLOCK, NULL, &previous);
    was_blocked = was_blocked && base->is_blocked(bits_of(&previous));
    /* First: one that waits comes at once. */
    if (!was_blocked || unblocks)
        base->set_blocked(false, 0);
    if (set && !unblocks && (blocks || was_blocked))
        base->set_blocked(true, mask_after(how, bits_of(&previous), bits));
    if (set)
        result = change(how, blocks ? &without : set, NULL);
    if (old && result == 0) {
        *old = previous;
        if (was_blocked)
            sigaddset(old, base->signal);
    }
    return result;
}

INTERPOSED int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return change_mask(&REAL(pthread_sigmask), how, set, old);
}

INTERPOSED int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    return change_mask(&REAL(sigprocmask), how, set, old);
}
