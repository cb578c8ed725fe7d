#include "rows/thread_rows.h"

#include "rows/shares.h"

/* A thread that had used more than this when it was registered had lived before: how long it had been ready is not known. */
static const uint64_t young_cpu_ns = 10000000;
/* The first look at a thread comes sooner than this, unless earlier ones were recycled. */
static const uint64_t first_look_ns = 1000000000;

enum observation_kind {
    OBSERVED_LOOK,
    OBSERVED_AGAIN, /* it was registered again: it was not recorded before, or not as much as from now on */
    OBSERVED_END,
};

struct observation {
    enum observation_kind kind;
    uint64_t time, cpu_ns;
    const struct observed_look *look;
};

struct maker {
    struct observed *observed;
    const struct rows_recording *recording;
    struct thread_rows *out;
    struct cpu_share cpu;
    struct wait_share waits;
    uint64_t time, cpu_ns;                /* of the last observation */
    uint64_t ready_ns;                    /* of the last look … */
    bool ready_known;                     /* … or 0 at the start of the thread */
    uint64_t ready_carry;                 /* ready time that had no row yet, since … */
    uint64_t counted_runs, counted_waits; /* … these were looked up: waits that are over */
    uint64_t overrun_ns; /* clocks that are read one after the other may add up to more than wall time: so much so far */
    size_t next_sample;
    uint32_t last_stack; /* where it was seen last */
    VEC(uint64_t) weights;
    bool looked; /* at least once */
    bool failed;
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- rows ---- */

static void add_row(struct maker *maker, enum thread_row_kind kind, uint64_t time, uint64_t weight_ns, uint32_t stack,
                    uint32_t sample)
{
    size_t count = maker->out->rows.count;
    if (count > 0)
        time = later(time, maker->out->rows.items[count - 1].time);
    maker->failed |= !vec_push(&maker->out->rows, ((struct thread_row){time, weight_ns, stack, sample, kind}));
}

static void add_wait(struct maker *maker, uint64_t time, uint64_t weight_ns, uint32_t stack)
{
    if (weight_ns == 0)
        return;
    if (stack == OBSERVED_NO_STACK)
        maker->out->sums.unseen_ns += weight_ns;
    add_row(maker, ROW_WAIT, time, weight_ns, stack, UINT32_MAX);
}

/* It lost its CPU where it was seen last. */
static void add_preempted(struct maker *maker, uint64_t time, uint64_t least)
{
    if (maker->ready_carry < least)
        return;
    add_row(maker, ROW_READY, time, maker->ready_carry, maker->last_stack, UINT32_MAX);
    maker->ready_carry = 0;
}

/* It had none when its wait was over. */
static void add_woken(struct maker *maker, uint64_t time, uint64_t weight_ns, uint32_t stack)
{
    if (weight_ns > 0)
        add_row(maker, ROW_READY, time, weight_ns, stack != OBSERVED_NO_STACK ? stack : maker->last_stack, UINT32_MAX);
}

/* CPU time without a sample. */
static void add_unseen(struct maker *maker, enum thread_row_kind kind, uint64_t time, uint64_t weight_ns)
{
    struct thread_sums *sums = &maker->out->sums;
    if (weight_ns == 0)
        return;
    *(kind == ROW_KERNEL  ? &sums->kernel_ns
      : kind == ROW_START ? &sums->start_ns
      : kind == ROW_OWN   ? &sums->own_ns
                          : &sums->not_sampled_ns) += weight_ns;
    add_row(maker, kind, time, weight_ns, OBSERVED_NO_STACK, UINT32_MAX);
}

/* ---- windows ---- */

/* The first sample after `time` that has no row yet. */
static size_t samples_until(const struct maker *maker, uint64_t time)
{
    size_t end = maker->next_sample;
    while (end < maker->observed->samples.count && maker->observed->samples.items[end].time <= time)
        end++;
    return end;
}

static void add_wait_before(struct maker *maker, uint64_t time, const struct wait_parts *waits)
{
    add_wait(maker, time, waits->before_ns, waits->before);
    add_woken(maker, time, waits->before_ready_ns, waits->before);
}

/* The samples up to `time` share `cpu_ns`; the part of a wait that ended in the window has its place among them. */
static void add_samples(struct maker *maker, uint64_t time, uint64_t cpu_ns, const struct wait_parts *waits)
{
    const struct observed *observed = maker->observed;
    size_t first = maker->next_sample, end = samples_until(maker, time);
    if (!vec_reserve(&maker->weights, end - first + 1)) {
        maker->failed = true;
        return;
    }
    uint64_t kernel = cpu_share_window(&maker->cpu, first, end, cpu_ns, maker->weights.items);
    uint64_t before_time = maker->time + waits->before_ns;
    bool before_done = false;
    for (size_t i = first; i < end; i++) {
        const struct observed_sample *sample = &observed->samples.items[i];
        if (!before_done && sample->time > before_time) {
            add_wait_before(maker, before_time, waits);
            before_done = true;
        }
        maker->cpu.last_row = maker->out->rows.count;
        add_row(maker, ROW_CPU, sample->time, maker->weights.items[i - first], sample->stack, (uint32_t)i);
        maker->last_stack = sample->stack;
    }
    if (!before_done)
        add_wait_before(maker, before_time < time ? before_time : time, waits);
    add_unseen(maker, ROW_KERNEL, time, kernel);
    maker->next_sample = end;
}

/* Samples of that time are gone: what they would have stood for is not heaped onto those that are left. */
static uint64_t without_recycled(struct maker *maker, uint64_t to, uint64_t cpu_ns)
{
    const struct observed *observed = maker->observed;
    uint64_t kept_from = observed->samples.count > 0 ? observed->samples.items[0].time : UINT64_MAX, kept = cpu_ns;
    if (!maker->recording->samples_recycled || maker->time >= kept_from)
        return cpu_ns;
    if (to < kept_from)
        kept = 0;
    else if (proportion(cpu_ns, to - kept_from, to - maker->time) >= maker->cpu.step_ns)
        kept = proportion(cpu_ns, to - kept_from, to - maker->time);
    else if (kept > maker->cpu.step_ns)
        kept = maker->cpu.step_ns;
    maker->out->sums.gone_ns += cpu_ns - kept;
    return kept;
}

static uint64_t ready_of(struct maker *maker, const struct observation *to)
{
    if (!to->look) {
        maker->ready_known &= to->kind != OBSERVED_AGAIN;
        return 0;
    }
    uint64_t known = maker->ready_ns, ready = to->look->ready_ns;
    bool grown = maker->ready_known && ready > known;
    maker->ready_ns = maker->ready_known ? later(ready, known) : ready;
    maker->ready_known = true;
    return grown ? ready - known : 0;
}

/* How much of the ready time was behind waits: a run follows a wait that is over, or the thread had lost its CPU. */
static uint64_t ready_behind_waits(struct maker *maker, const struct observed_look *look)
{
    if (!look || look->waits == 0)
        return 0;
    uint64_t over = look->waits - (look->state == LOOK_WAITING);
    uint64_t runs = look->runs > maker->counted_runs ? look->runs - maker->counted_runs : 0;
    uint64_t waits = over > maker->counted_waits ? over - maker->counted_waits : 0;
    uint64_t behind = proportion(maker->ready_carry, waits < runs ? waits : runs, runs);
    maker->counted_runs = look->runs;
    maker->counted_waits = over;
    maker->ready_carry -= behind;
    return behind;
}

static void add_window(struct maker *maker, const struct observation *to)
{
    struct thread_sums *sums = &maker->out->sums;
    uint64_t end = later(to->time, maker->time), wall = end - maker->time;
    uint64_t cpu = to->cpu_ns > maker->cpu_ns ? to->cpu_ns - maker->cpu_ns : 0, ready = ready_of(maker, to);
    if (maker->recording->pauses) {
        uint64_t open = wall - pauses_between(maker->recording->pauses, maker->time, end);
        cpu = open < wall ? proportion(cpu, open, wall) : cpu;
        ready = open < wall ? proportion(ready, open, wall) : ready;
        wall = open;
    }
    uint64_t used = cpu + ready + maker->overrun_ns;
    uint64_t waiting = wall > used ? wall - used : 0;
    maker->overrun_ns = used > wall ? used - wall : 0;
    bool ended_unseen = to->look && to->look->state == LOOK_ENDED; /* nobody knows when: the figures are older */
    if (to->kind == OBSERVED_AGAIN) {
        uint64_t most = cpu_share_estimate(&maker->cpu, maker->next_sample, samples_until(maker, end));
        cpu = cpu < most ? cpu : most;
    }
    if (ended_unseen || to->kind == OBSERVED_AGAIN) {
        waiting = 0;
        maker->overrun_ns = 0;
    }
    cpu = without_recycled(maker, end, cpu);
    if (maker->recording->looks_recycled && !maker->looked && wall > first_look_ns) {
        sums->gone_ns += waiting + ready;
        waiting = ready = 0;
    }
    sums->cpu_ns += cpu;
    sums->ready_ns += ready;
    sums->waiting_ns += waiting;
    maker->ready_carry += ready;
    const struct observed_look *seen = ended_unseen ? NULL : to->look;
    uint64_t behind = ready_behind_waits(maker, seen);
    struct wait_parts waits =
        seen ? wait_share_look(&maker->waits, seen, waiting, behind) : wait_share_end(&maker->waits, waiting);
    maker->looked |= to->look != NULL;
    add_samples(maker, end, cpu, &waits);
    /* Before it began to wait, if it does now. */
    uint64_t here_start = waits.here_ns < end - maker->time ? end - waits.here_ns : maker->time;
    add_preempted(maker, here_start, LOOK_READY_LEAST_NS);
    add_woken(maker, here_start, waits.here_ready_ns, waits.here);
    add_wait(maker, end, waits.here_ns, waits.here);
    if (to->look && waits.here != OBSERVED_NO_STACK && to->look->state == LOOK_WAITING)
        maker->last_stack = waits.here;
    maker->time = end;
    maker->cpu_ns = later(maker->cpu_ns, to->cpu_ns);
}

/* ---- observations in order of time ---- */

static bool is_over(const struct observed *observed, uint64_t time)
{
    return observed->has_end && time > observed->end_ns;
}

static void count_runs(struct maker *maker)
{
    const struct observed *observed = maker->observed;
    size_t count = observed->looks.count;
    while (count > 0 && observed->looks.items[count - 1].state == LOOK_ENDED)
        count--;
    if (count < 2)
        return;
    const struct observed_look *first = &observed->looks.items[0], *last = &observed->looks.items[count - 1];
    if (last->runs > first->runs) {
        maker->out->sums.runs = last->runs - first->runs;
        maker->out->sums.runs_wall_ns = last->time - first->time;
    }
}

static void add_windows(struct maker *maker)
{
    const struct observed *observed = maker->observed;
    size_t look = 0, again = observed->begins.count > 0 ? 1 : 0;
    for (;;) {
        bool has_look = look < observed->looks.count, has_again = again < observed->begins.count;
        if (!has_look && !has_again)
            break;
        if (has_again && (!has_look || observed->begins.items[again].time <= observed->looks.items[look].time)) {
            const struct observed_begin *begin = &observed->begins.items[again++];
            if (!is_over(observed, begin->time))
                add_window(maker, &(struct observation){OBSERVED_AGAIN, begin->time, begin->cpu_ns, NULL});
        } else {
            const struct observed_look *seen = &observed->looks.items[look++];
            if (seen->time >= maker->time && !is_over(observed, seen->time))
                add_window(maker, &(struct observation){OBSERVED_LOOK, seen->time, seen->cpu_ns, seen});
        }
    }
    if (observed->has_end && observed->end_cpu_ns > 0)
        add_window(maker, &(struct observation){OBSERVED_END, observed->end_ns, observed->end_cpu_ns, NULL});
}

/* The process was ended from outside: who was found waiting last, and did not run since, waited until then. */
static void add_last_wait(struct maker *maker)
{
    const struct observed *observed = maker->observed;
    uint64_t end = maker->recording->end_ns;
    if (observed->has_end || !maker->waits.waiting || maker->next_sample < observed->samples.count || end <= maker->time)
        return;
    uint64_t waiting = end - maker->time;
    if (maker->recording->pauses)
        waiting -= pauses_between(maker->recording->pauses, maker->time, end);
    maker->out->sums.waiting_ns += waiting;
    add_wait(maker, end, waiting, maker->waits.stack);
    maker->time = end;
}

/* Samples behind the last observation: the clocks have not been read since. */
static void add_tail(struct maker *maker)
{
    const struct observed *observed = maker->observed;
    size_t count = observed->samples.count;
    if (maker->next_sample == count)
        return;
    uint64_t end = observed->samples.items[count - 1].time;
    uint64_t cpu = cpu_share_estimate(&maker->cpu, maker->next_sample, count), wall = later(end, maker->time) - maker->time;
    if (cpu > wall)
        cpu = wall;
    maker->out->sums.cpu_ns += cpu;
    add_samples(maker, later(end, maker->time), cpu, &(struct wait_parts){.before = OBSERVED_NO_STACK});
    maker->time = later(end, maker->time);
}

static void add_rest(struct maker *maker)
{
    struct cpu_left left = cpu_share_end(&maker->cpu, maker->out);
    struct wait_parts waits = wait_share_end(&maker->waits, 0);
    add_unseen(maker, ROW_KERNEL, maker->time, left.kernel_ns);
    add_unseen(maker, ROW_NOT_SAMPLED, maker->time, left.not_sampled_ns);
    add_preempted(maker, maker->time, 1);
    add_woken(maker, maker->time, waits.here_ready_ns, waits.here);
    add_wait(maker, maker->time, waits.here_ns, waits.here);
}

static void count_truncated(struct maker *maker)
{
    for (size_t i = 0; i < maker->out->rows.count; i++) {
        const struct thread_row *row = &maker->out->rows.items[i];
        if (row->kind == ROW_CPU && maker->observed->samples.items[row->sample].truncated)
            maker->out->sums.truncated_ns += row->weight_ns;
    }
}

bool thread_rows_make(struct observed *observed, const struct rows_recording *recording, struct thread_rows *rows)
{
    struct maker maker = {.observed = observed, .recording = recording, .out = rows, .last_stack = OBSERVED_NO_STACK};
    observed_sort(observed);
    cpu_share_init(&maker.cpu, observed, recording);
    wait_share_init(&maker.waits);
    if (observed->begins.count > 0) {
        maker.time = observed->begins.items[0].time;
        maker.cpu_ns = observed->begins.items[0].cpu_ns;
        maker.ready_known = maker.cpu_ns < young_cpu_ns;
    }
    add_unseen(&maker, ROW_START, maker.time, observed->start_cpu_ns);
    add_unseen(&maker, ROW_OWN, maker.time, observed->own_cpu_ns);
    rows->sums.cpu_ns = observed->start_cpu_ns + observed->own_cpu_ns;
    add_windows(&maker);
    add_last_wait(&maker);
    add_tail(&maker);
    add_rest(&maker);
    if (maker.cpu.has_events)
        kernel_share_limit(&maker.cpu.kernel, observed, rows);
    count_runs(&maker);
    count_truncated(&maker);
    vec_free(&maker.weights);
    return !maker.failed;
}

void thread_rows_free(struct thread_rows *rows)
{
    vec_free(&rows->rows);
    *rows = (struct thread_rows){0};
}
