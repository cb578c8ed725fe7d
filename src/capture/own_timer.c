#include "capture/own_timer.h"

#include "capture/call_again.h"
#include "capture/clock.h"
#include "capture/pages.h"
#include "capture/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* --- the timer ----------------------------------------------------------------------------------------------------------- */

/* By the clock, two timers of the kernel take turns:
 *
 *     first     |         .         |         .         |
 *     second    .         |         .         |
 *
 * The kernel sets a timer anew when its signal is delivered. If there were only one, the clock of the CPU would be set when the
 * interrupt ends, for something else, and then once more, for the timer: in a virtual machine that takes longer than all the
 * rest. Of two, the other one is next, and the clock is set for it at once.
 *
 * By the system calls themselves: programs may stand in front of these functions. Errno stays, also in the handler. */

static unsigned kernel_timer_count(const struct own_timer *timer)
{
    return own_timer_is_by_cpu(timer) ? 1 : 2;
}

static struct sigevent event_for(pid_t tid, int signal, const void *value)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal};
    event.sigev_value.sival_ptr = (void *)(uintptr_t)value;
    event.sigev_notify_thread_id = tid;
    return event;
}

static bool make(struct own_timer *timer, pid_t tid, clockid_t clock, int signal, const void *value)
{
    struct sigevent event = event_for(tid, signal, value);
    int saved_errno = errno;
    bool made = syscall(SYS_timer_create, clock, &event, &timer->kernel_timers[0]) == 0;
    if (made && kernel_timer_count(timer) == 2 && syscall(SYS_timer_create, clock, &event, &timer->kernel_timers[1]) != 0) {
        syscall(SYS_timer_delete, timer->kernel_timers[0]);
        made = false;
    }
    errno = saved_errno;
    timer->made_for = made ? signal : 0;
    return made;
}

static void set(const struct own_timer *timer, unsigned which, const struct itimerspec *time)
{
    int saved_errno = errno;
    if (timer->made_for && !sandbox_is_closed())
        syscall(SYS_timer_settime, timer->kernel_timers[which], own_timer_is_by_cpu(timer) ? 0 : TIMER_ABSTIME, time, NULL);
    errno = saved_errno;
}

uint32_t own_timer_samples(uint64_t interval_ns)
{
    const uint64_t enough_ns = 25000000;
    uint32_t room = OWN_TIMER_ROOM;
    while (room < OWN_TIMER_ROOM_MOST && room * interval_ns < enough_ns)
        room *= 2;
    return room;
}

bool own_timer_start(struct own_timer *timer, pid_t tid, clockid_t cpu_clock, int signal, const void *value,
                     const struct own_timer_pace *pace)
{
    if (!CALLS_CAN_BE_MADE_AGAIN || sandbox_is_closed())
        return false;
    if (!timer->ring) {
        timer->room = own_timer_samples(pace->interval_ns);
        timer->ring = pages_map(timer->room * sizeof *timer->ring);
    }
    if (!timer->ring)
        return false;
    if (timer->made_for != signal || own_timer_is_by_cpu(timer) != pace->by_cpu) {
        own_timer_remove(timer);
        atomic_store_explicit(&timer->by_cpu, pace->by_cpu, memory_order_relaxed);
        if (!make(timer, tid, pace->by_cpu ? cpu_clock : CLOCK_MONOTONIC, signal, value))
            return false;
    }
    timer->waits = -1;
    /* Sequentially consistent: see handler_start_timer(). */
    atomic_store_explicit(&timer->signal, signal, memory_order_seq_cst);
    return true;
}

