#include "rows/observed.h"

#include "common/sort.h"

/* Times and clocks are 64 bits that nobody vouches for. Up to this size, sums of a few of them stay in range. */
static const uint64_t latest = UINT64_C(1) << 60;

static uint64_t in_range(uint64_t number)
{
    return number < latest ? number : latest;
}

/* The later reading has seen more ticks. */
static void keep_kernel(struct observed *observed, uint64_t kernel_ns, uint64_t cpu_ns)
{
    if (kernel_ns == 0 || cpu_ns <= observed->kernel_of_ns)
        return;
    observed->kernel_ns = kernel_ns < cpu_ns ? kernel_ns : cpu_ns;
    observed->kernel_of_ns = cpu_ns;
}

bool observed_begin(struct observed *observed, uint64_t time, uint64_t cpu_ns)
{
    return vec_push(&observed->begins, ((struct observed_begin){in_range(time), in_range(cpu_ns)}));
}

bool observed_sample(struct observed *observed, const struct sample_entry *entry, uint32_t stack)
{
    struct observed_sample sample = {
        .time = in_range(entry->time),
        .event_delay_ns = in_range(entry->event_delay_ns),
        .stack = stack,
        .ticks = entry->clock == SAMPLE_BY_EVENT ? 0
                 : entry->ticks > 0              ? entry->ticks
                                                 : 1,
        .skipped = entry->skipped,
        .by_event = entry->clock == SAMPLE_BY_EVENT,
        .in_call = entry->in_call,
        .in_fault = entry->in_fault && entry->clock == SAMPLE_BY_TICK,
        .truncated = entry->stack.truncated,
        .has_event_delay = entry->has_event_delay,
    };
    return vec_push(&observed->samples, sample);
}

bool observed_look(struct observed *observed, const struct look_entry *entry, uint32_t stack)
{
    struct observed_look look = {
        .time = in_range(entry->time),
        .cpu_ns = in_range(entry->cpu_ns),
        .ready_ns = in_range(entry->ready_ns),
        .runs = entry->runs,
        .waits = entry->waits,
        .stack = entry->state == LOOK_WAITING ? stack : OBSERVED_NO_STACK,
        .state = entry->state,
    };
    keep_kernel(observed, in_range(entry->kernel_ns), look.cpu_ns);
    if (entry->period_ns > 0 &&
        !vec_push(&observed->periods, ((struct observed_period){look.time, in_range(entry->period_ns)})))
        return false;
    return vec_push(&observed->looks, look);
}

void observed_end(struct observed *observed, const struct thread_end_entry *entry)
{
    observed->has_end = true;
    observed->end_ns = in_range(entry->time);
    observed->end_cpu_ns = in_range(entry->cpu_ns);
    keep_kernel(observed, in_range(entry->kernel_ns), observed->end_cpu_ns);
}

uint64_t observed_last_cpu(const struct observed *observed)
{
    uint64_t cpu = observed->has_end ? observed->end_cpu_ns : 0;
    for (size_t i = 0; i < observed->begins.count; i++)
        cpu = observed->begins.items[i].cpu_ns > cpu ? observed->begins.items[i].cpu_ns : cpu;
    for (size_t i = 0; i < observed->looks.count; i++)
        cpu = observed->looks.items[i].cpu_ns > cpu ? observed->looks.items[i].cpu_ns : cpu;
    return cpu;
}

static bool sample_before(const void *a, const void *b)
{
    return ((const struct observed_sample *)a)->time < ((const struct observed_sample *)b)->time;
}

static bool look_before(const void *a, const void *b)
{
    return ((const struct observed_look *)a)->time < ((const struct observed_look *)b)->time;
}

static bool begin_before(const void *a, const void *b)
{
    return ((const struct observed_begin *)a)->time < ((const struct observed_begin *)b)->time;
}

static bool period_before(const void *a, const void *b)
{
    return ((const struct observed_period *)a)->time < ((const struct observed_period *)b)->time;
}

/* Mostly they are in order already: then those of the same time stay as they are. */
static void sort_unless_sorted(void *items, size_t count, size_t size, bool (*before)(const void *a, const void *b))
{
    const char *at = items;
    for (size_t i = 1; i < count; i++)
        if (before(at + i * size, at + (i - 1) * size)) {
            sort_items(items, count, size, before);
            return;
        }
}

/* When a period is set anew, what has passed of the old one is lost, half of it on average: the next event stands for that,
 * too. */
static void tell_events_their_periods(struct observed *observed)
{
    uint64_t period = 0, lost = 0;
    size_t next = 0;
    for (size_t i = 0; i < observed->samples.count; i++) {
        struct observed_sample *sample = &observed->samples.items[i];
        for (; next < observed->periods.count && observed->periods.items[next].time <= sample->time; next++) {
            lost = period / 2;
            period = observed->periods.items[next].period_ns;
        }
        if (!sample->by_event || period == 0)
            continue;
        sample->stands_for_ns = period + lost;
        lost = 0;
    }
}

void observed_sort(struct observed *observed)
{
    sort_unless_sorted(observed->begins.items, observed->begins.count, sizeof *observed->begins.items, begin_before);
    sort_unless_sorted(observed->samples.items, observed->samples.count, sizeof *observed->samples.items, sample_before);
    sort_unless_sorted(observed->looks.items, observed->looks.count, sizeof *observed->looks.items, look_before);
    sort_unless_sorted(observed->periods.items, observed->periods.count, sizeof *observed->periods.items, period_before);
    tell_events_their_periods(observed);
}

void observed_free(struct observed *observed)
{
    vec_free(&observed->begins);
    vec_free(&observed->samples);
    vec_free(&observed->looks);
    vec_free(&observed->periods);
    *observed = (struct observed){0};
}
