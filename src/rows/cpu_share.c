/* What CPU time each sample stands for.
 *
 * Ticks see all CPU time of a thread: its samples share what it used. Events, which come later, see only its own code: each
 * stands for an interval, and what is left of the CPU time was used in the kernel, where only ticks look; samples that a tick
 * took in a system call share it. */
#include "rows/shares.h"

/* Events come at random distances, and the clock of a thread that runs is seen from outside as it was at the last tick: so
 * samples stand for a little more or less than was used. That evens out by itself if it is carried on, and would become kernel
 * time if only what is missing were. */
enum { DEBT_INTERVALS = 2, LEFTOVER_STEPS = 2 };

static const uint64_t default_interval_ns = 1000000;
static const uint64_t default_tick_ns = 4000000;
static const uint64_t unseen_least_ns = 50000000;

static uint64_t last_cpu(const struct observed *observed)
{
    uint64_t cpu = observed->has_end ? observed->end_cpu_ns : 0;
    for (size_t i = 0; i < observed->looks.count; i++)
        if (observed->looks.items[i].cpu_ns > cpu)
            cpu = observed->looks.items[i].cpu_ns;
    return cpu;
}

void cpu_share_init(struct cpu_share *share, const struct observed *observed, const struct rows_recording *recording)
{
    *share = (struct cpu_share){.observed = observed, .last_row = SIZE_MAX};
    while (share->first_event < observed->samples.count && !observed->samples.items[share->first_event].by_event)
        share->first_event++;
    share->has_events = share->first_event < observed->samples.count;
    bool has_interval = recording->interval_ns > 0 && recording->interval_ns < UINT32_MAX;
    share->interval_ns = has_interval ? recording->interval_ns : default_interval_ns;
    share->step_ns = share->interval_ns;
    if (!share->has_events && recording->tick_ns > share->step_ns && recording->tick_ns < UINT32_MAX)
        share->step_ns = recording->tick_ns;
    bool has_tick = recording->tick_ns > 0 && recording->tick_ns < UINT32_MAX;
    share->debt_most = DEBT_INTERVALS * share->interval_ns + (has_tick ? recording->tick_ns : default_tick_ns);
    share->unseen_most = last_cpu(observed) / 20;
    if (share->unseen_most < unseen_least_ns)
        share->unseen_most = unseen_least_ns;
}

static bool is_in_kernel(const struct cpu_share *share, size_t sample)
{
    const struct observed_sample *seen = &share->observed->samples.items[sample];
    return share->has_events && !seen->by_event && seen->in_call;
}

static size_t count_in_kernel(const struct cpu_share *share, size_t first, size_t end)
{
    size_t count = 0;
    for (size_t i = first; i < end; i++)
        count += is_in_kernel(share, i);
    return count;
}

uint64_t cpu_share_window(struct cpu_share *share, size_t first, size_t end, uint64_t cpu_ns, uint64_t *weights)
{
    size_t in_kernel = count_in_kernel(share, first, end), in_user = end - first - in_kernel;
    int64_t all = share->carry + (int64_t)cpu_ns;
    uint64_t user = 0, kernel = 0;
    bool events_look = share->has_events && end > share->first_event;
    if (events_look) {
        int64_t most = all + (int64_t)share->debt_most;
        unsigned __int128 wanted = (unsigned __int128)in_user * share->interval_ns;
        user = most <= 0 ? 0 : wanted < (uint64_t)most ? (uint64_t)wanted : (uint64_t)most;
        int64_t rest = all - (int64_t)user;
        kernel = in_kernel > 0 && rest > 0 ? (uint64_t)rest : 0;
    } else if (end > first && all > 0) {
        /* Ticks see both. */
        user = proportion((uint64_t)all, in_user, end - first);
        kernel = (uint64_t)all - user;
    }
    share->carry = all - (int64_t)user - (int64_t)kernel;
    for (size_t i = first, k = 0, u = 0; i < end; i++)
        weights[i - first] = is_in_kernel(share, i) ? share_of(kernel, k++, in_kernel) : share_of(user, u++, in_user);
    if (!share->has_events || share->carry <= (int64_t)share->unseen_most)
        return 0;
    uint64_t unseen = (uint64_t)share->carry;
    share->carry = 0;
    return unseen;
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

uint64_t cpu_share_end(struct cpu_share *share, struct thread_rows *rows)
{
    int64_t left = share->carry;
    if (left < 0)
        pay_back((uint64_t)-left, rows);
    share->carry = 0;
    if (left <= 0)
        return 0;
    if (share->last_row == SIZE_MAX || left >= (int64_t)(LEFTOVER_STEPS * share->step_ns))
        return (uint64_t)left;
    rows->rows.items[share->last_row].weight_ns += (uint64_t)left;
    return 0;
}
