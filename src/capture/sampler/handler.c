#include "capture/sampler/handler.h"

#include "capture/core/clock.h"
#include "capture/core/core.h"
#include "capture/core/sandbox.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"
#include "ipc/perf_signal.h"
#include "session/own_mask.h"
#include "stack/label_text.h"
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
static bool is_installed, expects_ignored;

/* --- what a thread finds out about itself: plain memory and clocks only ----------------------------------------------- */

static _Atomic(const struct capture_parts *) walker;
static _Atomic bool native_wanted;

void handler_use(const struct capture_parts *parts, bool native)
{
    /* Release: what the parts made ready is ready for whoever finds them here. */
    atomic_store_explicit(&walker, parts, memory_order_release);
    atomic_store_explicit(&native_wanted, native, memory_order_relaxed);
}

static void take_labels(const struct label_stack *labels, struct raw_stack *raw)
{
    uint32_t depth = atomic_load_explicit(&labels->depth, memory_order_relaxed);
    /* The frames that `depth` counts were filled in before it was raised, by this same thread. */
    atomic_signal_fence(memory_order_acquire);
    if (depth > LABEL_STACK_ROOM) {
        depth = LABEL_STACK_ROOM;
        raw->cut = true;
    }
    for (uint32_t i = 0; i < depth; i++) {
        const struct label_frame *frame = &labels->frames[i];
        raw->labels[i] = (struct raw_label){.stack_address = (uintptr_t)frame->stack_address,
                                            .text = label_text(raw, frame->label, frame->dynamic, frame->flags),
                                            .category = frame->category,
                                            .flags = frame->flags};
    }
    raw->label_count = depth;
}
_Static_assert((int)RAW_LABELS_MAX >= (int)LABEL_STACK_ROOM, "all labels fit");

static void take_runtime(const struct registration *thread, const struct unwind_registers *registers, struct raw_stack *raw)
{
    size_t count = thread->hooks.walk(thread->hooks.runtime, (uintptr_t)registers->value[UNWIND_PC],
                                      (uintptr_t)registers->value[UNWIND_SP], (uintptr_t)registers->value[UNWIND_FP],
                                      raw->given, RAW_RUNTIME_MAX);
    if (count > RAW_RUNTIME_MAX)
        count = RAW_RUNTIME_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct sonde_runtime_frame *frame = &raw->given[i];
        raw->runtime[i] = (struct raw_runtime_frame){.stack_address = frame->stack_address,
                                                     .stack_end = frame->stack_end,
                                                     .function = raw_text_copy(raw, frame->function),
                                                     .file = raw_text_copy(raw, frame->file),
                                                     .line = frame->line,
                                                     .column = frame->column,
                                                     .category = frame->category,
                                                     .javascript = frame->javascript};
    }
    raw->runtime_count = (uint32_t)count;
}

/* The bounds of the library that this is in, from the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static struct {
    const char *start, *end;
} other_library; /* set before there are other threads */

void handler_note_library(const char *start, const char *end)
{
    other_library.start = start;
    other_library.end = end;
}

static bool drop_own_frames(struct raw_stack *raw)
{
    bool any = raw_stack_drop_own(raw, __ehdr_start, _end);
    if (other_library.start)
        any |= raw_stack_drop_own(raw, other_library.start, other_library.end);
    return any;
}

/* A signal that was blocked comes where our code lets signals in again: behind its system call. It stands for what went on
 * before, which is the kernel's work for fork() most of all, and not for that call. */
static void leave_own_call(struct raw_stack *raw)
{
    if (drop_own_frames(raw) && raw->native_count > 0)
        raw->native[0].pc--; /* into the call: readers take the youngest frame for the one at the pc */
}

static void take_native(const struct registration *thread, struct unwind_registers *registers, bool native,
                        struct raw_stack *raw)
{
    const struct capture_parts *parts = atomic_load_explicit(&walker, memory_order_acquire);
    if (native && parts)
        parts->walk(thread, registers, raw);
    else
        raw_stack_set_pc(raw, registers, native ? UNWIND_NO_RULE : UNWIND_COMPLETE);
}

