#include "capture/alone.h"

#include "capture/call_again.h"
#include "capture/clock.h"
#include "capture/feature_set.h"
#include "capture/follow.h"
#include "capture/handler.h"
#include "capture/handler_number.h"
#include "capture/link.h"
#include "capture/registry.h"
#include "capture/roomy_stack.h"
#include "capture/state.h"
#include "capture/thrift.h"
#include "capture/timed_say.h"
#include "session/own_mask.h"
#include "session/room.h"

enum {
    STACKS_AT_ONCE = 4,      /* are written; and a thread is made … */
    STACKS_ENOUGH = 12,      /* … after so many, or … */
    SILENCE_NS = 96000000,   /* … so long after the last (the first: FOLLOW_PATIENCE_NS), because it waits, as a rule … */
    TRY_AGAIN_NS = 16000000, /* … or so much later, where it cannot be made */
};

/* What only a sampler can do for a process, every tick. */
static const uint64_t not_for_one = FEATURE_BIT(FEATURE_POWER) | FEATURE_BIT(FEATURE_CPUFREQ) | FEATURE_BIT(FEATURE_BANDWIDTH) |
                                    FEATURE_BIT(FEATURE_MEMORY) | FEATURE_BIT(FEATURE_UNREGISTEREDTHREADS) |
                                    FEATURE_BIT(FEATURE_NOSTACKSAMPLING);

_Atomic int alone_state;

/* Guarded by the core lock; `parts` and `interval_ns` stay once they are set. */
static struct {
    struct registration *thread;
    const struct capture_parts *parts;
    uint64_t interval_ns; /* from stack to stack … */
    uint64_t first_ns;    /* … and its CPU time at the first */
    bool hurries;         /* a thread is needed, but could not be made when that was found out, which was lately here: */
    uint64_t refused_ns;
    struct own_clock clock;
} alone;

static void say(enum alone state)
{
    atomic_store_explicit(&alone_state, state, memory_order_relaxed);
}

/* --- the timers ---------------------------------------------------------------------------------------------------------- */

/* However often that is done, stacks are taken at the same moments of its CPU time. */
static bool start_timer(void)
{
    uint64_t now = clock_read(CLOCK_THREAD_CPUTIME_ID), first = alone.first_ns, interval = alone.interval_ns;
    uint64_t next = now < first ? first - now : interval - (now - first) % interval;
    return handler_start_timer(alone.thread, &(struct own_timer_pace){true, next, interval});
}

bool alone_begin(const struct core_locked *locked, const struct settings *settings, uint64_t first_ns)
{
    const struct capture_parts *parts = core_state(locked)->parts;
    struct registration *thread = registration_mine();
    uint64_t interval_ns = THRIFT_FIRST_STRIDE * settings->interval_ns;
    bool suits = settings->features & FEATURE_BIT(FEATURE_STACKWALK) && !(settings->features & not_for_one);
    if (!suits || !thread || !parts || interval_ns < clock_kernel_tick_ns())
        return false;
    alone.thread = thread;
    alone.parts = parts;
    alone.interval_ns = interval_ns;
    alone.first_ns = clock_read(CLOCK_THREAD_CPUTIME_ID) + first_ns;
    handler_use(alone.parts, true);
    if (start_timer() && handler_set_clock(alone.thread, &alone.clock, FOLLOW_PATIENCE_NS))
        say(ALONE_UNSEEN);
    else
        alone_drop(locked);
    return alone_is();
}

static void end(void)
{
    own_clock_remove(&alone.clock);
    say(ALONE_NOT);
}

void alone_hand_over(const struct core_locked *locked)
{
    if (!alone_is())
        return;
    if (!alone_has_stacks(locked) && !alone.thread->sampled.timed)
        own_timer_stop(&alone.thread->timer);
    end();
}

void alone_drop(const struct core_locked *locked)
{
    (void)locked;
    if (!alone.thread)
        return;
    own_timer_remove(&alone.thread->timer);
    while (own_timer_count(&alone.thread->timer) > 0)
        own_timer_take(&alone.thread->timer);
    alone.thread->sampled.timed = false;
    end();
    alone.thread = NULL;
}

bool alone_thread_ends(const struct core_locked *locked, const struct registration *thread)
{
    (void)locked;
    bool was = alone_is() && thread == alone.thread;
    if (was)
        end();
    if (thread == alone.thread)
        alone.thread = NULL;
    return was;
}

bool alone_has_stacks(const struct core_locked *locked)
{
    (void)locked;
    return alone.thread && own_timer_count(&alone.thread->timer) > 0;
}

bool alone_has_enough(const struct registration *thread)
{
    uint32_t so_far = atomic_load_explicit(&thread->timer.filled, memory_order_relaxed);
    return alone_is() && (so_far >= STACKS_ENOUGH || alone.hurries);
}

void alone_hurry(const struct core_locked *locked)
{
    (void)locked;
    alone.hurries = true;
    handler_set_clock(alone.thread, &alone.clock, TRY_AGAIN_NS);
}

void alone_bear_wait(const struct core_locked *locked)
{
    (void)locked;
    own_clock_remove(&alone.clock);
}

void alone_hold(const struct core_locked *locked, bool hold)
{
    (void)locked;
    if (!alone_is())
        return;
    if (hold) {
        own_clock_remove(&alone.clock);
    } else {
        start_timer();
        handler_set_clock(alone.thread, &alone.clock, TRY_AGAIN_NS);
    }
}

