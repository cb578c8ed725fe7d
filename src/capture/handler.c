/* What a thread does in its handler, how it is asked, and its silence before exec. */
#include "capture/handler.h"

#include "capture/alone.h"
#include "capture/brief.h"
#include "capture/clock.h"
#include "capture/follow.h"
#include "capture/handler_private.h"
#include "capture/internal_thread.h"
#include "capture/masks.h"
#include "capture/registry.h"
#include "capture/timed_say.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int own_pid; /* whose threads are asked; the child of a vfork() has another */

/* Its address goes with every signal of ours: programs send themselves signals, too. */
static const char mark;

bool handler_is_question(const siginfo_t *info)
{
    return (info->si_code == SI_QUEUE || info->si_code == SI_TIMER) && info->si_value.sival_ptr == &mark;
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
    /* After the stack, which is that of the wait. */
    thread->slot.interrupted = context && call_interrupted(context, thread->slot.asked_in);
    atomic_store_explicit(&thread->slot.held_ns, clock_now() - thread->slot.raw.time, memory_order_relaxed);
    /* Release: whoever sees the answer sees the stack. */
    atomic_store_explicit(&thread->slot.answered, asked, memory_order_release);
}

static void respond(struct registration *thread, const siginfo_t *info, void *context)
{
    handler_update_files();
    note_call(thread, context);
    if (info->si_code == SI_TIMER && alone_is() && thread->info.main)
        alone_hear(thread, info, context);
    else if (info->si_code == SI_TIMER)
        timed_say_sample(thread, info->si_signo, context);
    else
        answer(thread, context);
}

void handler_on_signal(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    struct registration *thread = registration_mine();
    if (!handler_is_question(info)) {
        handler_other_signal(thread, number, info, context);
    } else if (thread) { /* else it is about to end */
        respond(thread, info, context);
        masks_settle_in_handler(thread, context);
    }
    errno = saved_errno;
}

bool handler_is(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == handler_on_signal;
}

void handler_answer_now(void)
{
    struct registration *thread = registration_mine();
    if (thread)
        answer(thread, NULL);
}

bool handler_took_question(const siginfo_t *info)
{
    if (!handler_is_question(info))
        return false;
    struct registration *thread = registration_mine();
    if (thread)
        respond(thread, info, NULL);
    return true;
}

/* --- asking -------------------------------------------------------------------------------------------------------------- */

void handler_ask_this_process(void)
{
    atomic_store_explicit(&own_pid, getpid(), memory_order_relaxed);
}

bool handler_is_own_process(void)
{
    return getpid() == atomic_load_explicit(&own_pid, memory_order_relaxed);
}

bool handler_ask_with(struct registration *thread, int number, int listens_to)
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

bool handler_ask(struct registration *thread)
{
    int listens_to = atomic_load_explicit(&thread->mask.number, memory_order_relaxed);
    int number = handler_number_for(listens_to);
    return number && !thread->slot.quiet && handler_answered(thread) && handler_ask_with(thread, number, listens_to);
}

/* `listens_to`: what the thread let through when `number` was chosen. False where the timer is off afterwards. */
static bool arm_timer(struct registration *thread, int number, int listens_to, const struct own_timer_pace *pace)
{
    struct own_timer *timer = &thread->timer;
    /* Sequentially consistent, as in handler_ask_with() and timed_refuse(): either this sees that the thread settles, or the
     * thread sees that its timer is being set, and settles later. */
    atomic_store(&timer->is_being_set, true);
    if (atomic_load(&thread->mask.number) == listens_to && !atomic_load(&thread->waits_for_signals))
        own_timer_arm(timer, pace);
    else
        own_timer_stop(timer);
    /* It may have begun to wait for signals in between. */
    bool is_on = own_timer_signal(timer) == number;
    if (!is_on)
        own_timer_stop(timer);
    atomic_store(&timer->is_being_set, false);
    return is_on;
}

bool handler_start_timer(struct registration *thread, const struct own_timer_pace *pace)
{
    int listens_to = atomic_load_explicit(&thread->mask.number, memory_order_relaxed);
    int number = handler_number_for(listens_to);
    if (!number || thread->slot.quiet ||
        !own_timer_start(&thread->timer, thread->info.tid, thread->info.cpu_clock, number, &mark, pace))
        return false;
    return arm_timer(thread, number, listens_to, pace);
}

void handler_pace_timer(struct registration *thread, const struct own_timer_pace *pace)
{
    int listens_to = atomic_load_explicit(&thread->mask.number, memory_order_relaxed);
    int number = own_timer_signal(&thread->timer);
    if (number)
        arm_timer(thread, number, listens_to, pace);
}

bool handler_set_clock(const struct registration *thread, struct own_clock *clock, uint64_t ns)
{
    bool may = !thread->slot.quiet && !atomic_load(&thread->waits_for_signals);
    int number = may ? handler_number_for(atomic_load_explicit(&thread->mask.number, memory_order_relaxed)) : 0;
    return number && own_clock_set(clock, thread->info.tid, number, &mark, ns);
}

/* --- before exec --------------------------------------------------------------------------------------------------------- */

/* If all goes well nobody is there any more to say so. */
static void note_replaced(const struct core_locked *locked, bool replaced)
{
    const struct active_state *active = active_state(locked);
    if (!active) {
        brief_say(locked, replaced ? SESSION_REPLACED : SESSION_RECORDING);
        return;
    }
    struct session_file_header *header = chunk_manager_header(active->chunks);
    uint32_t state = atomic_load_explicit(&header->state, memory_order_relaxed);
    if (state == SESSION_DISK_FULL)
        return;
    state = replaced ? SESSION_REPLACED : active->paused ? SESSION_PAUSED : SESSION_RECORDING;
    atomic_store_explicit(&header->state, state, memory_order_relaxed);
    atomic_store_explicit(&header->end_ns, replaced ? clock_now() : 0, memory_order_relaxed);
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
    if (quiet)
        follow_publish_locked(locked);
    thread->slot.quiet = quiet;
    own_timer_stop(&thread->timer);
    note_replaced(locked, quiet);
    if (quiet)
        internal_threads_end_here();
    else
        internal_threads_go_on();
    follow_hold(locked, quiet);
    core_unlock(locked);
    /* One that was sent before comes on the way back from any system call. */
    for (int i = 0; quiet && i < 100 && !handler_answered(thread); i++)
        syscall(SYS_sched_yield);
    errno = saved_errno;
    return true;
}