/* `context` is the third argument of a handler; NULL: from here. */
static void take_stack(const struct registration *thread, const void *context, bool native, struct raw_stack *raw)
{
    struct unwind_registers registers;
    if (context)
        unwind_registers_from_context(&registers, context);
    else
        unwind_registers_here(&registers);
    raw->time = clock_now();
    raw->cut = raw->has_event_delay = false;
    raw->end = UNWIND_COMPLETE;
    raw->native_count = raw->label_count = raw->runtime_count = raw->text_used = 0;
    take_labels(&thread->labels, raw);
    if (thread->hooks.walk)
        take_runtime(thread, &registers, raw);
    take_native(thread, &registers, native, raw);
    if (!context)
        drop_own_frames(raw);
}

void stack_of_myself(struct registration *thread, bool native, struct raw_stack *raw)
{
    take_stack(thread, NULL, native, raw);
}

static void stack_in_handler(struct registration *thread, const void *context, struct raw_stack *raw)
{
    take_stack(thread, context, atomic_load_explicit(&native_wanted, memory_order_relaxed), raw);
    if (thread->hooks.event_delay) {
        raw->event_delay_ns = thread->hooks.event_delay(thread->hooks.loop);
        raw->has_event_delay = true;
    }
}

/* --- a sample ------------------------------------------------------------------------------------------------------------ */

/* After an event so many ticks in user code are not samples: events have them. Where events stop coming (their recorder is
 * gone), ticks are samples again. */
enum { TICKS_AFTER_EVENT = 8 };

/* What a signal of ours says. */
struct interruption {
    uint8_t clock;  /* enum sample_clock */
    uint32_t ticks; /* of SAMPLE_BY_TICK; of a page fault: how many it stands for */
};

/* Not the program's: the handler's own is told when it returns, where it was called; and that of our code in its calls. */
static bool is_own_fault(struct registration *thread, const void *context)
{
    uint64_t mark = unwind_context_mark(context);
    bool is_same = mark == thread->interrupted_at;
    struct unwind_registers registers;
    unwind_registers_from_context(&registers, context);
    const char *pc = (const char *)(uintptr_t)registers.value[UNWIND_PC];
    thread->interrupted_at = mark;
    return is_same || (pc >= __ehdr_start && pc < _end) || (pc >= other_library.start && pc < other_library.end);
}

