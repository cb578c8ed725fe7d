/* What CPU time each sample stands for.
 *
 * Ticks see all CPU time of a thread: its samples share what it used. Events, which come later, see only its own code: each
 * stands for its period, and what is left of the CPU time was used in the kernel, where only ticks look. Samples that a tick
 * took in a system call or a page fault ("calls" below) share their part of it; the part outside of these has rows without a
 * stack. Other ticks among the events stand for nothing: a thread that hardly runs code of its own may have ticks in page
 * faults that look as if they were in that code (unwind/call.h), and events are far apart. */
#include "rows/shares.h"

/* Events come at random distances, and the clock of a thread that runs is seen from outside as it was at the last tick: so
 * samples stand for a little more or less than was used. That evens out by itself if it is carried on, and would become kernel
 * time if only what is missing were. */
enum { DEBT_INTERVALS = 2, LEFTOVER_STEPS = 2 };

static const uint64_t default_interval_ns = 1000000;
static const uint64_t default_tick_ns = 4000000;
static const uint64_t unseen_least_ns = 50000000;
static const uint64_t most_ns = UINT64_C(1) << 36; /* that a sample stands for: sums stay in range */

void cpu_share_init(struct cpu_share *share, const struct observed *observed, const struct rows_recording *recording)
{
    *share = (struct cpu_share){.observed = observed, .last_row = SIZE_MAX};
    size_t count = observed->samples.count;
    while (share->first_event < count && !observed->samples.items[share->first_event].by_event)
        share->first_event++;
    share->has_events = share->first_event < count;
    for (size_t i = share->first_event; i < count; i++)
        if (observed->samples.items[i].by_event)
            share->last_event = i;
    bool has_interval = recording->interval_ns > 0 && recording->interval_ns < UINT32_MAX;
    bool has_tick = recording->tick_ns > 0 && recording->tick_ns < UINT32_MAX;
    share->interval_ns = has_interval ? recording->interval_ns : default_interval_ns;
    share->tick_ns = has_tick ? recording->tick_ns : default_tick_ns;
    if (share->tick_ns < share->interval_ns)
        share->tick_ns = share->interval_ns;
    share->step_ns = share->has_events || !has_tick ? share->interval_ns : share->tick_ns;
    share->debt_most = DEBT_INTERVALS * share->interval_ns + (has_tick ? recording->tick_ns : default_tick_ns);
    share->unseen_most = observed_last_cpu(observed) / 20;
    if (share->unseen_most < unseen_least_ns)
        share->unseen_most = unseen_least_ns;
    kernel_share_of(observed, &share->kernel);
}

/* What a sample stands for, next to others. */
static uint64_t unit_of(const struct cpu_share *share, size_t sample)
{
    const struct observed_sample *seen = &share->observed->samples.items[sample];
    if (!seen->by_event && !observed_is_in_kernel(seen) && sample > share->first_event && sample < share->last_event)
        return 0;
    uint64_t event = seen->stands_for_ns > 0 && seen->stands_for_ns < UINT32_MAX ? seen->stands_for_ns : share->interval_ns;
    uint64_t unit = seen->by_event ? event : seen->ticks * share->tick_ns;
    return unit < most_ns ? unit : most_ns;
}

/* Of the samples of a window. */
struct seen {
    uint64_t in_calls, in_user; /* what they stand for, if nothing is known of the CPU time */
};

static struct seen count_seen(const struct cpu_share *share, size_t first, size_t end)
{
    struct seen seen = {0};
    for (size_t i = first; i < end; i++)
        *(observed_is_in_kernel(&share->observed->samples.items[i]) ? &seen.in_calls : &seen.in_user) += unit_of(share, i);
    return seen;
}

/* How the CPU time of a window is used. */
struct parts {
    uint64_t user, calls, outside_calls;
};

static struct parts split_by_ticks(struct cpu_share *share, const struct seen *seen, int64_t all)
{
    struct parts parts = {0};
    if (seen->in_user + seen->in_calls == 0 || all <= 0)
        return parts;
    parts.user = proportion((uint64_t)all, seen->in_user, seen->in_user + seen->in_calls);
    parts.calls = (uint64_t)all - parts.user;
    /* Ticks outside of calls are among those in user code. */
    share->owed_ns += (uint64_t)((double)all * share->kernel.outside_calls);
    parts.outside_calls = share->owed_ns < parts.user ? share->owed_ns : parts.user;
    parts.user -= parts.outside_calls;
    share->owed_ns -= parts.outside_calls;
    return parts;
}

