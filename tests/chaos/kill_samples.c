#include "kill_samples.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Between reading the clock for the sample and for the burst; and times in profiles are rounded. */
static const double time_slack_ns = 1e6;

struct kill_samples {
    const struct kill_log *log;
    const struct profile *profile;
    double zero_ns; /* when the profile begins */
    uint8_t **seen; /* how often each sample of each stream was there */
    uint32_t stream_count;
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

struct kill_samples *kill_samples_begin(const struct kill_log *log, const struct profile *profile,
                                        void (*tell)(void *data, const char *what), void *data)
{
    struct kill_samples *samples = calloc(1, sizeof *samples);
    if (!samples)
        abort();
    samples->log = log;
    samples->profile = profile;
    samples->zero_ns = zero_of(profile, log);
    samples->tell = tell;
    samples->data = data;
    samples->stream_count = least(atomic_load(&log->stream_count), KILL_STREAMS);
    samples->seen = calloc(samples->stream_count + 1u, sizeof *samples->seen);
    for (uint32_t i = 0; samples->seen && i < samples->stream_count; i++)
        if (!(samples->seen[i] = calloc(atomic_load(&log->streams[i].samples_begun) + 1u, 1)))
            abort();
    return samples;
}

/* ---- what the rows say ---- */

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

struct row {
    int32_t pid, tid;
    double time; /* CLOCK_MONOTONIC in ns */
    bool is_sample;
};

/* Where the thread was, it has been; a sample says so of its own moment. */
static void check_burst(struct kill_samples *samples, const struct row *row, long index)
{
    const struct kill_log *log = samples->log;
    if (index >= (long)least(atomic_load(&log->burst_count), KILL_BURSTS)) {
        complain(samples, "a row of thread %d is in burst %ld, which there is not", (int)row->tid, index);
        return;
    }
    const struct kill_burst *burst = &log->bursts[index];
    const struct kill_stream *stream = &log->streams[atomic_load(&burst->stream)];
    if (atomic_load(&stream->tid) != row->tid || atomic_load(&stream->pid) != row->pid) {
        complain(samples, "a row of thread %d is in burst %ld, which is that of thread %d", (int)row->tid, index,
                 (int)atomic_load(&stream->tid));
        return;
    }
    double begin = (double)atomic_load(&burst->begin_ns), end = (double)atomic_load(&burst->end_ns);
    if (row->is_sample && (row->time < begin - time_slack_ns || (end > 0 && row->time > end + time_slack_ns)))
        complain(samples, "a sample of thread %d is in burst %ld, which began %g ms before it and ended %g ms after it",
                 (int)row->tid, index, (row->time - begin) / 1e6, end > 0 ? (end - row->time) / 1e6 : NAN);
}

/* By its number, which is that of the stream, too. */
static void check_sample(struct kill_samples *samples, const struct row *row, uint64_t answer)
{
    uint64_t index = answer >> KILL_SAMPLE_BITS, number = answer & ((1u << KILL_SAMPLE_BITS) - 1);
    const struct kill_stream *stream = index < samples->stream_count ? &samples->log->streams[index] : NULL;
    if (!stream || number == 0 || number > atomic_load(&stream->samples_begun)) {
        complain(samples, "sample %" PRIu64 " of stream %" PRIu64 " was not begun", number, index);
        return;
    }
    if (row->pid != atomic_load(&stream->pid) || row->tid != atomic_load(&stream->tid))
        complain(samples, "sample %" PRIu64 " of stream %" PRIu64 " is on the wrong thread", number, index);
    if (samples->seen[index][number]++ > 0)
        complain(samples, "sample %" PRIu64 " of stream %" PRIu64 " is there twice", number, index);
}

void kill_samples_thread(struct kill_samples *samples, const struct thread *thread)
{
    const struct profile *profile = samples->profile;
    const struct sample_table *table = &thread->samples;
    struct row row = {.pid = number_of(profile, thread->pid), .tid = number_of(profile, thread->tid)};
    double time = 0;
    for (size_t i = 0; i < sample_count(table); i++) {
        double value = column_get_number(&table->time, i), next = table->time_is_deltas ? time + value : value;
        double delay = sample_table_has(&table->event_delay) ? column_get_number(&table->event_delay, i) : NAN;
        if (!(next >= time) || !isfinite(next))
            complain(samples, "row %zu is at %g after %g", i, next, time);
        time = next;
        row.time = samples->zero_ns + time * 1e6;
        row.is_sample = !isnan(delay);
        long burst = burst_of(profile, column_get(&table->stack, i));
        if (burst >= 0)
            check_burst(samples, &row, burst);
        if (row.is_sample && delay != 0)
            check_sample(samples, &row, (uint64_t)llround(delay * 1e6));
    }
}

/* ---- whether all are there ---- */

static uint32_t owed(const struct kill_stream *stream, enum kill_wanted wanted)
{
    uint32_t published = atomic_load(&stream->samples_published), before_end = atomic_load(&stream->samples_before_end);
    if (wanted == KILL_WANT_TRUE || (wanted == KILL_WANT_BEFORE_END && before_end == 0))
        return 0;
    return wanted == KILL_WANT_BEFORE_END ? least(published, before_end - 1) : published;
}

static uint64_t missing_of(const struct kill_samples *samples, uint32_t index, uint32_t published)
{
    uint64_t missing = 0;
    for (uint32_t number = 1; number <= published; number++)
        missing += samples->seen[index][number] == 0;
    return missing;
}

void kill_samples_finish(struct kill_samples *samples, enum kill_wanted wanted, struct kill_figures *figures)
{
    const struct kill_log *log = samples->log;
    uint32_t process_count = least(atomic_load(&log->process_count), KILL_PROCESSES);
    uint64_t *missing = calloc(process_count + 1u, sizeof *missing);
    if (!missing)
        abort();
    for (uint32_t i = 0; i < samples->stream_count; i++) {
        uint32_t published = owed(&log->streams[i], wanted), process = atomic_load(&log->streams[i].process);
        figures->owed_samples += published;
        missing[least(process, process_count)] += missing_of(samples, i, published);
        free(samples->seen[i]);
    }
    for (uint32_t i = 0; i < process_count; i++) {
        uint64_t lost = atomic_load(&log->processes[i].lost);
        figures->lost_samples += missing[i];
        if (missing[i] > lost)
            complain(samples, "%" PRIu64 " samples of process %d are missing, and %" PRIu64 " found no chunk", missing[i],
                     (int)atomic_load(&log->processes[i].pid), lost);
    }
    free(missing);
    free(samples->seen);
    free(samples);
}
