/* Which number is ours: it is taken, given up where the program turns out to use it, and left when all threads have settled. */
#include "capture/handler_number.h"

#include "capture/alone.h"
#include "capture/follow.h"
#include "capture/handler.h"
#include "capture/handler_private.h"
#include "capture/internal_thread.h"
#include "capture/masks.h"
#include "capture/registry.h"
#include "capture/sandbox.h"
#include "capture/signal_files.h"
#include "session/own_mask.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

_Atomic int handler_signal;
_Atomic uint64_t handler_numbers;

/* Somebody asks, so that questions may be under way. */
static _Atomic bool asking;

/* Numbers, as bits, that were given up in the handler: the sampler has threads settle, before signalfds get the number. And
 * such that are just being given up by a thread which does that itself. */
static _Atomic uint64_t given_up, being_left;

/* And such that are just being taken: they are hidden from signalfds before anybody asks with them. */
static _Atomic uint64_t being_taken;

/* What is kept out of signalfds has changed, and the sampler cannot reach them: its descriptors are its own (follow.h). The
 * next thread that is asked does it. */
static _Atomic bool files_are_due;

/* That the program has raised by timers or message queues: never ours. */
static _Atomic uint64_t programs_own;

/* As the kernel has it, which begins with the handler; all zero is the default action. Not through sigaction(), which
 * libsonde-preload stands in front of. */
struct kernel_action {
    uint64_t words[4];
};

static bool kernel_action(int number, const struct kernel_action *action, struct kernel_action *old)
{
    enum { KERNEL_SIGSET_BYTES = 8 };
    return syscall(SYS_rt_sigaction, number, action, old, KERNEL_SIGSET_BYTES) == 0;
}

/* What the kernel calls for our handler: handler_on_signal, or what a sanitizer puts in front of all handlers. */
static _Atomic uint64_t entrance;

static bool still_ours(int number)
{
    struct kernel_action now;
    return kernel_action(number, NULL, &now) && now.words[0] == atomic_load_explicit(&entrance, memory_order_relaxed);
}

/* --- taking one, or another ---------------------------------------------------------------------------------------------- */

