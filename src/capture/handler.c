#include "capture/handler.h"

#include "capture/clock.h"
#include "capture/follow.h"
#include "capture/internal_thread.h"
#include "capture/long_sleep.h"
#include "capture/masks.h"
#include "capture/registry.h"
#include "capture/sandbox.h"
#include "capture/signal_files.h"
#include "capture/syscall_file.h"
#include "session/own_mask.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Atomic int handler_signal;
_Atomic uint64_t handler_numbers;

static _Atomic int own_pid; /* whose threads are asked; the child of a vfork() has another */

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

/* Its address goes with every signal of ours: programs send themselves signals, too. */
static const char mark;

static void on_signal(int number, siginfo_t *info, void *context);

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

/* What the kernel calls for our handler: on_signal, or what a sanitizer puts in front of all handlers. */
static _Atomic uint64_t entrance;

static bool still_ours(int number)
{
    struct kernel_action now;
    return kernel_action(number, NULL, &now) && now.words[0] == atomic_load_explicit(&entrance, memory_order_relaxed);
}

static bool is_ours(const siginfo_t *info)
{
    return (info->si_code == SI_QUEUE || info->si_code == SI_TIMER) && info->si_value.sival_ptr == &mark;
}

/* A signal with our number that we did not send. Only a signal that nobody handled is taken, so without us it would have ended
 * the process. A handler of the program that calls the one before it, us, does not want that. */
