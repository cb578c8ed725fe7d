#include "kill_samples.h"

#include "common/vec.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATIENCE_TICKS = 32, /* after so many the sampler does not wait any longer for threads that it never saw before */
    /* A tick that lies at one end of the time between two answers may be on either side of it. */
    COUNT_SLACK = 2,
    /* How far the moment of a stack and the time of its row may be apart: a thread is asked at a tick, and answers when it gets
     * a CPU; with a timer of its own its sample waits for the sampler. So rows, and for the fast ones a time. */
    ROWS_SLACK = 4,
    /* A thread that takes samples by itself is taken to have run evenly while the sampler sleeps: 16 ticks, and as many late.
     */
    CPU_ROWS_SLACK = 36,
};
static const double clock_slack_ns = 5e3; /* of reading two clocks one after the other */
static const double stack_slack_ns = 2e6;

/* The rows of one thread of the profile. */
struct rows {
    int32_t pid, tid;
    VEC(double) times; /* CLOCK_MONOTONIC in ns, in order */
    VEC(double) cpu;   /* ns that the thread had used by then, since its first row */
};

struct kill_samples {
    const struct kill_log *log;
    const struct profile *profile;
    double zero_ns; /* when the profile begins */
    size_t held;    /* rows, in a row, that may have the stack of the one before although the thread ran (capture/thrift.h) */
    VEC(struct rows) threads;
    VEC(uint32_t) first_burst, next_burst; /* of each stream, and of the same stream; UINT32_MAX = none */
    void (*tell)(void *data, const char *what);
    void *data;
};

