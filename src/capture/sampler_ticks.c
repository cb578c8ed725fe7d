/* Ticks between two loops of the sampler, which others write in its name while it sleeps; or has no thread (alone.h). */
#include "capture/alone.h"
#include "capture/clock.h"
#include "capture/registry.h"
#include "capture/sampler_private.h"
#include "capture/timed.h"

/* So many of a process that is alone are written; of more only the last. */
enum { ALONE_TICKS = 4096 };

/* In the middle between two multiples of the interval: see timed.c. */
uint64_t sampler_tick_before(uint64_t time, uint64_t interval_ns)
{
    uint64_t since = (clock_origin + time + interval_ns - interval_ns / 2) % interval_ns;
    return time > since ? time - since : time;
}

bool sampler_is_paused(const struct active_state *active)
{
    return active->paused || active->sampling_paused;
}

void sampler_put_slept_ticks(const struct core_locked *locked, struct sampler *sampler, uint64_t time)
{
    uint64_t ticks = slept_ticks_put(&sampler->slept, &sampler->sampling, time, sampler_is_paused(active_state(locked)));
    loop_times_leave_out(&sampler->times, ticks * sampler->sampling.interval_ns);
}

/* One that is alone may have waited for hours, and nobody knows where: those ticks are given up. */
static void leave_out_long_wait(struct sampler *sampler)
{
    uint64_t now = clock_now(), interval = sampler->sampling.interval_ns, next = sampler->slept.next;
    uint64_t passed = now > next ? (now - next) / interval : 0;
    if (passed <= ALONE_TICKS)
        return;
    sampler->slept.next += (passed - ALONE_TICKS) * interval;
    sampling_count(&sampler->sampling, STATISTIC_TICKS_MISSED, passed - ALONE_TICKS);
}

/* Between its waking and its next loop the sampler is about to make a tick that is already written here. Then there is one too
 * many, which nobody will notice. */
bool sampler_catch_up_with(const struct core_locked *locked, struct sampler *sampler)
{
    bool sleeps = sampler && sampler->slept.left > 0;
    if (sleeps) {
        if (!sampler->has_thread)
            leave_out_long_wait(sampler);
        sample_collect(&sampler->sampling);
        sample_read_held(&sampler->sampling);
        timed_read_clocks(&sampler->sampling);
        sampler_put_slept_ticks(locked, sampler, clock_now());
        if (!sampler->has_thread)
            sampling_flush(&sampler->sampling);
    }
    return sleeps;
}

void sampler_catch_up(const struct core_locked *locked)
{
    const struct active_state *active = active_state(locked);
    if (active)
        sampler_catch_up_with(locked, active->sampler);
}

void sampler_leave_out(const struct core_locked *locked)
{
    const struct active_state *active = active_state(locked);
    if (active && active->sampler->slept.left > 0)
        active->sampler->slept.next = sampler_tick_before(clock_now(), active->sampler->sampling.interval_ns);
}

void sampler_make_no_ticks(const struct core_locked *locked)
{
    const struct active_state *active = active_state(locked);
    if (active && sampler_catch_up_with(locked, active->sampler))
        active->sampler->slept.left = 0;
}

static void call(const struct sampler *sampler)
{
    if (sampler->has_thread)
        long_sleep_call(&sampler->long_sleep);
}

void sampler_wake(const struct core_locked *locked)
{
    const struct active_state *active = active_state(locked);
    if (active && sampler_catch_up_with(locked, active->sampler))
        call(active->sampler);
}

bool sampler_put(const struct core_locked *locked, size_t max, size_t (*write)(uint8_t *out, size_t room, const void *entry),
                 const void *entry)
{
    const struct active_state *active = active_state(locked);
    if (!active || !active->sampler)
        return false;
    sampler_catch_up_with(locked, active->sampler);
    return stack_writer_put(&active->sampler->sampling.writer, clock_now(), max, write, entry);
}

void sampler_adopt(const struct core_locked *locked, struct sampler *sampler)
{
    struct sampling *sampling = &sampler->sampling;
    struct registration *thread = registry_first(locked);
    if (!thread || (!alone_is() && !alone_has_stacks(locked)))
        return;
    const struct timed_sample *oldest = own_timer_oldest(&thread->timer);
    sampler->next.thrift.stride = sampling->stride = THRIFT_FIRST_STRIDE;
    sampler->slept = (struct slept_ticks){
        .next = sampler_tick_before(oldest ? oldest->raw.time : clock_now(), sampling->interval_ns), .left = UINT64_MAX};
    timed_adopt(sampling, thread);
    sampler_catch_up_with(locked, sampler);
    if (!alone_is())
        sampler->slept.left = 0;
}