void alone_forked(void)
{
    alone.clock = (struct own_clock){0};
    alone.thread = NULL;
    say(ALONE_NOT);
}

void alone_change_number(const struct core_locked *locked)
{
    if (!alone_is() || !handler_is_own_process())
        return;
    own_clock_remove(&alone.clock);
    alone_hurry(locked);
}

/* --- seeing -------------------------------------------------------------------------------------------------------------- */

/* Looks for the libraries. False: not at this moment. Who waits is not in the middle of something. */
static bool see(const struct core_locked *locked, const void *context)
{
    (void)locked;
    bool sees = alone.parts->expect_stacks(clock_now(), context && call_waits(context) ? NULL : context);
    if (sees)
        say(ALONE_SEEN);
    return sees;
}

bool alone_may_make_thread(const struct core_locked *locked)
{
    struct registration *thread = registration_mine();
    if (!thread)
        return true; /* another one has just begun: that is such a place */
    /* A program that waits often, at such a place, does not pay for it each time. */
    if (alone.refused_ns && clock_now() - alone.refused_ns < TRY_AGAIN_NS)
        return false;
    struct raw_stack *raw = &thread->slot.raw; /* nobody asks for it */
    bool may = see(locked, NULL);
    if (may) {
        stack_for_sampler(thread, NULL, raw);
        may = alone.parts->may_make_thread(raw, PLACE_CALLED);
    }
    alone.refused_ns = may ? 0 : clock_now();
    return may;
}

/* --- in the handler ------------------------------------------------------------------------------------------------------ */

/* The thread is the calling one: others may end that it is alone at any moment. */
struct signal {
    struct registration *thread;
    const siginfo_t *info;
    void *context;
};

/* By the clock: it has not run for long. True if it waits: it is not interrupted again for this. */
static bool hear_clock(const struct signal *signal, bool sees)
{
    struct registration *thread = signal->thread;
    struct raw_stack *raw = &thread->slot.raw;
    bool waits = call_waits(signal->context), stands = call_stands(signal->context);
    if (sees)
        stack_for_sampler(thread, signal->context, raw);
    if (call_interrupted_by_timer(signal->context))
        atomic_fetch_add_explicit(&thread->timer.interrupted, 1, memory_order_relaxed);
    /* Else it just did not get a CPU. */
    bool is_wanted = sees && (waits || alone_has_enough(thread));
    if (is_wanted && alone.parts->may_make_thread(raw, waits ? PLACE_WAITS : PLACE_INTERRUPTED))
        follow_make_thread(waits);
    return waits || stands;
}

static void hear_timer(const struct signal *signal)
{
    struct registration *thread = signal->thread;
    if (room_is_over(link_room())) {
        follow_give_up();
        return;
    }
    if (room_is_paused(link_room())) {
        follow_publish();
        return;
    }
    if (state_get() & (STATE_PAUSED | STATE_SAMPLING_PAUSED))
        return;
    const struct timed_sample *sample = timed_say_sample(thread, signal->info->si_signo, signal->context);
    if (sample && alone_has_enough(thread) && alone.parts->may_make_thread(&sample->raw, PLACE_INTERRUPTED))
        follow_make_thread(false);
    else if (own_timer_count(&thread->timer) >= STACKS_AT_ONCE)
        follow_publish();
}

/* It cannot look at itself right now: but soon. */
static void hear_timer_later(struct registration *thread)
{
    handler_pace_timer(thread, &(struct own_timer_pace){true, clock_kernel_tick_ns(), alone.interval_ns});
}

/* Until the next signal. */
static void go_on(const struct core_locked *locked, bool waits)
{
    (void)locked;
    if (!alone_is() || alone.thread->slot.quiet)
        return;
    if (!own_timer_signal(&alone.thread->timer)) /* its number was given up */
        start_timer();
    if (!waits)
        handler_set_clock(alone.thread, &alone.clock, alone.hurries ? TRY_AGAIN_NS : SILENCE_NS);
}

/* Where another thread has the lock this one is not alone any more, or is about to be. */
static void hear(void *data)
{
    const struct signal *signal = data;
    const struct core_locked *locked = core_try_lock();
    if (!locked)
        return;
    bool by_clock = own_clock_is(&alone.clock, signal->info), waits = false;
    bool by_timer = !by_clock && own_timer_is(&signal->thread->timer, signal->info);
    /* Or it is about to become another program. */
    bool listens = alone_is() && !signal->thread->slot.quiet, sees = listens && see(locked, signal->context);
    core_unlock(locked);
    if (listens && by_clock)
        waits = hear_clock(signal, sees);
    else if (sees && by_timer)
        hear_timer(signal);
    else if (listens && by_timer)
        hear_timer_later(signal->thread);
    locked = core_try_lock();
    if (!locked)
        return;
    go_on(locked, waits);
    core_unlock(locked);
}

void alone_hear(struct registration *thread, const siginfo_t *info, void *context)
{
    _Alignas(64) static char stack[ROOMY_STACK_BYTES];
    if (!context)
        return; /* a wait of the program took it */
    /* The thread that may be made here is to have all signals blocked. */
    uint64_t mask = own_mask_close();
    struct signal signal = {thread, info, context};
    roomy_stack_call(stack + sizeof stack, hear, &signal);
    own_mask_open(mask);
}
