#include "capture/timed_say.h"

#include "capture/call_again.h"
#include "capture/clock.h"
#include "capture/handler.h"
#include "capture/long_sleep.h"
#include "capture/sandbox.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where the next one goes; NULL = nowhere. */
static struct timed_sample *begin(struct own_timer *timer, enum timed_kind kind)
{
    struct timed_sample *sample = own_timer_room(timer);
    if (sample)
        sample->kind = kind;
    return sample;
}

/* The sampler may sleep for longer than the ring has room. */
static void finish(struct own_timer *timer, struct timed_sample *sample)
{
    atomic_store_explicit(&timer->is_to_go_on, sample->kind == TIMED_WAITS, memory_order_relaxed);
    sample->held_ns = clock_now() - sample->raw.time;
    own_timer_filled(timer);
    if (own_timer_count(timer) == timer->room / 4 * 3)
        long_sleep_call_anybody();
}

static void note_cpu_time(struct timed_sample *sample)
{
    struct rusage usage;
    bool may_ask = !sandbox_is_closed();
    sample->cpu_ns = may_ask ? clock_read(CLOCK_THREAD_CPUTIME_ID) : 0;
    sample->waits = may_ask && syscall(SYS_getrusage, RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : -1;
}

/* --- in the handler ------------------------------------------------------------------------------------------------------ */

const struct timed_sample *timed_say_sample(struct registration *thread, int number, void *context)
{
    struct own_timer *timer = &thread->timer;
    /* Else it is a late one of a timer that was stopped. */
    bool is_on = own_timer_signal(timer) == number && !atomic_load_explicit(&timer->is_filling, memory_order_relaxed);
    bool by_cpu = own_timer_is_by_cpu(timer);
    bool waits = !by_cpu && (!context || own_timer_finds_waiting(timer, call_stands(context)));
    struct timed_sample *sample = is_on ? begin(timer, TIMED_RUNS) : NULL;
    if (sample) {
        stack_for_sampler(thread, context, &sample->raw);
        sample->cpu_ns = 0;
        if (by_cpu)
            note_cpu_time(sample);
    }
    if (context && call_interrupted_by_timer(context))
        atomic_fetch_add_explicit(&timer->interrupted, 1, memory_order_relaxed);
    if (sample)
        finish(timer, sample);
    if (is_on && waits) {
        own_timer_stop(timer);
        long_sleep_call_anybody(); /* from here on the sampler has to look at it again */
    }
    return sample;
}

/* --- outside of it ------------------------------------------------------------------------------------------------------- */

/* The handler leaves the ring alone until end_filling(). False where there is no use in saying anything; in the child of a
 * vfork() the thread is the parent's. */
static bool begin_filling(struct own_timer *timer)
{
    if (!own_timer_signal(timer) || !own_timer_is_by_cpu(timer) ||
        atomic_load_explicit(&timer->is_filling, memory_order_relaxed) || !handler_is_own_process())
        return false;
    atomic_store_explicit(&timer->is_filling, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

static void end_filling(struct own_timer *timer)
{
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&timer->is_filling, false, memory_order_relaxed);
}

void timed_say_wait(struct registration *thread)
{
    struct own_timer *timer = &thread->timer;
    int saved_errno = errno;
    if (begin_filling(timer)) {
        uint64_t interval = atomic_load_explicit(&timer->interval_ns, memory_order_relaxed);
        bool is_time = timer->last_wait == 0 || clock_now() - timer->last_wait >= interval;
        struct timed_sample *sample = is_time ? begin(timer, TIMED_WAITS) : NULL;
        if (sample) {
            stack_for_sampler(thread, NULL, &sample->raw);
            timer->last_wait = sample->raw.time;
            note_cpu_time(sample);
            finish(timer, sample);
        }
        end_filling(timer);
    }
    errno = saved_errno;
}

void timed_say_goes_on(struct registration *thread)
{
    struct own_timer *timer = &thread->timer;
    int saved_errno = errno;
    if (atomic_load_explicit(&timer->is_to_go_on, memory_order_relaxed) && begin_filling(timer)) {
        struct timed_sample *sample = begin(timer, TIMED_GOES_ON);
        if (sample) {
            sample->raw.time = clock_now();
            note_cpu_time(sample);
            finish(timer, sample);
        }
        end_filling(timer);
    }
    errno = saved_errno;
}
