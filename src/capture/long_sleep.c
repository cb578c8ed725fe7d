#include "capture/long_sleep.h"

#include "capture/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The system calls themselves: these functions of the C library stand in another library in older versions, and programs put
 * their own before them. */

enum {
    SIGNAL = SIGSTKFLT,
    KERNEL_SIGSET_BYTES = 8,
};

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Who sleeps in this process, 0 = nobody; and how many are about to call. A thread does not end while somebody may still send a
 * signal to its number, which could be that of another by then. */
static _Atomic int sleeper, callers;

bool long_sleep_begin(struct long_sleep *sleep)
{
    *sleep = (struct long_sleep){.tid = gettid(), .timer = -1};
    atomic_store(&sleeper, sleep->tid);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL, .sigev_value.sival_ptr = sleep};
    event.sigev_notify_thread_id = sleep->tid;
    if (syscall(SYS_timer_create, CLOCK_PROCESS_CPUTIME_ID, &event, &sleep->timer) != 0)
        sleep->timer = -1;
    return sleep->timer >= 0;
}

void long_sleep_end(struct long_sleep *sleep)
{
    enum { MOMENT_NS = 100000 };
    int myself = sleep->tid;
    /* Sequentially consistent, as in long_sleep_call_anybody(): of the two one sees the other. */
    atomic_compare_exchange_strong(&sleeper, &myself, 0);
    while (atomic_load(&callers) > 0)
        clock_sleep_until(clock_now() + MOMENT_NS);
    if (sleep->timer >= 0)
        syscall(SYS_timer_delete, sleep->timer);
    sleep->timer = -1;
}

/* One of an earlier sleep may be still to come, and ends this one: that does no harm. */
static void set_alarm(struct long_sleep *sleep, uint64_t ns)
{
    struct itimerspec time = {.it_value = clock_timespec(ns)};
    if (sleep->timer >= 0 && (ns > 0 || sleep->is_set))
        syscall(SYS_timer_settime, sleep->timer, 0, &time, NULL);
    sleep->is_set = ns > 0;
}

static bool is_alarm(const struct long_sleep *sleep, const siginfo_t *info)
{
    return info->si_code == SI_TIMER && info->si_value.sival_ptr == sleep;
}

static bool is_call(const siginfo_t *info)
{
    return info->si_code == SI_TKILL && info->si_pid == getpid();
}

/* With what came with it, where the kernel lets us. */
static void give_to_program(struct long_sleep *sleep, siginfo_t *info)
{
    sleep->off = true;
    if (syscall(SYS_rt_sigqueueinfo, getpid(), SIGNAL, info) != 0)
        kill(getpid(), SIGNAL);
}

bool long_sleep_until(struct long_sleep *sleep, uint64_t time, uint64_t alarm_ns)
{
    uint64_t now = clock_now(), left = time > now ? time - now : 0, set = UINT64_C(1) << (SIGNAL - 1);
    struct timespec most = clock_timespec(left);
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (sleep->off)
        return false;
    set_alarm(sleep, alarm_ns);
    if (syscall(SYS_rt_sigtimedwait, &set, &info, &most, KERNEL_SIGSET_BYTES) < 0)
        return false; /* it is time, or a debugger woke us */
    if (is_alarm(sleep, &info))
        return true;
    if (!is_call(&info))
        give_to_program(sleep, &info);
    return false;
}

static void call(int tid)
{
    int saved_errno = errno;
    syscall(SYS_tgkill, getpid(), tid, SIGNAL);
    errno = saved_errno;
}

void long_sleep_call(const struct long_sleep *sleep)
{
    call(sleep->tid);
}

void long_sleep_forked(void)
{
    atomic_store(&sleeper, 0);
    atomic_store(&callers, 0);
}

void long_sleep_call_anybody(void)
{
    atomic_fetch_add(&callers, 1);
    int tid = atomic_load(&sleeper);
    if (tid)
        call(tid);
    atomic_fetch_sub(&callers, 1);
}
