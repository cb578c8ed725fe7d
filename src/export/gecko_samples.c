#include "export/gecko_samples.h"

#include "common/number_text.h"
#include "export/gecko_table.h"
#include "export/gecko_time.h"

/* ---- collecting ---- */

bool gecko_ticks_add(struct gecko_ticks *ticks, uint64_t time)
{
    time = gecko_later(gecko_time(time), ticks->last);
    uint8_t *out = gecko_rows_reserve(&ticks->rows, LEB128_MAX_BYTES);
    if (!out)
        return false;
    ticks->at = gecko_rows_back(&ticks->rows);
    gecko_rows_commit(&ticks->rows, leb128_write(out, time - ticks->last));
    ticks->before_last = ticks->last;
    ticks->last = time;
    return true;
}

bool gecko_ticks_gap(struct gecko_ticks *ticks)
{
    return vec_push(&ticks->gaps, ticks->rows.count);
}

void gecko_ticks_free(struct gecko_ticks *ticks)
{
    gecko_rows_free(&ticks->rows);
    vec_free(&ticks->gaps);
}

/* A row is its kind, below how many ticks went by without a word since the row before, and then
 *     SEEN          time since the tick, CPU time
 *     SEEN_DELAYED  the same, event delay
 *     STACK         the stack from the next tick on */
enum row_kind { ROW_SEEN, ROW_SEEN_DELAYED, ROW_STACK };
enum { ROW_MAX = 4 * LEB128_MAX_BYTES };

static uint8_t *begin_row(struct gecko_samples *samples, enum row_kind kind, uint64_t tick)
{
    uint8_t *out = gecko_rows_reserve(&samples->rows, ROW_MAX);
    uint64_t silent = tick > samples->next_tick ? tick - samples->next_tick : 0;
    if (out)
        gecko_put(&out, silent << 2 | kind);
    samples->next_tick += silent;
    return out;
}

static void end_row(struct gecko_samples *samples, const uint8_t *end)
{
    gecko_rows_commit(&samples->rows, (size_t)(end - (samples->rows.last->bytes + samples->rows.last->used)));
}

static bool put_stack(struct gecko_samples *samples, uint32_t stack, uint64_t tick)
{
    uint8_t *out = begin_row(samples, ROW_STACK, tick);
    if (!out)
        return false;
    gecko_put(&out, stack);
    end_row(samples, out);
    samples->stack = stack;
    return true;
}

/* Its first row is that of the newest tick. */
static void start(struct gecko_samples *samples, const struct gecko_ticks *ticks)
{
    samples->started = true;
    samples->gaps_seen = ticks->gaps.count;
    if (ticks->rows.count == 0)
        return;
    samples->first = ticks->at;
    samples->before_first = ticks->before_last;
    samples->next_tick = ticks->rows.count - 1;
}

static bool catch_up(struct gecko_samples *samples, const struct gecko_ticks *ticks)
{
    if (samples->gaps_seen == ticks->gaps.count)
        return true;
    uint64_t gap = ticks->gaps.items[samples->gaps_seen];
    samples->gaps_seen = ticks->gaps.count;
    return samples->stack == 0 || put_stack(samples, 0, gap);
}

static bool begin(struct gecko_samples *samples, const struct gecko_ticks *ticks)
{
    if (!samples->started)
        start(samples, ticks);
    return catch_up(samples, ticks);
}

bool gecko_samples_stack(struct gecko_samples *samples, const struct gecko_ticks *ticks, uint32_t stack, bool has_frames)
{
    if (!begin(samples, ticks))
        return false;
    stack++;
    samples->has_frames |= has_frames;
    uint64_t newest = ticks->rows.count > 0 ? ticks->rows.count - 1 : 0;
    return stack == samples->stack || put_stack(samples, stack, newest);
}

bool gecko_samples_add(struct gecko_samples *samples, const struct gecko_ticks *ticks, const struct sample_entry *entry)
{
    if (!begin(samples, ticks))
        return false;
    /* Before the first tick there is no time, and a second look in one tick is none that a sampler takes. */
    if (samples->next_tick >= ticks->rows.count)
        return true;
    uint8_t *out = begin_row(samples, entry->has_event_delay ? ROW_SEEN_DELAYED : ROW_SEEN, ticks->rows.count - 1);
    if (!out)
        return false;
    gecko_put(&out, gecko_time(entry->since_tick_ns));
    gecko_put(&out, gecko_time(entry->cpu_ns));
    if (entry->has_event_delay)
        gecko_put(&out, gecko_time(entry->event_delay_ns));
    end_row(samples, out);
    samples->next_tick++;
    return true;
}

bool gecko_samples_finish(struct gecko_samples *samples, const struct gecko_ticks *ticks)
{
    return !samples->started || catch_up(samples, ticks);
}

