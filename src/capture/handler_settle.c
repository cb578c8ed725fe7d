/* Threads are asked not for their stack, but for what they do in their handler besides: they settle for the number that is in
 * use (masks.h), and keep it out of signalfds. */
#include "capture/clock.h"
#include "capture/follow.h"
#include "capture/handler.h"
#include "capture/handler_private.h"
#include "capture/internal_thread.h"
#include "capture/masks.h"
#include "capture/registry.h"
#include "capture/syscall_file.h"

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

static bool ask_besides(struct registration *thread, int number, int listens_to, struct blocked_at blocked)
{
    /* slot.raw is the handler's now. */
    if (thread->sampled.last == &thread->slot.raw)
        thread->sampled.last = NULL;
    thread->slot.asked_in = blocked;
    thread->sampled.asked_cpu_ns = clock_read(thread->info.cpu_clock);
    return handler_ask_with(thread, number, listens_to);
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

bool handler_settle_threads(const struct core_locked *locked, int number)
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

void handler_have_files_updated(const struct core_locked *locked)
{
    for (struct registration *thread = registry_first(locked); thread; thread = thread->next) {
        struct blocked_at blocked;
        int listens_to = atomic_load_explicit(&thread->mask.number, memory_order_relaxed);
        int number = handler_number_for(listens_to);
        if (number && handler_answered(thread) && may_be_asked(thread, &blocked) &&
            ask_besides(thread, number, listens_to, blocked))
            return;
    }
}