static struct parts split_by_events(struct cpu_share *share, const struct seen *seen, int64_t all)
{
    struct parts parts = {0};
    int64_t most = all + (int64_t)share->debt_most;
    parts.user = most <= 0 ? 0 : seen->in_user < (uint64_t)most ? seen->in_user : (uint64_t)most;
    int64_t rest = all - (int64_t)parts.user;
    if (rest <= 0)
        return parts;
    /* All kernel time so far, which may become less again by as much as is carried. */
    uint64_t kernel = share->kernel_ns + (uint64_t)rest;
    double certain = kernel > share->debt_most ? (double)(kernel - share->debt_most) : 0;
    uint64_t outside = (uint64_t)(certain * (1 - share->kernel.in_calls));
    if (outside > share->outside_ns)
        parts.outside_calls = outside - share->outside_ns < (uint64_t)rest ? outside - share->outside_ns : (uint64_t)rest;
    share->outside_ns += parts.outside_calls;
    parts.calls = seen->in_calls > 0 ? (uint64_t)rest - parts.outside_calls : 0;
    share->kernel_ns += parts.outside_calls + parts.calls;
    return parts;
}

static void set_weights(const struct cpu_share *share, size_t first, size_t end, const struct seen *seen,
                        const struct parts *parts, uint64_t *weights)
{
    uint64_t user = 0, calls = 0;
    for (size_t i = first; i < end; i++) {
        bool in_kernel = observed_is_in_kernel(&share->observed->samples.items[i]);
        uint64_t *before = in_kernel ? &calls : &user, until = *before + unit_of(share, i);
        uint64_t whole = in_kernel ? parts->calls : parts->user, all = in_kernel ? seen->in_calls : seen->in_user;
        weights[i - first] = proportion(whole, until, all) - proportion(whole, *before, all);
        *before = until;
    }
}

uint64_t cpu_share_window(struct cpu_share *share, size_t first, size_t end, uint64_t cpu_ns, uint64_t *weights)
{
    struct seen seen = count_seen(share, first, end);
    int64_t all = share->carry + (int64_t)cpu_ns;
    bool events_look = share->has_events && end > share->first_event;
    struct parts parts = events_look ? split_by_events(share, &seen, all) : split_by_ticks(share, &seen, all);
    set_weights(share, first, end, &seen, &parts, weights);
    share->carry = all - (int64_t)(parts.user + parts.calls + parts.outside_calls);
    share->outside_carry += parts.outside_calls;
    uint64_t kernel = 0;
    if (share->outside_carry >= share->interval_ns) {
        kernel = share->outside_carry;
        share->outside_carry = 0;
    }
    if (share->has_events && share->carry > (int64_t)share->unseen_most) {
        kernel += (uint64_t)share->carry;
        share->kernel_ns += (uint64_t)share->carry;
        share->carry = 0;
    }
    return kernel;
}

uint64_t cpu_share_estimate(const struct cpu_share *share, size_t first, size_t end)
{
    return (uint64_t)(end - first) * share->step_ns;
}

/* What samples stand for too much is taken off all of them. */
static void pay_back(uint64_t debt, struct thread_rows *rows)
{
    uint64_t all = 0, before = 0;
    for (size_t i = 0; i < rows->rows.count; i++)
        all += rows->rows.items[i].kind == ROW_CPU ? rows->rows.items[i].weight_ns : 0;
    debt = debt < all ? debt : all;
    for (size_t i = 0; i < rows->rows.count; i++) {
        struct thread_row *row = &rows->rows.items[i];
        if (row->kind != ROW_CPU)
            continue;
        uint64_t until = before + row->weight_ns;
        row->weight_ns = proportion(all - debt, until, all) - proportion(all - debt, before, all);
        before = until;
    }
}

struct cpu_left cpu_share_end(struct cpu_share *share, struct thread_rows *rows)
{
    struct cpu_left left = {.kernel_ns = share->outside_carry};
    uint64_t carry = share->carry > 0 ? (uint64_t)share->carry : 0;
    if (share->carry < 0)
        pay_back((uint64_t)-share->carry, rows);
    share->carry = 0;
    if (share->last_row < rows->rows.count && carry < LEFTOVER_STEPS * share->step_ns)
        rows->rows.items[share->last_row].weight_ns += carry;
    else
        *(share->has_events ? &left.kernel_ns : &left.not_sampled_ns) += carry;
    return left;
}