uint64_t gecko_samples_count(const struct gecko_samples *samples, const struct gecko_ticks *ticks)
{
    return samples->started ? samples->rows.count + (ticks->rows.count - samples->next_tick) : 0;
}

void gecko_samples_free(struct gecko_samples *samples)
{
    gecko_rows_free(&samples->rows);
}

/* ---- writing ---- */

struct sample_writer {
    struct json_writer *w;
    struct gecko_progress *progress;
    struct gecko_place tick; /* the next one */
    uint64_t tick_time;      /* of the one before it */
    uint64_t since, end;
    uint64_t last; /* time of the last row: they never go back */
    uint64_t rows; /* since the last report of progress */
    bool has_frames;
    bool hidden;         /* the stack is unknown: no rows */
    bool ended;          /* nothing that is written arrives any more */
    size_t stack_length; /* of the text that all rows with this stack begin with */
    char row[160];
};

static void set_stack(struct sample_writer *s, uint32_t stack)
{
    /* A thread without any frame has only its CPU time to show; that is of use where the stack is not known, too. */
    s->hidden = stack == 0 && s->has_frames;
    s->row[0] = '[';
    s->stack_length = 1 + integer_text(stack > 0 ? stack - 1 : 0, s->row + 1);
    s->row[s->stack_length++] = ',';
}

static char *put_text(char *out, struct slice text)
{
    memcpy(out, text.text, text.length);
    return out + text.length;
}

/* The row up to its CPU time. */
static char *begin_sample(struct sample_writer *s, uint64_t time)
{
    s->last = gecko_later(time, s->last);
    char *out = s->row + s->stack_length;
    return out + decimal_text((int64_t)s->last, 6, out);
}

static void end_sample(struct sample_writer *s, char *end)
{
    *end++ = ']';
    json_write_raw(s->w, (struct slice){s->row, (size_t)(end - s->row)});
    if (++s->rows == GECKO_PROGRESS_ROWS) {
        gecko_progress_written(s->progress, s->rows);
        s->rows = 0;
        s->ended = !json_writer_ok(s->w);
    }
}

static bool next_tick(struct sample_writer *s)
{
    const uint8_t *at = gecko_place_next(&s->tick);
    if (!at)
        return false;
    s->tick_time += gecko_take(&at);
    gecko_place_move(&s->tick, at);
    return true;
}

/* Up to `count` ticks in which the thread did not run. */
static void write_silent(struct sample_writer *s, uint64_t count)
{
    for (; count > 0 && !s->ended && next_tick(s); count--)
        if (!s->hidden && s->tick_time >= s->since && s->tick_time < s->end)
            end_sample(s, put_text(begin_sample(s, s->tick_time), SLICE(",null,null,0")));
}

static void write_seen(struct sample_writer *s, const uint8_t **at, bool delayed)
{
    next_tick(s);
    uint64_t time = s->tick_time + gecko_take(at), cpu = gecko_take(at), delay = delayed ? gecko_take(at) : 0;
    if (s->hidden || time < s->since)
        return;
    char *out = begin_sample(s, time);
    *out++ = ',';
    if (delayed)
        out += decimal_text((int64_t)delay, 6, out);
    else
        out = put_text(out, SLICE("null"));
    out = put_text(out, SLICE(",null,"));
    end_sample(s, out + integer_text((int64_t)cpu, out));
}

static void write_rows(struct sample_writer *s, const struct gecko_rows *rows)
{
    struct gecko_place place = gecko_rows_front(rows);
    for (const uint8_t *at; !s->ended && (at = gecko_place_next(&place)) != NULL; gecko_place_move(&place, at)) {
        uint64_t head = gecko_take(&at);
        write_silent(s, head >> 2);
        if ((head & 3) == ROW_STACK)
            set_stack(s, (uint32_t)gecko_take(&at));
        else
            write_seen(s, &at, (head & 3) == ROW_SEEN_DELAYED);
    }
    write_silent(s, UINT64_MAX);
}

void gecko_samples_write(const struct gecko_samples *samples, const struct gecko_ticks *ticks, uint64_t since, uint64_t end,
                         struct gecko_progress *progress, struct json_writer *w)
{
    struct sample_writer s = {
        .w = w,
        .progress = progress,
        .tick = samples->first.block ? samples->first : gecko_rows_front(&ticks->rows),
        .tick_time = samples->before_first,
        .since = since,
        .end = end,
        .has_frames = samples->has_frames,
    };
    gecko_table_begin(w, GECKO_SAMPLE_SCHEMA);
    if (samples->started) {
        set_stack(&s, 0);
        write_rows(&s, &samples->rows);
        gecko_progress_written(progress, s.rows);
    }
    gecko_table_end(w);
}