static bool take_if_free(int number)
{
    struct kernel_action now;
    struct sigaction ours = {.sa_sigaction = handler_on_signal, .sa_flags = SA_RESTART | SA_SIGINFO | SA_ONSTACK};
    /* A handler of the program that came in between could leave by longjmp(), and ours would never answer. What the CPU raises,
     * or a sandbox, cannot wait. */
    static const int cannot_wait[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigfillset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof cannot_wait / sizeof *cannot_wait; i++)
        sigdelset(&ours.sa_mask, cannot_wait[i]);
    if (atomic_load_explicit(&programs_own, memory_order_relaxed) & signal_bit(number))
        return false;
    if (!kernel_action(number, NULL, &now) || now.words[0] != 0)
        return false;
    /* It may have been ours, and the program has taken our handler away behind our back. sigaction() must not take this for the
     * program's wish: the caller may hold the core lock. */
    atomic_fetch_and_explicit(&handler_numbers, ~signal_bit(number), memory_order_relaxed);
    if (sigaction(number, &ours, NULL) != 0 || !kernel_action(number, NULL, &now))
        return false;
    atomic_store_explicit(&entrance, now.words[0], memory_order_relaxed);
    atomic_fetch_or_explicit(&handler_numbers, signal_bit(number), memory_order_relaxed);
    return true;
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

/* What may still come as a question, or is about to. */
static uint64_t to_be_hidden(void)
{
    return signal_bit(atomic_load(&handler_signal)) | atomic_load(&being_taken) | atomic_load(&given_up) |
           atomic_load(&being_left);
}

/* After every change of those. Threads may do so at the same time: whoever has written last looks whether it was the latest. */
static void hide_from_files(void)
{
    uint64_t hidden;
    if (follow_has_own_files() && internal_thread_is_mine()) {
        atomic_store(&files_are_due, true);
        return;
    }
    do {
        hidden = to_be_hidden();
        signal_files_hide(hidden);
    } while (hidden != to_be_hidden());
}

void handler_update_files(void)
{
    if (atomic_load_explicit(&files_are_due, memory_order_relaxed) && !sandbox_is_closed() &&
        atomic_exchange(&files_are_due, false))
        hide_from_files();
}

/* By the one who has found out that it has to be. */
static void take_another(void)
{
    int number = take_signal();
    uint64_t bit = signal_bit(number);
    atomic_fetch_or(&being_taken, bit);
    hide_from_files();
    atomic_store(&handler_signal, number > 0 ? number : 0);
    atomic_fetch_and(&being_taken, ~bit);
}

/* From now on questions are asked with another number. Our handler stays. A signal that came meanwhile could not be put back:
 * nobody knows yet what the thread has to let through instead. */
static void give_up(int number)
{
    uint64_t mask = own_mask_block_all();
    if (atomic_compare_exchange_strong(&handler_signal, &number, HANDLER_CHOOSES))
        take_another();
    own_mask_restore(mask);
}

bool handler_check(void)
{
    int number = atomic_load_explicit(&handler_signal, memory_order_relaxed);
    if (number == HANDLER_CHOOSES || (number && still_ours(number)))
        return true;
    atomic_fetch_and_explicit(&handler_numbers, ~signal_bit(number), memory_order_relaxed);
    give_up(number);
    return false;
}

int handler_install(void)
{
    handler_ask_this_process();
    atomic_store_explicit(&asking, true, memory_order_relaxed);
    handler_check();
    int number = atomic_load_explicit(&handler_signal, memory_order_relaxed);
    return number > 0 ? number : -EBUSY;
}

int handler_number_for(int listens_to)
{
    int ours = atomic_load_explicit(&handler_signal, memory_order_relaxed);
    if (ours == HANDLER_CHOOSES)
        return 0;
    if (listens_to == ours || listens_to == 0)
        return ours;
    if (atomic_load_explicit(&being_left, memory_order_relaxed) & signal_bit(listens_to))
        return 0;
    if (atomic_load_explicit(&given_up, memory_order_relaxed) & signal_bit(listens_to))
        return listens_to;
    bool has_handler = atomic_load_explicit(&handler_numbers, memory_order_relaxed) & signal_bit(listens_to);
    return has_handler && !signal_files_want(listens_to) ? listens_to : ours;
}

/* --- the program's signals with that number ------------------------------------------------------------------------------ */

/* A signal with our number that we did not send. Only a signal that nobody handled is taken, so without us it would have ended
 * the process. A handler of the program that calls the one before it, us, does not want that. */
static void pass_on(int number)
{
    if (!still_ours(number))
        return;
    kernel_action(number, &(struct kernel_action){0}, NULL);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

/* Lets a signal of the program, which was taken from it, wait again: behind others with the same number. Where there is no
 * memory for what goes with it, at least the number arrives. */
static void send_again(int number, siginfo_t *info, bool to_thread)
{
    pid_t pid = getpid(), tid = (pid_t)syscall(SYS_gettid);
    if (to_thread && syscall(SYS_rt_tgsigqueueinfo, pid, tid, number, info) != 0)
        syscall(SYS_tgkill, pid, tid, number);
    if (!to_thread && syscall(SYS_rt_sigqueueinfo, pid, number, info) != 0)
        syscall(SYS_kill, pid, number);
}

/* `locked` NULL: it is not alone. */
static void change_alone(const struct core_locked *locked)
{
    if (!locked)
        return;
    alone_change_number(locked);
    core_unlock(locked);
}

/* The program wants the signal blocked here, and to be had in another way: now it is, and waits for that. Whether the thread or
 * the process was meant can be seen only where tgkill() sent it. */
static void put_back(struct registration *thread, int number, siginfo_t *info, void *context)
{
    if (atomic_load_explicit(&asking, memory_order_relaxed) &&
        number == atomic_load_explicit(&handler_signal, memory_order_relaxed))
        atomic_fetch_or_explicit(&given_up, signal_bit(number), memory_order_relaxed);
    give_up(number);
    masks_settle_in_handler(thread, context);
    change_alone(core_try_lock());
    send_again(number, info, info->si_code == SI_TKILL);
}

void handler_other_signal(struct registration *thread, int number, siginfo_t *info, void *context)
{
    if (thread && masks_withhold_in_handler(thread, number, context))
        put_back(thread, number, info, context);
    else
        pass_on(number);
}

/* Those of the process must stay where they are, in their order. A thread is given its own first, so all that comes before one
 * that it sends to itself is its own. */
static void drain(int number)
{
    static const char last;
    uint64_t set = signal_bit(number);
    const struct timespec at_once = {0};
    siginfo_t info = {.si_code = SI_QUEUE};
    info.si_pid = getpid();
    info.si_value.sival_ptr = (void *)(uintptr_t)&last;
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, &info) != 0)
        return;
    while (syscall(SYS_rt_sigtimedwait, &set, &info, &at_once, sizeof set) == number) {
        if (info.si_code == SI_QUEUE && info.si_value.sival_ptr == &last)
            return;
        if (!handler_is_question(&info))
            send_again(number, &info, true);
    }
}

