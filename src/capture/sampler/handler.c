#include "capture/sampler/handler.h"

#include "capture/core/clock.h"
#include "capture/core/core.h"
#include "capture/core/sandbox.h"
#include "capture/core/state.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"
#include "session/own_mask.h"
#include "unwind/call.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

const char sample_signal_mark;

static int (*set_action)(int number, const struct sigaction *action, struct sigaction *old) = sigaction;

/* The program has blocked the signal, as far as it can tell, when the kernel's mask was `blocked_with`. Masks are also restored
 * behind our back: at the end of a handler, by siglongjmp(). Then bits of that are missing. */
static __thread bool is_blocked __attribute__((tls_model("initial-exec")));
static __thread uint64_t blocked_with __attribute__((tls_model("initial-exec")));

/* What the program has set; guarded by nothing but that programs set handlers one at a time. */
static struct sigaction programs_action;
static bool is_installed;

/* --- a sample ------------------------------------------------------------------------------------------------------------ */

/* After an event so many ticks in user code are not samples: events have them. Where events stop coming (their recorder is
 * gone), ticks are samples again. */
enum { TICKS_AFTER_EVENT = 8 };

static bool is_wanted(struct registration *thread, enum sample_clock clock, bool in_call)
{
    enum { RECORDED = THREAD_SAMPLING };
    uint64_t word = state_get();
    if ((word & (STATE_ACTIVE | STATE_PAUSED | STATE_SAMPLING_PAUSED)) != STATE_ACTIVE || live_is_paused() ||
        !(atomic_load_explicit(&thread->features, memory_order_relaxed) & RECORDED))
        return false;
    if (clock == SAMPLE_BY_EVENT) {
        thread->ticks_to_skip = TICKS_AFTER_EVENT;
        return true;
    }
    if (in_call || thread->ticks_to_skip == 0)
        return true;
    thread->ticks_to_skip--;
    thread->ticks_skipped++;
    return false;
}

static void count_time(const struct live_session *session, uint64_t ns)
{
    unsigned bucket = 0;
    while (bucket < HELD_BUCKETS - 1 && ns >= UINT64_C(64) << bucket)
        bucket++;
    atomic_fetch_add_explicit(&session->header->held[bucket], 1, memory_order_relaxed);
    live_statistic_add(session, STATISTIC_HANDLER_NS, ns);
}

static void take_sample(struct registration *thread, enum sample_clock clock, const void *context)
{
    bool in_call = unwind_context_is_after_call(context);
    if (!is_wanted(thread, clock, in_call)) {
        if (live_is_over())
            thread_clock_rest(&thread->clock); /* the program goes on, without its recorder */
        return;
    }
    live_enter_sample(thread);
    const struct live_session *session = live_session();
    if (session) {
        if (atomic_load_explicit(&session->header->filtered, memory_order_relaxed))
            sandbox_close(false);
        struct sample_facts facts = {
            .thread = thread->info.number, .clock = clock, .in_call = in_call, .skipped = thread->ticks_skipped};
        thread->ticks_skipped = 0;
        stack_in_handler(thread, context, &thread->samples.raw);
        sample_write(&thread->samples, session, &facts);
        count_time(session, clock_now() - thread->samples.raw.time);
    }
    live_leave_sample(thread);
}

/* --- the signal ---------------------------------------------------------------------------------------------------------- */

static bool is_tick(const siginfo_t *info)
{
    return info->si_code == SI_TIMER && info->si_value.sival_ptr == &sample_signal_mark;
}

/* Of an event, which the recorder has opened: its descriptor is in another process. */
static bool is_event(const siginfo_t *info)
{
    return info->si_code >= POLL_IN && info->si_code <= POLL_HUP;
}

enum { SIGNAL_BIT = SAMPLE_SIGNAL - 1 };
#define OUR_SIGNAL (UINT64_C(1) << SIGNAL_BIT)

/* As the kernel has it. */
static uint64_t bits_of(const sigset_t *set)
{
    uint64_t bits;
    memcpy(&bits, set, sizeof bits);
    return bits;
}

/* To whom it was sent; comes when it is not blocked any more. By the system calls: programs and tools stand in front of the
 * functions. What the kernel and kill() say of a signal only the main thread may repeat. */
static void send_again(siginfo_t *info)
{
    if (info->si_code == SI_TKILL)
        syscall(SYS_tgkill, getpid(), gettid(), SAMPLE_SIGNAL);
    else if (info->si_code < 0)
        syscall(SYS_rt_sigqueueinfo, getpid(), SAMPLE_SIGNAL, info);
    else
        syscall(SYS_kill, getpid(), SAMPLE_SIGNAL);
}

/* The program has blocked it: from here on it really is, on this thread, until the program changes its mask. So it waits for
 * whoever takes it: another thread that has it not blocked, sigwait(), a signalfd. */
static void hold_back(siginfo_t *info, ucontext_t *context)
{
    sigaddset(&context->uc_sigmask, SAMPLE_SIGNAL);
    send_again(info);
}

