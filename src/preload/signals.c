/* SIGPROF is the signal that samples threads. A program may use it all the same: it sets a handler, which is called for all
 * signals that are not ours, and blocks it, whereupon its own are held back while ours go on, as the C library does with
 * signals of its own. */
#include "preload/preload.h"

static bool is_ours(int number)
{
    return is_ready && number == SAMPLE_SIGNAL && handler_is_installed();
}

INTERPOSED int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (!is_ours(number) || (action && handler_is(action)))
        return REAL(sigaction)(number, action, old);
    return handler_change_action(action, old);
}

static __sighandler_t change_handler(__sighandler_t handler, int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
    return handler_change_action(&action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

INTERPOSED __sighandler_t signal(int number, __sighandler_t handler)
{
    return is_ours(number) ? change_handler(handler, SA_RESTART) : REAL(signal)(number, handler);
}

#define SAME_AS(other) __attribute__((alias(#other), visibility("default"), leaf, nothrow))

__sighandler_t bsd_signal(int number, __sighandler_t handler) SAME_AS(signal);
__sighandler_t ssignal(int number, __sighandler_t handler) SAME_AS(signal);

/* What signal() means in a program that was compiled for C or POSIX alone: the handler is called once. */
INTERPOSED __sighandler_t __sysv_signal(int number, __sighandler_t handler)
{
    return is_ours(number) ? change_handler(handler, (int)SA_RESETHAND | SA_NODEFER) : REAL(__sysv_signal)(number, handler);
}

__sighandler_t sysv_signal(int number, __sighandler_t handler) SAME_AS(__sysv_signal);

static uint64_t mask_after(int how, uint64_t before, uint64_t bits)
{
    return how == SIG_SETMASK ? bits : how == SIG_BLOCK ? before | bits : before & ~bits;
}

/* Ours is kept out of the kernel's mask; what the program wants of it is remembered. */
static int change_mask(int (*change)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set, sigset_t *old)
{
    if (!is_wanted() || !handler_is_installed() || (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK))
        return change(how, set, old);
    uint64_t ours = UINT64_C(1) << (SAMPLE_SIGNAL - 1), bits = set ? signal_bits(set) : 0;
    bool was_blocked = handler_is_blocked(UINT64_MAX), blocks = set && how != SIG_UNBLOCK && bits & ours,
         unblocks = set && how != SIG_BLOCK && !(bits & ours) == (how == SIG_SETMASK);
    if ((!was_blocked && !blocks) || is_shut_in() || !core_is_own_process())
        return change(how, set, old);
    sigset_t without, previous;
    if (blocks) {
        without = *set;
        sigdelset(&without, SAMPLE_SIGNAL);
    }
    int result = change(SIG_BLOCK, NULL, &previous);
    was_blocked = was_blocked && handler_is_blocked(signal_bits(&previous));
    /* First: one that waits comes at once. */
    if (!was_blocked || unblocks)
        handler_set_blocked(false, 0);
    if (set && !unblocks && (blocks || was_blocked))
        handler_set_blocked(true, mask_after(how, signal_bits(&previous), bits));
    if (set)
        result = change(how, blocks ? &without : set, NULL);
    if (old && result == 0) {
        *old = previous;
        if (was_blocked)
            sigaddset(old, SAMPLE_SIGNAL);
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

/* Blocks the signal, or unblocks it and changes what it does. */
INTERPOSED __sighandler_t sigset(int number, __sighandler_t handler)
{
    if (!is_ours(number))
        return REAL(sigset)(number, handler);
    struct sigaction action;
    sigset_t profiling, before;
    sigemptyset(&profiling);
    sigaddset(&profiling, number);
    if (pthread_sigmask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &profiling, &before) != 0)
        return SIG_ERR;
    __sighandler_t old = SIG_ERR;
    if (handler != SIG_HOLD)
        old = change_handler(handler, 0);
    else if (handler_change_action(NULL, &action) == 0)
        old = action.sa_handler;
    return sigismember(&before, number) == 1 ? SIG_HOLD : old;
}

/* --- gprof --------------------------------------------------------------------------------------------------------------- */

/* The C library sets a handler for it by a sigaction() of its own. Ours are held back until it is ours again: they would be
 * counted as gprof's. */
#define AND_TAKE_BACK(call)                                                                                                    \
    do {                                                                                                                       \
        uint64_t mask_ = mask_for_child(is_ready && handler_is_installed());                                                   \
        call;                                                                                                                  \
        if (is_ready)                                                                                                          \
            handler_take_back();                                                                                               \
        restore_mask(mask_);                                                                                                   \
    } while (0)

INTERPOSED void __monstartup(u_long low, u_long high)
{
    AND_TAKE_BACK(REAL(__monstartup)(low, high));
}

INTERPOSED void monstartup(u_long low, u_long high)
{
    AND_TAKE_BACK(REAL(monstartup)(low, high));
}

INTERPOSED void moncontrol(int mode)
{
    AND_TAKE_BACK(REAL(moncontrol)(mode));
}

INTERPOSED int profil(unsigned short *counts, size_t size, size_t offset, unsigned scale)
{
    int result;
    AND_TAKE_BACK(result = REAL(profil)(counts, size, offset, scale));
    return result;
}