void own_timer_arm(struct own_timer *timer, const struct own_timer_pace *pace)
{
    uint64_t interval = pace->interval_ns;
    atomic_store_explicit(&timer->interval_ns, interval, memory_order_relaxed);
    if (own_timer_is_by_cpu(timer)) {
        set(timer, 0, &(struct itimerspec){clock_timespec(interval), clock_timespec(pace->first)});
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        set(timer, i,
            &(struct itimerspec){clock_timespec(2 * interval), clock_timespec(clock_origin + pace->first + i * interval)});
}

void own_timer_stop(struct own_timer *timer)
{
    atomic_store_explicit(&timer->signal, 0, memory_order_relaxed);
    for (unsigned i = 0; i < kernel_timer_count(timer); i++)
        set(timer, i, &(struct itimerspec){0});
}

void own_timer_remove(struct own_timer *timer)
{
    int saved_errno = errno;
    atomic_store_explicit(&timer->signal, 0, memory_order_relaxed);
    for (unsigned i = 0; i < kernel_timer_count(timer) && timer->made_for && !sandbox_is_closed(); i++)
        syscall(SYS_timer_delete, timer->kernel_timers[i]);
    timer->made_for = 0;
    errno = saved_errno;
}

void own_timer_forked(struct own_timer *timer)
{
    atomic_store_explicit(&timer->signal, 0, memory_order_relaxed);
    atomic_store_explicit(&timer->is_being_set, false, memory_order_relaxed);
    atomic_store_explicit(&timer->is_to_go_on, false, memory_order_relaxed);
    timer->made_for = 0;
    timer->last_wait = 0;
    while (own_timer_count(timer) > 0) /* they are the parent's */
        own_timer_take(timer);
}

bool own_timer_is(const struct own_timer *timer, const siginfo_t *info)
{
    bool is = false;
    for (unsigned i = 0; i < kernel_timer_count(timer) && timer->made_for; i++)
        is |= info->si_timerid == timer->kernel_timers[i];
    return is;
}

bool own_clock_set(struct own_clock *clock, pid_t tid, int signal, const void *value, uint64_t ns)
{
    int saved_errno = errno;
    struct sigevent event = event_for(tid, signal, value);
    bool is_set = CALLS_CAN_BE_MADE_AGAIN && !sandbox_is_closed();
    if (is_set && clock->made_for != signal) {
        own_clock_remove(clock);
        is_set = syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &clock->kernel_timer) == 0;
        clock->made_for = is_set ? signal : 0;
    }
    is_set = is_set && syscall(SYS_timer_settime, clock->kernel_timer, 0, &(struct itimerspec){.it_value = clock_timespec(ns)},
                               NULL) == 0;
    errno = saved_errno;
    return is_set;
}

void own_clock_remove(struct own_clock *clock)
{
    int saved_errno = errno;
    if (clock->made_for && !sandbox_is_closed())
        syscall(SYS_timer_delete, clock->kernel_timer);
    clock->made_for = 0;
    errno = saved_errno;
}

bool own_clock_is(const struct own_clock *clock, const siginfo_t *info)
{
    return clock->made_for && info->si_code == SI_TIMER && info->si_timerid == clock->kernel_timer;
}

bool own_timer_finds_waiting(struct own_timer *timer, bool in_call)
{
    struct rusage usage;
    long before = timer->waits;
    if (!in_call && before >= 0)
        return false;
    if (sandbox_is_closed() || syscall(SYS_getrusage, RUSAGE_THREAD, &usage) != 0)
        return in_call;
    timer->waits = usage.ru_nvcsw;
    return in_call && usage.ru_nvcsw != before;
}

/* --- the ring ------------------------------------------------------------------------------------------------------------ */

struct timed_sample *own_timer_room(struct own_timer *timer)
{
    uint32_t filled = atomic_load_explicit(&timer->filled, memory_order_relaxed);
    /* Acquire: the sampler has read what stands there before it is overwritten. */
    if (filled - atomic_load_explicit(&timer->taken, memory_order_acquire) < timer->room)
        return &timer->ring[filled % timer->room];
    atomic_fetch_add_explicit(&timer->lost, 1, memory_order_relaxed);
    return NULL;
}

void own_timer_filled(struct own_timer *timer)
{
    /* Release: whoever sees the number sees the sample. Only this thread writes it. */
    uint32_t filled = atomic_load_explicit(&timer->filled, memory_order_relaxed);
    atomic_store_explicit(&timer->filled, filled + 1, memory_order_release);
}

uint32_t own_timer_count(const struct own_timer *timer)
{
    return atomic_load_explicit(&timer->filled, memory_order_acquire) -
           atomic_load_explicit(&timer->taken, memory_order_relaxed);
}

const struct timed_sample *own_timer_oldest(const struct own_timer *timer)
{
    uint32_t taken = atomic_load_explicit(&timer->taken, memory_order_relaxed);
    return own_timer_count(timer) > 0 ? &timer->ring[taken % timer->room] : NULL;
}

void own_timer_take(struct own_timer *timer)
{
    /* Release: what was read there is read. */
    uint32_t taken = atomic_load_explicit(&timer->taken, memory_order_relaxed);
    atomic_store_explicit(&timer->taken, taken + 1, memory_order_release);
}
