#include "capture/handler.h"

#include "capture/clock.h"
#include "capture/registry.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Atomic int handler_signal;

static _Atomic int own_pid; /* whose threads are asked; a forked child has none yet */

/* Its address goes with every signal of ours: programs send themselves signals, too. */
static const char mark;

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
    /* All zero is the default action. Not through sigaction(), which libsonde-preload watches. */
    struct {
        uint64_t words[4];
    } standard = {0};
    enum { KERNEL_SIGSET_BYTES = 8 };
    syscall(SYS_rt_sigaction, number, &standard, NULL, KERNEL_SIGSET_BYTES);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

static void answer(struct registration *thread, void *context)
{
    /* Acquire: the sampler has read the last answer before it asks for another. */
    uint32_t asked = atomic_load_explicit(&thread->slot.asked, memory_order_acquire);
    if (asked == atomic_load_explicit(&thread->slot.answered, memory_order_relaxed))
        return;
    stack_in_handler(thread, context, &thread->slot.raw);
    /* After the stack, which is that of the wait. */
    thread->slot.interrupted = call_interrupted(context, thread->slot.asked_in);
    atomic_store_explicit(&thread->slot.held_ns, clock_now() - thread->slot.raw.time, memory_order_relaxed);
    /* Release: whoever sees the answer sees the stack. */
    atomic_store_explicit(&thread->slot.answered, asked, memory_order_release);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    struct registration *thread = registration_mine();
    if (info->si_code != SI_QUEUE || info->si_value.sival_ptr != &mark)
        pass_on(number);
    else if (thread) /* else it is about to end */
        answer(thread, context);
    errno = saved_errno;
}

/* --- which signal -------------------------------------------------------------------------------------------------------- */

static bool take_if_free(int number)
{
    struct sigaction now;
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO | SA_ONSTACK};
    /* A handler of the program that came in between could leave by longjmp(), and ours would never answer. What the CPU raises,
     * or a sandbox, cannot wait. */
    static const int cannot_wait[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigfillset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof cannot_wait / sizeof *cannot_wait; i++)
        sigdelset(&ours.sa_mask, cannot_wait[i]);
    return sigaction(number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL &&
           sigaction(number, &ours, NULL) == 0;
}

/* Programs count from both ends of the real-time signals, so the search begins between them. */
static int take_signal(void)
{
    int count = SIGRTMAX - SIGRTMIN + 1;
    for (int i = 0; i < count; i++) {
        int number = SIGRTMIN + (count * 2 / 3 + i) % count;
        if (take_if_free(number))
            return number;
    }
    return -EBUSY;
}

/* Signals that are under way would arrive at the program's own handler. Waits until there are none, but not for ever: a thread
 * may not get a CPU, or block the signal. */
static void wait_for_answers(void)
{
    enum { TRIES = 200, PAUSE_NS = 250000 };
    for (int i = 0; i < TRIES; i++) {
        bool under_way = false;
        const struct core_locked *locked = core_lock();
        for (struct registration *thread = registry_first(locked); thread; thread = thread->next)
            under_way |= !handler_answered(thread);
        core_unlock(locked);
        if (!under_way)
            return;
        struct timespec pause = {.tv_nsec = PAUSE_NS};
        nanosleep(&pause, NULL);
    }
}

static void take_another(void)
{
    int number = take_signal();
    atomic_store_explicit(&handler_signal, number > 0 ? number : 0, memory_order_relaxed);
}

int handler_install(void)
{
    atomic_store_explicit(&own_pid, getpid(), memory_order_relaxed);
    int number = atomic_load_explicit(&handler_signal, memory_order_relaxed);
    if (number && still_ours(number))
        return number;
    take_another();
    number = atomic_load_explicit(&handler_signal, memory_order_relaxed);
    return number ? number : -EBUSY;
}

bool handler_check(void)
{
    int number = atomic_load_explicit(&handler_signal, memory_order_relaxed);
    if (number && still_ours(number))
        return true;
    take_another();
    return false;
}

void handler_signal_taken(int signal)
{
    int saved_errno = errno;
    if (signal == atomic_load_explicit(&handler_signal, memory_order_relaxed)) {
        take_another();
        wait_for_answers();
    }
    errno = saved_errno;
}

/* --- asking -------------------------------------------------------------------------------------------------------------- */

bool handler_ask(struct registration *thread)
{
    int number = atomic_load_explicit(&handler_signal, memory_order_relaxed);
    int pid = atomic_load_explicit(&own_pid, memory_order_relaxed);
    if (!number || thread->slot.quiet || !handler_answered(thread))
        return false;
    /* Release: with the handler's acquire, although the signal itself would be order enough. */
    uint32_t asked = atomic_load_explicit(&thread->slot.asked, memory_order_relaxed);
    atomic_store_explicit(&thread->slot.asked, asked + 1, memory_order_release);
    siginfo_t info = {0};
    info.si_code = SI_QUEUE;
    info.si_pid = pid;
    info.si_value.sival_ptr = (void *)(uintptr_t)&mark;
    int saved_errno = errno;
    long sent = syscall(SYS_rt_tgsigqueueinfo, pid, thread->info.tid, number, &info);
    errno = saved_errno;
    if (sent == 0)
        return true;
    /* No handler can have seen it: nothing was sent, and the one before was answered. */
    atomic_store_explicit(&thread->slot.asked, asked, memory_order_relaxed);
    return false;
}

/* A signal that is still to come when the program is replaced would end the new one. */
bool handler_quiet(bool quiet)
{
    int saved_errno = errno;
    struct registration *thread = registration_mine();
    /* In the child of a vfork() this is the parent's. */
    if (!thread || getpid() != atomic_load_explicit(&own_pid, memory_order_relaxed))
        return false;
    const struct core_locked *locked = core_lock();
    thread->slot.quiet = quiet;
    core_unlock(locked);
    /* One that was sent before comes on the way back from any system call. */
    for (int i = 0; quiet && i < 100 && !handler_answered(thread); i++)
        syscall(SYS_sched_yield);
    errno = saved_errno;
    return true;
}