static bool is_wanted(struct registration *thread, const struct interruption *by, bool in_kernel)
{
    uint64_t word = state_get();
    if ((word & (SONDE_STATE_ACTIVE | SONDE_STATE_PAUSED | SONDE_STATE_SAMPLING_PAUSED)) != SONDE_STATE_ACTIVE ||
        live_is_paused() || !(atomic_load_explicit(&thread->features, memory_order_relaxed) & THREAD_SAMPLING))
        return false;
    if (by->clock == SAMPLE_BY_EVENT)
        thread->ticks_to_skip = TICKS_AFTER_EVENT;
    if (by->clock != SAMPLE_BY_TICK)
        return true;
    if (in_kernel || thread->ticks_to_skip == 0)
        return true;
    thread->ticks_to_skip--;
    thread->ticks_skipped += by->ticks;
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

static void take_sample(struct registration *thread, const struct interruption *by, const void *context)
{
    bool in_call = !sample_clock_is_fault(by->clock) && unwind_context_is_after_call(context);
    bool in_fault = by->clock == SAMPLE_BY_TICK && unwind_context_is_in_fault(context);
    if (fault_events_period() > 0 && is_own_fault(thread, context) && sample_clock_is_fault(by->clock))
        return;
    if (!is_wanted(thread, by, in_call || in_fault)) {
        if (live_is_over())
            thread_clock_rest(&thread->clock); /* the program goes on, without its recorder */
        return;
    }
    live_enter_sample(thread);
    const struct live_session *session = live_session();
    if (session) {
        if (atomic_load_explicit(&session->header->filtered, memory_order_relaxed))
            sandbox_close(false);
        struct sample_facts facts = {.thread = thread->info.number,
                                     .clock = by->clock,
                                     .in_call = in_call,
                                     .in_fault = in_fault,
                                     .ticks = by->ticks,
                                     .skipped = sample_clock_is_fault(by->clock) ? 0 : thread->ticks_skipped};
        thread->ticks_skipped -= facts.skipped;
        stack_in_handler(thread, context, &thread->samples.raw);
        if (in_call)
            leave_own_call(&thread->samples.raw);
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

static struct interruption interruption_of(const struct registration *thread, const siginfo_t *info)
{
    if (is_tick(info))
        return (struct interruption){SAMPLE_BY_TICK, thread_clock_ticks(&thread->clock, info->si_overrun)};
    switch (perf_signal_of(info->si_fd)) {
    case PERF_SIGNAL_FAULT:
        return (struct interruption){SAMPLE_BY_FAULT, fault_events_period()};
    case PERF_SIGNAL_MAJOR_FAULT:
        return (struct interruption){SAMPLE_BY_MAJOR_FAULT, 1};
    case PERF_SIGNAL_CPU:
        break;
    }
    return (struct interruption){SAMPLE_BY_EVENT, 0};
}

enum { SIGNAL_BIT = SAMPLE_SIGNAL - 1 };
#define OUR_SIGNAL (UINT64_C(1) << SIGNAL_BIT)

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

/* What it has blocked in its handler is what it asked for, not what we have blocked in ours: it may jump out of it. */
static void call_programs_handler(int number, siginfo_t *info, ucontext_t *context)
{
    const struct sigaction action = programs_action;
    if (handler_is_blocked(signal_bits(&context->uc_sigmask))) {
        /* From here on it really is blocked, on this thread, until the program changes its mask. So it waits for whoever takes
         * it: another thread that has it not blocked, sigwait(), a signalfd. */
        sigaddset(&context->uc_sigmask, SAMPLE_SIGNAL);
        send_again(info);
        return;
    }
    if (action.sa_handler == SIG_IGN) /* with SA_SIGINFO, too: the kernel does not ask for it */
        return;
    if (action.sa_handler == SIG_DFL) {
        struct sigaction standard = {.sa_handler = SIG_DFL};
        set_action(number, &standard, NULL);
        send_again(info); /* comes when this handler returns */
        return;
    }
    if ((unsigned)action.sa_flags & SA_RESETHAND)
        programs_action = (struct sigaction){.sa_handler = SIG_DFL};
    uint64_t own = action.sa_flags & SA_NODEFER ? 0 : OUR_SIGNAL;
    own_mask_change(SIG_SETMASK, signal_bits(&context->uc_sigmask) | signal_bits(&action.sa_mask) | own);
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(number, info, context);
    else
        action.sa_handler(number);
}

#ifdef __x86_64__
/* The kernel calls handlers on an aligned stack; emulators (QEMU 7.2) do not. */
__attribute__((force_align_arg_pointer))
#endif
static void
on_signal(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    struct registration *thread = registration_mine();
    if (!is_tick(info) && !is_event(info)) {
        call_programs_handler(number, info, context);
    } else if (thread) { /* else it is about to end, or has just begun */
        struct interruption by = interruption_of(thread, info);
        take_sample(thread, &by, context);
    }
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
    bool has_handler = programs_action.sa_handler != SIG_DFL && programs_action.sa_handler != SIG_IGN;
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
    if (after_exec && !expects_ignored && programs_action.sa_handler == SIG_IGN)
        programs_action.sa_handler = SIG_DFL;
    make_action(&action);
    if (set_action(SAMPLE_SIGNAL, &action, NULL) != 0)
        return -errno;
    is_installed = true;
    return 0;
}

void handler_expect_ignored(void)
{
    expects_ignored = true;
}

bool handler_is_installed(void)
{
    return is_installed;
}

int handler_change_action(const struct sigaction *wanted, struct sigaction *before)
{
    /* The child of a vfork() has the memory of its parent, and actions of its own. */
    if (!is_installed || (!sandbox_is_closed() && !core_is_own_process()))
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

bool handler_is_ignored(void)
{
    return is_installed && programs_action.sa_handler == SIG_IGN;
}

void handler_take_back(void)
{
    static struct sigaction before;
    static bool is_taken;
    struct sigaction now, action;
    if (!is_installed || !core_is_own_process() || set_action(SAMPLE_SIGNAL, NULL, &now) != 0)
        return;
    if (handler_is(&now)) {
        if (is_taken)
            programs_action = before;
        is_taken = false;
        return;
    }
    if (!is_taken)
        before = programs_action;
    is_taken = true;
    programs_action = now;
    make_action(&action);
    set_action(SAMPLE_SIGNAL, &action, NULL);
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

void handler_pass_ignored_on(void)
{
    struct sigaction now, ignored = {.sa_handler = SIG_IGN};
    if (handler_is_ignored() && set_action(SAMPLE_SIGNAL, NULL, &now) == 0 && handler_is(&now))
        set_action(SAMPLE_SIGNAL, &ignored, NULL);
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
