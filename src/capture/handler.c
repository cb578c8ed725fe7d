#include "capture/handler.h"

#include "capture/clock.h"
#include "capture/registry.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Atomic int handler_signal;

static _Atomic int own_pid; /* whose signals are ours; a forked child has none yet */

static void on_signal(int number, siginfo_t *info, void *context);

static bool still_ours(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal;
}

/* A signal with our number that we did not send. Only a signal that nobody handled is taken, so without us it would have ended
 * the process. A handler of the program that calls the one before it, us, does not want that. */
static void pass_on(int number)
{
    if (!still_ours(number))
        return;
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(number, &standard, NULL);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    struct registration *thread = registration_mine();
    bool ours = info->si_code == SI_TKILL && info->si_pid == atomic_load_explicit(&own_pid, memory_order_relaxed);
    if (!ours) {
        pass_on(number);
    } else if (thread) { /* else it is about to end */
        uint32_t asked = atomic_load_explicit(&thread->slot.asked, memory_order_relaxed);
        if (asked != atomic_load_explicit(&thread->slot.answered, memory_order_relaxed)) {
            stack_in_handler(thread, context, &thread->slot.raw);
            atomic_store_explicit(&thread->slot.held_ns, clock_now() - thread->slot.raw.time, memory_order_relaxed);
            /* Release: whoever sees the answer sees the stack. */
            atomic_store_explicit(&thread->slot.answered, asked, memory_order_release);
        }
    }
    errno = saved_errno;
}

/* --- which signal -------------------------------------------------------------------------------------------------------- */

static bool is_free(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
}

/* The highest one below `limit` that nobody handles. */
static int take_signal(int limit)
{
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    for (int number = limit - 1; number >= SIGRTMIN; number--) {
        if (is_free(number) && sigaction(number, &ours, NULL) == 0)
            return number;
    }
    return -EBUSY;
}

int handler_install(void)
{
    atomic_store_explicit(&own_pid, getpid(), memory_order_relaxed);
    int number = atomic_load_explicit(&handler_signal, memory_order_relaxed);
    if (number && handler_check())
        return number;
    number = take_signal(SIGRTMAX + 1);
    if (number > 0)
        atomic_store_explicit(&handler_signal, number, memory_order_relaxed);
    return number;
}

bool handler_check(void)
{
    int number = atomic_load_explicit(&handler_signal, memory_order_relaxed);
    if (number && still_ours(number))
        return true;
    int next = take_signal(number ? number : SIGRTMAX + 1);
    atomic_store_explicit(&handler_signal, next > 0 ? next : 0, memory_order_relaxed);
    return false;
}

void handler_signal_taken(int signal)
{
    int number = atomic_load_explicit(&handler_signal, memory_order_relaxed);
    if (number && number == signal) {
        int next = take_signal(number);
        atomic_store_explicit(&handler_signal, next > 0 ? next : 0, memory_order_relaxed);
    }
}

void handler_remove(void)
{
    /* The handler stays: a signal that is still on its way to a thread, or blocked by one, would end the process. It does
     * nothing where nobody was asked. */
    handler_use(NULL, false);
}

bool handler_ask(struct registration *thread)
{
    int number = atomic_load_explicit(&handler_signal, memory_order_relaxed);
    if (!number || !handler_answered(thread))
        return false;
    /* The signal itself orders this before the handler's read. */
    uint32_t asked = atomic_load_explicit(&thread->slot.asked, memory_order_relaxed);
    atomic_store_explicit(&thread->slot.asked, asked + 1, memory_order_release);
    int saved_errno = errno;
    long sent = syscall(SYS_tgkill, atomic_load_explicit(&own_pid, memory_order_relaxed), thread->info.tid, number);
    errno = saved_errno;
    if (sent == 0)
        return true;
    /* No handler can have seen it: nothing was sent, and the one before was answered. */
    atomic_store_explicit(&thread->slot.asked, asked, memory_order_relaxed);
    return false;
}