static void pass_on(int number)
{
    if (!still_ours(number))
        return;
    kernel_action(number, &(struct kernel_action){0}, NULL);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

/* `context` as below. */
static void note_call(struct registration *thread, const void *context)
{
    if (context && call_waits_for_signals(context))
        atomic_store_explicit(&thread->waits_for_signals, true, memory_order_relaxed);
}

/* `context` as in the handler; NULL = not in one. */
static void answer(struct registration *thread, void *context)
{
    /* Acquire: the sampler has read the last answer before it asks for another. */
    uint32_t asked = atomic_load_explicit(&thread->slot.asked, memory_order_acquire);
    if (asked == atomic_load_explicit(&thread->slot.answered, memory_order_relaxed))
        return;
    stack_for_sampler(thread, context, &thread->slot.raw);
    note_call(thread, context);
    /* After the stack, which is that of the wait. */
    thread->slot.interrupted = context && call_interrupted(context, thread->slot.asked_in);
    atomic_store_explicit(&thread->slot.held_ns, clock_now() - thread->slot.raw.time, memory_order_relaxed);
    /* Release: whoever sees the answer sees the stack. */
    atomic_store_explicit(&thread->slot.answered, asked, memory_order_release);
}

/* The thread's own timer; `context` as above. */
static void take_sample(struct registration *thread, int number, void *context)
{
    struct own_timer *timer = &thread->timer;
    bool is_on = own_timer_signal(timer) == number; /* else it is a late one of a timer that was stopped */
    bool waits = !context || own_timer_finds_waiting(timer, call_stands(context));
    note_call(thread, context);
    struct timed_sample *sample = is_on ? own_timer_room(timer) : NULL;
    if (sample)
        stack_for_sampler(thread, context, &sample->raw);
    if (context && call_interrupted_by_timer(context))
        atomic_fetch_add_explicit(&timer->interrupted, 1, memory_order_relaxed);
    if (sample) {
        sample->held_ns = clock_now() - sample->raw.time;
        own_timer_filled(timer);
    }
    if (is_on && waits) {
        own_timer_stop(timer);
        long_sleep_call_anybody(); /* from here on the sampler has to look at it again */
    }
}

static void hide_from_files(void);

static void respond(struct registration *thread, const siginfo_t *info, void *context)
{
    if (atomic_load_explicit(&files_are_due, memory_order_relaxed) && !sandbox_is_closed() &&
        atomic_exchange(&files_are_due, false))
        hide_from_files();
    if (info->si_code == SI_TIMER)
        take_sample(thread, info->si_signo, context);
    else
        answer(thread, context);
}

static void give_up(int number);

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
        if (!is_ours(&info))
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

/* The program wants the signal blocked here, and to be had in another way: now it is, and waits for that. Whether the thread or
 * the process was meant can be seen only where tgkill() sent it. */
static void put_back(struct registration *thread, int number, siginfo_t *info, void *context)
{
    if (atomic_load_explicit(&asking, memory_order_relaxed) &&
        number == atomic_load_explicit(&handler_signal, memory_order_relaxed))
        atomic_fetch_or_explicit(&given_up, signal_bit(number), memory_order_relaxed);
    give_up(number);
    masks_settle_in_handler(thread, context);
    send_again(number, info, info->si_code == SI_TKILL);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    struct registration *thread = registration_mine();
    if (!is_ours(info)) {
        if (thread && masks_withhold_in_handler(thread, number, context))
            put_back(thread, number, info, context);
        else
            pass_on(number);
    } else if (thread) { /* else it is about to end */
        respond(thread, info, context);
        masks_settle_in_handler(thread, context);
    }
    errno = saved_errno;
}

bool handler_is(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_signal;
}

bool handler_took_question(const siginfo_t *info)
{
    if (!is_ours(info))
        return false;
    struct registration *thread = registration_mine();
    if (thread)
        respond(thread, info, NULL);
    return true;
}

/* --- which signal -------------------------------------------------------------------------------------------------------- */

static bool take_if_free(int number)
{
    struct kernel_action now;
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO | SA_ONSTACK};
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

int handler_install(void)
{
    atomic_store_explicit(&own_pid, getpid(), memory_order_relaxed);
    atomic_store_explicit(&asking, true, memory_order_relaxed);
    handler_check();
    int number = atomic_load_explicit(&handler_signal, memory_order_relaxed);
    return number > 0 ? number : -EBUSY;
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

/* --- giving it up -------------------------------------------------------------------------------------------------------- */

/* From now on questions are asked with another number. Our handler stays. A signal that came meanwhile could not be put back:
 * nobody knows yet what the thread has to let through instead. */
static void give_up(int number)
{
    uint64_t mask = own_mask_block_all();
    if (atomic_compare_exchange_strong(&handler_signal, &number, HANDLER_CHOOSES))
        take_another();
    own_mask_restore(mask);
}

/* Where the thread is, as the kernel says. False: nobody can say. The file that is open is the sampler's, which may have its
 * descriptors to itself. */
static bool find_place(struct registration *thread, bool *is_blocked, struct syscall_place *place)
{
    int own_fd = -1, *fd = &thread->sampled.syscall_fd;
    if (follow_has_own_files() && !internal_thread_is_mine())
        fd = &own_fd;
    if (*fd < 0)
        *fd = syscall_file_open(thread->info.tid);
    bool known = *fd >= 0;
    *is_blocked = known && syscall_file_read(fd, place);
    syscall_file_close(&own_fd);
    return known;
}

/* Whether a thread that is not to be sampled may be asked; and where it is blocked. */
static bool may_be_asked(struct registration *thread, struct blocked_at *blocked)
{
    struct syscall_place place;
    bool is_blocked;
    *blocked = (struct blocked_at){0};
    if (thread == registration_mine() || atomic_load_explicit(&thread->mask.shown, memory_order_relaxed) || thread->slot.quiet)
        return false;
    /* Nobody can say whether it waits for signals. One of the program is put back when it comes. */
    if (!find_place(thread, &is_blocked, &place))
        return false;
    if (!is_blocked)
        return true;
    *blocked = (struct blocked_at){place.pc, place.sp};
    return !syscall_waits_for_signals(place.number);
}

static bool ask(struct registration *thread, int number, int listens_to);

/* Not for its stack, but for what it does in its handler besides. */
static bool ask_besides(struct registration *thread, int number, int listens_to, struct blocked_at blocked)
{
    /* slot.raw is the handler's now. */
    if (thread->sampled.last == &thread->slot.raw)
        thread->sampled.last = NULL;
    thread->slot.asked_in = blocked;
    thread->sampled.asked_cpu_ns = clock_read(thread->info.cpu_clock);
    return ask(thread, number, listens_to);
}

/* A thread that lets `number` through although the program wants it blocked, and may be interrupted so that it settles. */
static bool has_to_settle(struct registration *thread, int number, struct blocked_at *blocked)
{
    return atomic_load_explicit(&thread->mask.number, memory_order_relaxed) == number && masks_may_withhold(thread, number) &&
           may_be_asked(thread, blocked);
}

/* Long enough to have answered: it blocks the signal, in a handler of the program or in a way that we do not see. */
static bool has_run_since(const struct registration *thread)
{
    enum { LONG_ENOUGH_NS = 20000000 };
    return clock_read(thread->info.cpu_clock) - thread->sampled.asked_cpu_ns > LONG_ENOUGH_NS;
}

static bool is_asked_with(const struct registration *thread, int number)
{
    return !handler_answered(thread) && atomic_load_explicit(&thread->slot.number, memory_order_relaxed) == number;
}

/* True when no thread has still to settle, or to answer a question with this number. */
static bool settle_threads(const struct core_locked *locked, int number)
{
    bool under_way = false;
    for (struct registration *thread = registry_first(locked); thread; thread = thread->next) {
        struct blocked_at blocked;
        if (!handler_answered(thread)) {
            under_way |= is_asked_with(thread, number) && !has_run_since(thread);
        } else if (has_to_settle(thread, number, &blocked)) {
            /* Where that fails, next time. */
            ask_besides(thread, number, number, blocked);
            under_way = true;
        }
    }
    return !under_way;
}

static int number_for(int number);

/* One of those that have answered so far; if it does not, another one next time. */
static void have_files_updated(const struct core_locked *locked)
{
    for (struct registration *thread = registry_first(locked); thread; thread = thread->next) {
        struct blocked_at blocked;
        int listens_to = atomic_load_explicit(&thread->mask.number, memory_order_relaxed), number = number_for(listens_to);
        if (number && handler_answered(thread) && may_be_asked(thread, &blocked) &&
            ask_besides(thread, number, listens_to, blocked))
            return;
    }
}

void handler_collect(const struct core_locked *locked)
{
    uint64_t left = atomic_load_explicit(&given_up, memory_order_relaxed);
    for (int number = SIGRTMIN; left && number <= SIGRTMAX; number++)
        if (left & signal_bit(number) && settle_threads(locked, number)) {
            atomic_fetch_and(&given_up, ~signal_bit(number));
            hide_from_files();
        }
    if (atomic_load_explicit(&files_are_due, memory_order_relaxed))
        have_files_updated(locked);
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
    atomic_store_explicit(&own_pid, getpid(), memory_order_relaxed);
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
    atomic_fetch_or_explicit(&being_left, signal_bit(number), memory_order_relaxed);
    give_up(number);
    bool settled = false;
    for (int i = 0; i < TRIES && !settled; i++) {
        struct registration *mine = registration_mine();
        settled = !mine || masks_settle(mine);
        const struct core_locked *locked = core_lock();
        remove_timers(locked, number);
        settled &= settle_threads(locked, number);
        core_unlock(locked);
        struct timespec pause = {.tv_nsec = PAUSE_NS};
        if (!settled) /* not nanosleep(), where the thread could be cancelled */
            syscall(SYS_nanosleep, &pause, NULL);
    }
    atomic_fetch_and(&being_left, ~signal_bit(number));
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

/* --- asking -------------------------------------------------------------------------------------------------------------- */

/* Only as long as the thread listens to what it did when the number was chosen. */
static bool ask(struct registration *thread, int number, int listens_to)
{
    int pid = atomic_load_explicit(&own_pid, memory_order_relaxed);
    uint32_t asked = atomic_load_explicit(&thread->slot.asked, memory_order_relaxed);
    atomic_store_explicit(&thread->slot.number, number, memory_order_relaxed);
    /* Sequentially consistent, all three: either this sees that the thread settles, or the thread sees that it is asked. */
    atomic_store_explicit(&thread->slot.asked, asked + 1, memory_order_seq_cst);
    long sent = -1;
    if (atomic_load_explicit(&thread->mask.number, memory_order_seq_cst) == listens_to) {
        siginfo_t info = {0};
        info.si_code = SI_QUEUE;
        info.si_pid = pid;
        info.si_value.sival_ptr = (void *)(uintptr_t)&mark;
        int saved_errno = errno;
        sent = syscall(SYS_rt_tgsigqueueinfo, pid, thread->info.tid, number, &info);
        errno = saved_errno;
    }
    if (sent == 0)
        return true;
    /* No handler can have seen it: nothing was sent, and the one before was answered. */
    atomic_store_explicit(&thread->slot.asked, asked, memory_order_relaxed);
    return false;
}

/* The number that a thread lets through, as long as it has not settled for the one in use, and nobody else gets it. 0 = it is
 * not to be asked at this moment. */
static int number_for(int number)
{
    int ours = atomic_load_explicit(&handler_signal, memory_order_relaxed);
    if (ours == HANDLER_CHOOSES)
        return 0;
    if (number == ours || number == 0)
        return ours;
    if (atomic_load_explicit(&being_left, memory_order_relaxed) & signal_bit(number))
        return 0;
    if (atomic_load_explicit(&given_up, memory_order_relaxed) & signal_bit(number))
        return number;
    bool has_handler = atomic_load_explicit(&handler_numbers, memory_order_relaxed) & signal_bit(number);
    return has_handler && !signal_files_want(number) ? number : ours;
}

bool handler_ask(struct registration *thread)
{
    int listens_to = atomic_load_explicit(&thread->mask.number, memory_order_relaxed);
    int number = number_for(listens_to);
    return number && !thread->slot.quiet && handler_answered(thread) && ask(thread, number, listens_to);
}

/* `listens_to`: what the thread let through when `number` was chosen. False where the timer is off afterwards. */
static bool arm_timer(struct registration *thread, int number, int listens_to, uint64_t first, uint64_t interval_ns)
{
    struct own_timer *timer = &thread->timer;
    /* Sequentially consistent, as in ask() and timed_refuse(): either this sees that the thread settles, or the thread sees
     * that its timer is being set, and settles later. */
    atomic_store(&timer->is_being_set, true);
    if (atomic_load(&thread->mask.number) == listens_to && !atomic_load(&thread->waits_for_signals))
        own_timer_arm(timer, first, interval_ns);
    else
        own_timer_stop(timer);
    /* It may have begun to wait for signals in between. */
    bool is_on = own_timer_signal(timer) == number;
    if (!is_on)
        own_timer_stop(timer);
    atomic_store(&timer->is_being_set, false);
    return is_on;
}

bool handler_start_timer(struct registration *thread, uint64_t first, uint64_t interval_ns)
{
    int listens_to = atomic_load_explicit(&thread->mask.number, memory_order_relaxed);
    int number = number_for(listens_to);
    if (!number || thread->slot.quiet || !own_timer_start(&thread->timer, thread->info.tid, number, &mark, interval_ns))
        return false;
    return arm_timer(thread, number, listens_to, first, interval_ns);
}

void handler_pace_timer(struct registration *thread, uint64_t first, uint64_t interval_ns)
{
    int listens_to = atomic_load_explicit(&thread->mask.number, memory_order_relaxed);
    int number = own_timer_signal(&thread->timer);
    if (number)
        arm_timer(thread, number, listens_to, first, interval_ns);
}

/* If all goes well nobody is there any more to say so. */
static void note_replaced(const struct core_locked *locked, bool replaced)
{
    const struct active_state *active = active_state(locked);
    if (!active)
        return;
    struct session_file_header *header = chunk_manager_header(active->chunks);
    uint32_t state = atomic_load_explicit(&header->state, memory_order_relaxed);
    if (state == SESSION_DISK_FULL)
        return;
    state = replaced ? SESSION_REPLACED : active->paused ? SESSION_PAUSED : SESSION_RECORDING;
    atomic_store_explicit(&header->state, state, memory_order_relaxed);
    atomic_store_explicit(&header->end_ns, replaced ? clock_now() : 0, memory_order_relaxed);
}

bool handler_is_own_process(void)
{
    return getpid() == atomic_load_explicit(&own_pid, memory_order_relaxed);
}

/* A signal that is still to come when the program is replaced would end the new one. */
bool handler_quiet(bool quiet)
{
    int saved_errno = errno;
    struct registration *thread = registration_mine();
    /* In the child of a vfork() this is the parent's. */
    if (!thread || !handler_is_own_process())
        return false;
    const struct core_locked *locked = core_lock();
    thread->slot.quiet = quiet;
    own_timer_stop(&thread->timer);
    note_replaced(locked, quiet);
    follow_hold(locked, quiet);
    core_unlock(locked);
    /* One that was sent before comes on the way back from any system call. */
    for (int i = 0; quiet && i < 100 && !handler_answered(thread); i++)
        syscall(SYS_sched_yield);
    errno = saved_errno;
    return true;
}