/* What it has blocked in its handler is what it asked for, not what we have blocked in ours: it may jump out of it. */
static void call_programs_handler(int number, siginfo_t *info, ucontext_t *context)
{
    const struct sigaction action = programs_action;
    if (handler_is_blocked(bits_of(&context->uc_sigmask))) {
        hold_back(info, context);
        return;
    }
    if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN)
        return;
    if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL) {
        struct sigaction standard = {.sa_handler = SIG_DFL};
        set_action(number, &standard, NULL);
        send_again(info); /* comes when this handler returns */
        return;
    }
    if ((unsigned)action.sa_flags & SA_RESETHAND)
        programs_action = (struct sigaction){.sa_handler = SIG_DFL};
    uint64_t own = action.sa_flags & SA_NODEFER ? 0 : OUR_SIGNAL;
    own_mask_change(SIG_SETMASK, bits_of(&context->uc_sigmask) | bits_of(&action.sa_mask) | own);
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(number, info, context);
    else
        action.sa_handler(number);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    struct registration *thread = registration_mine();
    bool tick = is_tick(info);
    if (!tick && !is_event(info))
        call_programs_handler(number, info, context);
    else if (thread) /* else it is about to end, or has just begun */
        take_sample(thread, tick ? SAMPLE_BY_TICK : SAMPLE_BY_EVENT, context);
    errno = saved_errno;
}

bool handler_is(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_signal;
}

/* A call of the program that is interrupted by a signal of its own fails or goes on as the program wants; ours come only while
 * it runs. */
static int restarts(void)
{
    bool has_handler = programs_action.sa_flags & SA_SIGINFO ||
                       (programs_action.sa_handler != SIG_DFL && programs_action.sa_handler != SIG_IGN);
    return has_handler ? programs_action.sa_flags & SA_RESTART : SA_RESTART;
}

/* No handler of the program comes in between, and none jumps out of ours; but what our own code could be stopped for by the
 * CPU is not blocked, which would end the process without a word. */
static void make_action(struct sigaction *action)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    *action = (struct sigaction){.sa_sigaction = on_signal, .sa_flags = restarts() | SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action->sa_mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&action->sa_mask, faults[i]);
}

int handler_install(bool after_exec)
{
    struct sigaction action;
    if (is_installed)
        return 0;
    /* The handler may come before this has ended: it finds the program's action then, for a signal that is not ours. */
    if (set_action(SAMPLE_SIGNAL, NULL, &programs_action) != 0)
        return -errno;
    if (after_exec && programs_action.sa_handler == SIG_IGN)
        programs_action.sa_handler = SIG_DFL;
    make_action(&action);
    if (set_action(SAMPLE_SIGNAL, &action, NULL) != 0)
        return -errno;
    is_installed = true;
    return 0;
}

bool handler_is_installed(void)
{
    return is_installed;
}

int handler_change_action(const struct sigaction *wanted, struct sigaction *before)
{
    /* The child of a vfork() has the memory of its parent, and actions of its own. */
    if (!is_installed || !core_is_own_process())
        return set_action(SAMPLE_SIGNAL, wanted, before);
    struct sigaction now = programs_action, action;
    if (wanted) {
        programs_action = *wanted;
        make_action(&action);
        set_action(SAMPLE_SIGNAL, &action, NULL);
    }
    if (before)
        *before = now;
    return 0;
}

bool handler_is_blocked(uint64_t mask)
{
    return is_blocked && (mask & blocked_with) == blocked_with;
}

void handler_set_blocked(bool blocked, uint64_t mask)
{
    /* Whatever is asked for, some are never blocked. */
    const uint64_t never = UINT64_C(1) << (SIGKILL - 1) | UINT64_C(1) << (SIGSTOP - 1) | UINT64_C(3) << (32 - 1) | OUR_SIGNAL;
    /* Where it was blocked before, a handler may be about to restore a mask that had fewer bits. */
    blocked_with = (blocked && is_blocked ? blocked_with & mask : mask) & ~never;
    is_blocked = blocked;
}

void handler_adopt_mask(bool blocked)
{
    uint64_t mask = is_installed ? own_mask_get() : 0;
    if (!is_installed || (!blocked && !(mask & OUR_SIGNAL)))
        return;
    handler_set_blocked(true, mask);
    own_mask_change(SIG_UNBLOCK, OUR_SIGNAL);
}

void handler_use_sigaction(int (*real)(int number, const struct sigaction *action, struct sigaction *old))
{
    set_action = real;
}

void handler_pass_mask_on(bool begins)
{
    if (is_blocked && handler_is_blocked(own_mask_get()))
        own_mask_change(begins ? SIG_BLOCK : SIG_UNBLOCK, OUR_SIGNAL);
}

void handler_quiet(bool quiet)
{
    struct sigaction action;
    if (!is_installed)
        return;
    if (quiet)
        action = (struct sigaction){.sa_handler = SIG_IGN};
    else
        make_action(&action);
    set_action(SAMPLE_SIGNAL, &action, NULL);
    handler_pass_mask_on(quiet);
}