void handler_drain(int number)
{
    int saved_errno = errno;
    if (!sandbox_is_closed() && own_mask_waiting() & signal_bit(number))
        drain(number);
    errno = saved_errno;
}

/* --- leaving it ---------------------------------------------------------------------------------------------------------- */

void handler_collect(const struct core_locked *locked)
{
    uint64_t left = atomic_load_explicit(&given_up, memory_order_relaxed);
    for (int number = SIGRTMIN; left && number <= SIGRTMAX; number++)
        if (left & signal_bit(number) && handler_settle_threads(locked, number)) {
            atomic_fetch_and(&given_up, ~signal_bit(number));
            hide_from_files();
        }
    if (atomic_load_explicit(&files_are_due, memory_order_relaxed))
        handler_have_files_updated(locked);
}

void handler_rest(void)
{
    atomic_store_explicit(&asking, false, memory_order_relaxed);
    if (atomic_exchange(&given_up, 0))
        hide_from_files();
}

/* The signalfds are left alone: they are the parent's, too. */
void handler_forked(void)
{
    handler_ask_this_process();
    atomic_store_explicit(&asking, false, memory_order_relaxed);
    atomic_store_explicit(&given_up, 0, memory_order_relaxed);
    atomic_store_explicit(&being_left, 0, memory_order_relaxed);
    atomic_store_explicit(&being_taken, 0, memory_order_relaxed);
    atomic_store_explicit(&files_are_due, false, memory_order_relaxed);
    int chooses = HANDLER_CHOOSES; /* a thread that is not here */
    atomic_compare_exchange_strong(&handler_signal, &chooses, 0);
}

/* Those that would go on to send it, whatever their threads do with their masks. */
static void remove_timers(const struct core_locked *locked, int number)
{
    for (struct registration *thread = registry_first(locked); thread; thread = thread->next)
        if (thread->timer.made_for == number)
            own_timer_remove(&thread->timer);
}

/* Signals that are under way would arrive at the program's own handler. Waits until there are none, but not for ever: a thread
 * may be stopped. */
static void leave(int number)
{
    enum { TRIES = 4000, PAUSE_NS = 250000 };
    /* If there is no other number its session could not begin any more. */
    if (alone_is() && handler_is_own_process())
        follow_publish();
    follow_not_alone();
    atomic_fetch_or_explicit(&being_left, signal_bit(number), memory_order_relaxed);
    give_up(number);
    change_alone(core_lock());
    bool settled = false;
    for (int i = 0; i < TRIES && !settled; i++) {
        struct registration *mine = registration_mine();
        settled = !mine || masks_settle(mine);
        const struct core_locked *locked = core_lock();
        remove_timers(locked, number);
        settled &= handler_settle_threads(locked, number);
        core_unlock(locked);
        struct timespec pause = {.tv_nsec = PAUSE_NS};
        if (!settled) /* not nanosleep(), where the thread could be cancelled */
            syscall(SYS_nanosleep, &pause, NULL);
    }
    atomic_fetch_and(&being_left, ~signal_bit(number));
    change_alone(core_lock());
    /* Last: while a thread was asked with it, a signalfd could have taken the question. */
    hide_from_files();
}

void handler_signal_taken(int signal)
{
    int saved_errno = errno;
    if (atomic_load_explicit(&handler_numbers, memory_order_relaxed) & signal_bit(signal)) {
        /* First: nobody else asks with it any more. */
        atomic_fetch_and_explicit(&handler_numbers, ~signal_bit(signal), memory_order_relaxed);
        leave(signal);
    }
    errno = saved_errno;
}

void handler_signal_sent(int signal)
{
    int saved_errno = errno;
    /* Where somebody else is about to give it up, too: when this returns the masks are as they have to be. */
    uint64_t unsettled = signal_bit(atomic_load_explicit(&handler_signal, memory_order_relaxed)) |
                         atomic_load_explicit(&given_up, memory_order_relaxed) |
                         atomic_load_explicit(&being_left, memory_order_relaxed);
    if (unsettled & signal_bit(signal))
        leave(signal);
    errno = saved_errno;
}

void handler_signal_reserved(int signal)
{
    int saved_errno = errno;
    /* First: it is not taken any more, once it is left. */
    atomic_fetch_or(&programs_own, signal_bit(signal));
    if (atomic_load(&handler_numbers) & signal_bit(signal))
        leave(signal);
    errno = saved_errno;
}