__attribute__((format(printf, 2, 3))) static void complain(struct kill_samples *samples, const char *format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    samples->tell(samples->data, text);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* "12", or "12.1" where the process had become another program. */
static int32_t number_of(const struct profile *profile, struct string_index id)
{
    return (int32_t)strtol(profile_text(profile, id).text, NULL, 10);
}

/* Time 0 of a profile is that of the process that started first, which may be one that said nothing; but it has the start of
 * every process, and that of the target is in the log. (The target never was another program, so it has the number 12.) */
static double zero_of(const struct profile *profile, const struct kill_log *log)
{
    int32_t pid = atomic_load(&log->processes[0].pid);
    for (size_t i = 0; i < profile->threads.count; i++) {
        const struct thread *thread = &profile->threads.items[i];
        struct slice text = profile_text(profile, thread->pid);
        if (number_of(profile, thread->pid) == pid && !memchr(text.text, '.', text.length))
            return (double)atomic_load(&log->processes[0].zero_ns) - thread->process_startup_time * 1e6;
    }
    return NAN;
}

/* Bursts of a stream follow each other also in the log. */
static void index_bursts(struct kill_samples *samples)
{
    const struct kill_log *log = samples->log;
    uint32_t count = least(atomic_load(&log->burst_count), KILL_BURSTS);
    for (uint32_t i = 0; i < KILL_STREAMS; i++)
        if (!vec_push(&samples->first_burst, UINT32_MAX))
            abort();
    for (uint32_t i = 0; i < count; i++)
        if (!vec_push(&samples->next_burst, UINT32_MAX))
            abort();
    for (uint32_t i = count; i-- > 0;) {
        if (atomic_load(&log->bursts[i].begin_cpu_ns) == 0)
            continue; /* it was killed before it could say whose it is */
        uint32_t *first = &samples->first_burst.items[atomic_load(&log->bursts[i].stream) % KILL_STREAMS];
        samples->next_burst.items[i] = *first;
        *first = i;
    }
}

struct kill_samples *kill_samples_begin(const struct kill_log *log, const struct profile *profile, size_t held,
                                        void (*tell)(void *data, const char *what), void *data)
{
    struct kill_samples *samples = calloc(1, sizeof *samples);
    if (!samples)
        abort();
    samples->log = log;
    samples->profile = profile;
    samples->zero_ns = zero_of(profile, log);
    samples->held = held;
    samples->tell = tell;
    samples->data = data;
    index_bursts(samples);
    return samples;
}

/* ---- what the rows say ----
 *
 * A row with a stack, or with CPU time, is an observation. One that says "as before", without CPU time, may be none: the thread
 * was asked and waits for a CPU, the sampler slept because nobody worked, or it was killed before it came to the thread. Such a
 * row says nothing new, so it cannot be wrong about more than that. */

/* The burst that the thread was in, as the stack says; -1 = in none. */
static long burst_of(const struct profile *profile, int64_t row)
{
    if (row == COLUMN_ABSENT)
        return -1;
    for (struct stack_index stack = stack_at((size_t)row); stack_exists(stack); stack = stack_prefix(&profile->stacks, stack)) {
        struct func_index func = frame_func(&profile->frames, stack_frame(&profile->stacks, stack));
        struct slice name = profile_text(profile, func_table_get(&profile->funcs, func).name);
        if (slice_starts_with(name, SLICE("burst ")))
            return strtol(name.text + sizeof "burst " - 1, NULL, 10);
    }
    return -1;
}

/* The time of the row so many before or behind row i. All time is before the first one and behind the last: nobody knows when
 * the thread was first asked, and when it answered last. */
static double time_near(const struct rows *rows, size_t i, long distance)
{
    long other = (long)i + distance, last = (long)rows->times.count - 1;
    return other < 0 ? -INFINITY : other > last ? INFINITY : rows->times.items[other];
}

static void check_burst(struct kill_samples *samples, const struct rows *rows, size_t i, long index, bool says_same)
{
    const struct kill_log *log = samples->log;
    if (index >= (long)least(atomic_load(&log->burst_count), KILL_BURSTS)) {
        complain(samples, "a sample of thread %d is in burst %ld, which there is not", (int)rows->tid, index);
        return;
    }
    const struct kill_burst *burst = &log->bursts[index];
    const struct kill_stream *stream = &log->streams[atomic_load(&burst->stream)];
    if (atomic_load(&stream->tid) != rows->tid || atomic_load(&stream->pid) != rows->pid) {
        complain(samples, "a sample of thread %d is in burst %ld, which is that of thread %d", (int)rows->tid, index,
                 (int)atomic_load(&stream->tid));
        return;
    }
    double time = rows->times.items[i], begin = (double)atomic_load(&burst->begin_ns),
           end = (double)atomic_load(&burst->end_ns);
    double before = time_near(rows, i, -ROWS_SLACK - (long)samples->held);
    before = says_same ? -INFINITY : fmin(before, time - stack_slack_ns);
    double after = fmax(time_near(rows, i, ROWS_SLACK), time + stack_slack_ns);
    if (begin == 0 || begin > after || (end > 0 && end < before))
        complain(samples, "a sample of thread %d is in burst %ld, which it left %g ms before and begins %g ms after it",
                 (int)rows->tid, index, end > 0 ? (time - end) / 1e6 : NAN, (begin - time) / 1e6);
}

static void gather_times(struct kill_samples *samples, const struct thread *thread, struct rows *rows)
{
    const struct sample_table *table = &thread->samples;
    double time = 0, used = 0;
    for (size_t i = 0; i < sample_count(table); i++) {
        double value = column_get_number(&table->time, i), cpu = column_get_number(&table->cpu_delta, i);
        double next = table->time_is_deltas ? time + value : value;
        if (!(next >= time) || !isfinite(next) || cpu < 0)
            complain(samples, "sample %zu is at %g after %g, with a CPU time of %g", i, next, time, cpu);
        time = next;
        used += cpu;
        if (!vec_push(&rows->times, samples->zero_ns + time * 1e6) || !vec_push(&rows->cpu, used))
            abort();
    }
}

void kill_samples_thread(struct kill_samples *samples, const struct thread *thread)
{
    const struct profile *profile = samples->profile;
    struct rows rows = {.pid = number_of(profile, thread->pid), .tid = number_of(profile, thread->tid)};
    gather_times(samples, thread, &rows);
    const struct sample_table *table = &thread->samples;
    for (size_t i = 0; i < rows.times.count; i++) {
        int64_t stack = column_get(&table->stack, i);
        long index = burst_of(profile, stack);
        bool says_same = i > 0 && column_get_number(&table->cpu_delta, i) == 0 && stack == column_get(&table->stack, i - 1);
        if (index >= 0)
            check_burst(samples, &rows, i, index, says_same);
    }
    if (!vec_push(&samples->threads, rows))
        abort();
}

/* ---- whether all are there ---- */

static size_t rows_until(const struct rows *rows, double time)
{
    size_t low = 0, high = rows->times.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows->times.items[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A thread number may have been that of several threads, and the main thread is one in every program that a process becomes. */
static size_t count_rows(const struct kill_samples *samples, const struct kill_stream *stream, double from, double to)
{
    size_t count = 0;
    for (size_t i = 0; i < samples->threads.count; i++) {
        const struct rows *rows = &samples->threads.items[i];
        if (rows->tid == atomic_load(&stream->tid) && rows->pid == atomic_load(&stream->pid))
            count += rows_until(rows, to) - rows_until(rows, from);
    }
    return count;
}

/* CPU time, in ns. */
struct cpu_bounds {
    double least, most;
};

/* What the first `count` rows say; NaN where there are not so many. */
static double cpu_of_rows(const struct rows *rows, size_t count)
{
    return count == 0 ? 0 : count > rows->cpu.count ? NAN : rows->cpu.items[count - 1];
}

/* The first rows that show all CPU time up to a moment: samples that a thread takes by itself come some rows late, and one that
 * waits for a CPU takes none. */
static size_t rows_settled(const struct kill_samples *samples, const struct rows *rows, double time)
{
    size_t count = rows_until(rows, time) + CPU_ROWS_SLACK + samples->held;
    while (count > 0 && count < rows->cpu.count && cpu_of_rows(rows, count + 1) == cpu_of_rows(rows, count))
        count++;
    return count + 1;
}

/* CPU time that the rows between two moments show: at least, and at most. NaN = nobody knows. */
static struct cpu_bounds cpu_shown(const struct kill_samples *samples, const struct kill_stream *stream, double from, double to)
{
    struct cpu_bounds shown = {0, 0};
    for (size_t i = 0; i < samples->threads.count; i++) {
        const struct rows *rows = &samples->threads.items[i];
        size_t first = rows_until(rows, from), last = rows_until(rows, to);
        if (rows->tid != atomic_load(&stream->tid) || rows->pid != atomic_load(&stream->pid) || first == last)
            continue;
        shown.least += cpu_of_rows(rows, last) - cpu_of_rows(rows, rows_settled(samples, rows, from));
        shown.most += cpu_of_rows(rows, rows_settled(samples, rows, to)) - cpu_of_rows(rows, first);
    }
    return shown;
}

/* True if the thread of the stream lived from question to answer, and the answer is known. */
static bool covers(const struct kill_stream *stream, const struct kill_look *look, uint64_t until)
{
    uint64_t done = atomic_load(&look->done_ns), begin = atomic_load(&stream->begin_ns), end = atomic_load(&stream->end_ns);
    return done > 0 && done <= until && atomic_load(&look->process) == atomic_load(&stream->process) && begin > 0 &&
           begin <= atomic_load(&look->asked_ns) && (end == 0 || end >= done);
}

static uint64_t tick_count(const struct kill_look *look)
{
    return atomic_load(&look->ticks) - atomic_load(&look->asked_ticks);
}

static void check_look(struct kill_samples *samples, const struct kill_stream *stream, const struct kill_look *look)
{
    double asked = (double)atomic_load(&look->asked_ns), done = (double)atomic_load(&look->done_ns);
    if (count_rows(samples, stream, asked - clock_slack_ns, done + clock_slack_ns) > 0)
        return;
    bool is_new = count_rows(samples, stream, (double)atomic_load(&stream->begin_ns), asked) == 0;
    if (!is_new || tick_count(look) < PATIENCE_TICKS)
        complain(samples, "thread %d of process %d has no sample in the %g ms before %" PRIu64 ", in %" PRIu64 " ticks",
                 (int)atomic_load(&stream->tid), (int)atomic_load(&stream->pid), (done - asked) / 1e6,
                 atomic_load(&look->done_ns), tick_count(look));
}

/* Between two answers. */
static void check_count(struct kill_samples *samples, const struct kill_stream *stream, const struct kill_look *first,
                        const struct kill_look *last)
{
    uint64_t ticks = atomic_load(&last->ticks) - atomic_load(&first->ticks);
    size_t rows = count_rows(samples, stream, (double)atomic_load(&first->done_ns), (double)atomic_load(&last->done_ns));
    if (rows + COUNT_SLACK < ticks || rows > ticks + COUNT_SLACK)
        complain(samples, "thread %d of process %d has %zu samples in %" PRIu64 " ticks, in the %g ms before %" PRIu64,
                 (int)atomic_load(&stream->tid), (int)atomic_load(&stream->pid), rows, ticks,
                 (double)(atomic_load(&last->done_ns) - atomic_load(&first->done_ns)) / 1e6, atomic_load(&last->done_ns));
}

/* No rows before it was made, nor after it was gone. A thread of the same number is somewhere else in time. */
static void check_life(struct kill_samples *samples, const struct kill_stream *stream)
{
    double made = (double)atomic_load(&stream->made_ns), gone = (double)atomic_load(&stream->gone_ns);
    for (size_t i = 0; gone > 0 && i < samples->threads.count; i++) {
        const struct rows *rows = &samples->threads.items[i];
        if (rows->tid != atomic_load(&stream->tid) || rows->pid != atomic_load(&stream->pid) || rows->times.count == 0)
            continue;
        double first = rows->times.items[0], last = rows->times.items[rows->times.count - 1];
        if (first < gone && last > made && (first < made - clock_slack_ns || last > gone + clock_slack_ns))
            complain(samples, "thread %d of process %d has samples %g ms before it was made and %g ms after it was gone",
                     (int)rows->tid, (int)rows->pid, (made - first) / 1e6, (last - gone) / 1e6);
    }
}

/* What the thread's CPU clock showed at some moment. */
static struct cpu_bounds cpu_at(const struct kill_samples *samples, uint32_t stream, uint64_t after, uint64_t before)
{
    struct cpu_bounds bounds = {NAN, NAN};
    for (uint32_t i = samples->first_burst.items[stream]; i != UINT32_MAX; i = samples->next_burst.items[i]) {
        const struct kill_burst *burst = &samples->log->bursts[i];
        uint64_t end = atomic_load(&burst->end_ns);
        if (end > 0 && end <= after)
            bounds.least = (double)atomic_load(&burst->end_cpu_ns);
        if (isnan(bounds.most) && atomic_load(&burst->begin_ns) >= before)
            bounds.most = (double)atomic_load(&burst->begin_cpu_ns);
    }
    return bounds;
}

static struct cpu_bounds cpu_of_look(const struct kill_samples *samples, uint32_t stream, const struct kill_look *look)
{
    return cpu_at(samples, stream, atomic_load(&look->asked_ns), atomic_load(&look->done_ns));
}

/* A sample says how far the CPU clock went on since the sample before, so one that is lost is missing in the sum. */
static void check_cpu(struct kill_samples *samples, uint32_t index, const struct kill_look *first, const struct kill_look *last)
{
    const struct kill_stream *stream = &samples->log->streams[index];
    struct cpu_bounds from = cpu_of_look(samples, index, first), to = cpu_of_look(samples, index, last);
    double begin = (double)atomic_load(&first->done_ns), end = (double)atomic_load(&last->done_ns);
    struct cpu_bounds shown = cpu_shown(samples, stream, begin, end);
    if (shown.most < to.least - from.most || shown.least > to.most - from.least)
        complain(samples,
                 "thread %d of process %d used %g to %g ms of CPU time, and shows %g to %g, in the %g ms before %" PRIu64,
                 (int)atomic_load(&stream->tid), (int)atomic_load(&stream->pid), (to.least - from.most) / 1e6,
                 (to.most - from.least) / 1e6, shown.least / 1e6, shown.most / 1e6, (end - begin) / 1e6,
                 atomic_load(&last->done_ns));
}

/* Answers are written down in order, as a process has one sampler. */
static void check_stream(struct kill_samples *samples, uint32_t index, uint64_t until, struct kill_figures *figures)
{
    const struct kill_log *log = samples->log;
    const struct kill_stream *stream = &log->streams[index];
    const struct kill_look *first = NULL, *last = NULL;
    check_life(samples, stream);
    for (uint32_t i = 0; i < least(atomic_load(&log->look_count), KILL_LOOKS); i++) {
        const struct kill_look *look = &log->looks[i];
        if (!covers(stream, look, until))
            continue;
        check_look(samples, stream, look);
        figures->looks++;
        if (tick_count(look) >= PATIENCE_TICKS)
            continue; /* some thread did not answer, maybe this one */
        /* Before the first sample of a thread ticks are no rows of it. */
        if (first)
            check_cpu(samples, index, first, look);
        else if (count_rows(samples, stream, (double)atomic_load(&stream->begin_ns), (double)atomic_load(&look->done_ns)) > 0)
            first = look;
        last = look;
    }
    if (!first || first == last)
        return;
    check_count(samples, stream, first, last);
    figures->owed_samples += atomic_load(&last->ticks) - atomic_load(&first->ticks);
}

static uint64_t owed_until(const struct kill_log *log, enum kill_wanted wanted)
{
    return wanted == KILL_WANT_ALL ? UINT64_MAX : wanted == KILL_WANT_BEFORE_END ? atomic_load(&log->end_ns) : 0;
}

void kill_samples_finish(struct kill_samples *samples, enum kill_wanted wanted, struct kill_figures *figures)
{
    const struct kill_log *log = samples->log;
    uint64_t until = owed_until(log, wanted);
    for (uint32_t i = 0; i < least(atomic_load(&log->stream_count), KILL_STREAMS); i++)
        check_stream(samples, i, until, figures);
    for (size_t i = 0; i < samples->threads.count; i++) {
        vec_free(&samples->threads.items[i].times);
        vec_free(&samples->threads.items[i].cpu);
    }
    vec_free(&samples->threads);
    vec_free(&samples->first_burst);
    vec_free(&samples->next_burst);
    free(samples);
}
