/* The signal masks of the program's threads, and the number that the sampler uses.
 *
 * Our number must get through to every thread, also to those of programs that block all signals. So libsonde-preload keeps it
 * out of the masks that the program sets, and remembers that it did:
 *
 *     the program's mask   1111111111     what pthread_sigmask() tells it
 *     withheld             0000001000     wanted blocked, but was ours when it was set
 *     the kernel's mask    1111110111
 *
 * The kernel brings older masks back by itself: when a handler returns in which another was set, and with siglongjmp(). So what
 * was withheld is remembered by mask, for the last few.
 *
 * The number is given up as soon as the program turns out to use it. Four things tell:
 *
 *     it sets a handler for it                           sigaction, signal
 *     it sends it to itself                              kill, raise, sigqueue, pthread_kill, pthread_sigqueue, tgkill
 *     it has it raised                                   timer_create, mq_notify
 *     one arrives that is not ours, where it is withheld   from another process …: it is put back
 *
 * Then another number is ours, and every thread settles: what is withheld goes into its real mask, the new number out of it.
 * Threads do so in the handler of the next question, which is asked with the number that they still let through; the one that
 * gives the number up asks those that withhold it, and waits, so that a signal of the program finds the masks as the program
 * set them.
 *
 * Waits for signals (sigwait …) take questions of ours for what they are, and go on waiting: masks and sets need no change
 * there, and a program that takes all signals with one thread gets those with our number like all others. A signalfd cannot
 * tell, so the number is kept out of it until it is given up: signal_files.h. */
#ifndef SONDE_CAPTURE_MASKS_H
#define SONDE_CAPTURE_MASKS_H

#include "capture/registration.h"

#include <signal.h>

/* As the kernel has them: bit 0 is signal 1. */
static inline uint64_t signal_bit(int number)
{
    return number > 0 ? UINT64_C(1) << (number - 1) : 0;
}

uint64_t signal_bits(const sigset_t *set);

/* libsonde-preload is there, and tells of all changes. Without it masks are left alone. */
void masks_keep(void);

/* What pthread_sigmask and sigprocmask do; `real` is one of them. */
int masks_change(int (*real)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set, sigset_t *old);

/* Makes the calling thread's mask for a while what the program wants it to be: for what is made in its likeness, threads and
 * programs, and for waits that take signals. Returns what is to be given to masks_hide() then, if there is a then: not after
 * exec, which may be done by the child of a vfork(), whose memory is its parent's. */
uint64_t masks_show(bool comes_back);
void masks_hide(uint64_t shown);

/* On the thread itself; at once, or in its handler with the mask that is to be restored. False when it has to be done again: a
 * question with the number that is left is under way. */
bool masks_settle(struct registration *thread);
void masks_settle_in_handler(struct registration *thread, void *context);

/* The calling thread settles if there is another number than it knows of. */
void masks_follow(void);

/* Whether it may be that the number is withheld, for other threads; and whether it is where the handler came in. */
static inline bool masks_may_withhold(const struct registration *thread, int number)
{
    return (atomic_load_explicit(&thread->mask.withheld, memory_order_relaxed) & signal_bit(number)) != 0;
}
bool masks_withhold_in_handler(const struct registration *thread, int number, const void *context);

#endif
