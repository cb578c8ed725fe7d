#include "export/gecko_samples.h"

#include "common/number_text.h"
#include "export/gecko_table.h"
#include "export/gecko_time.h"

uint64_t gecko_samples_time(const struct observed *observed)
{
    uint64_t start = observed->begins.count > 0 ? observed->begins.items[0].time : 0, end = start, cpu = 0, ready = 0;
    for (size_t i = 0; i < observed->samples.count; i++)
        end = gecko_later(end, observed->samples.items[i].time);
    for (size_t i = 0; i < observed->looks.count; i++) {
        const struct observed_look *look = &observed->looks.items[i];
        end = gecko_later(end, look->time);
        cpu = gecko_later(cpu, look->cpu_ns);
        ready = gecko_later(ready, look->ready_ns);
    }
    if (observed->has_end) {
        end = gecko_later(end, observed->end_ns);
        cpu = gecko_later(cpu, observed->end_cpu_ns);
    }
    /* The first is usually the sum of the others; but that is for the kernel to say, and not for a file. */
    return gecko_later(end - start, gecko_time(cpu + ready));
}

/* Kinds of time that are carried on each by itself. */
enum carried { CARRIED_CPU, CARRIED_WAIT, CARRIED_READY, CARRIED };

struct sample_writer {
    struct json_writer *w;
    struct gecko_progress *progress;
    struct gecko_stacks *stacks;
    const struct gecko_categories *categories;
    uint64_t grid_ns, since;
    uint64_t carry[CARRIED]; /* half a step at first: rows are as near as can be to what they stand for */
    uint64_t cpu_carry;      /* CPU time that has not been written */
    uint64_t last;           /* time of the last row: they never go back */
    uint64_t rows;           /* since the last report of progress */
    bool ended;              /* nothing that is written arrives any more */
};

static enum carried carried_of(enum thread_row_kind kind)
{
    return kind == ROW_WAIT ? CARRIED_WAIT : kind == ROW_READY ? CARRIED_READY : CARRIED_CPU;
}

static bool stack_of_row(struct sample_writer *s, const struct thread_row *row, const struct observed_sample *sample,
                         uint32_t *stack)
{
    uint32_t kernel = s->categories->kernel;
    *stack = row->stack == OBSERVED_NO_STACK ? GECKO_ROOT : row->stack;
    switch (row->kind) {
    case ROW_READY:
        return gecko_stacks_label(s->stacks, *stack, SLICE("(waiting for a CPU)"), s->categories->ready, stack);
    case ROW_KERNEL:
        return gecko_stacks_label(s->stacks, GECKO_ROOT, SLICE("(kernel)"), kernel, stack);
    case ROW_NOT_SAMPLED:
        return gecko_stacks_label(s->stacks, GECKO_ROOT, SLICE("(not sampled)"), UINT32_MAX, stack);
    case ROW_START:
        return gecko_stacks_label(s->stacks, GECKO_ROOT, SLICE("(program start)"), UINT32_MAX, stack);
    case ROW_OWN:
        return gecko_stacks_label(s->stacks, GECKO_ROOT, SLICE("(profiler start)"), UINT32_MAX, stack);
    case ROW_WAIT:
        return row->stack != OBSERVED_NO_STACK ||
               gecko_stacks_label(s->stacks, GECKO_ROOT, SLICE("(waiting)"), s->categories->idle, stack);
    case ROW_CPU:
        return !sample->in_fault || gecko_stacks_label(s->stacks, *stack, SLICE("(page fault)"), kernel, stack);
    }
    return true;
}

static char *put_text(char *out, struct slice text)
{
    memcpy(out, text.text, text.length);
    return out + text.length;
}

static void write_row(struct sample_writer *s, uint32_t stack, uint64_t time, const struct observed_sample *delayed,
                      uint64_t cpu_ns)
{
    char row[160], *out = row;
    s->last = gecko_later(time, s->last);
    *out++ = '[';
    out += integer_text(stack, out);
    *out++ = ',';
    out += decimal_text((int64_t)s->last, 6, out);
    *out++ = ',';
    if (delayed)
        out += decimal_text((int64_t)gecko_time(delayed->event_delay_ns), 6, out);
    else
        out = put_text(out, SLICE("null"));
    out = put_text(out, SLICE(",null,"));
    out += integer_text((int64_t)cpu_ns, out);
    *out++ = ']';
    json_write_raw(s->w, (struct slice){row, (size_t)(out - row)});
    if (++s->rows == GECKO_PROGRESS_ROWS) {
        gecko_progress_written(s->progress, s->rows);
        s->rows = 0;
        s->ended = !json_writer_ok(s->w);
    }
}

/* `count` rows that end with the time of this one, a step apart if there is so much time since the last. */
static void write_rows(struct sample_writer *s, const struct thread_row *row, uint64_t count, uint32_t stack,
                       const struct observed_sample *delayed)
{
    uint64_t end = gecko_later(gecko_time(row->time), s->last), step = (end - s->last) / count;
    uint64_t cpu = s->cpu_carry;
    bool is_cpu = carried_of(row->kind) == CARRIED_CPU;
    step = step < s->grid_ns ? step : s->grid_ns;
    s->cpu_carry = is_cpu ? 0 : cpu;
    for (uint64_t i = 0; i < count && !s->ended; i++) {
        uint64_t time = end - step * (count - 1 - i), part = is_cpu ? cpu / (count - i) : 0;
        if (time >= s->since)
            write_row(s, stack, time, i == 0 ? delayed : NULL, part);
        cpu -= part;
    }
}

static bool add_row(struct sample_writer *s, const struct thread_row *row, const struct observed *observed)
{
    uint64_t *carry = &s->carry[carried_of(row->kind)];
    uint64_t all = *carry + gecko_time(row->weight_ns), count = all / s->grid_ns;
    const struct observed_sample *sample = row->kind == ROW_CPU ? &observed->samples.items[row->sample] : NULL;
    uint32_t stack;
    *carry = all % s->grid_ns;
    if (carried_of(row->kind) == CARRIED_CPU)
        s->cpu_carry = gecko_time(s->cpu_carry + row->weight_ns);
    if (count == 0)
        return true;
    if (!stack_of_row(s, row, sample, &stack))
        return false;
    write_rows(s, row, count, stack, sample && sample->has_event_delay ? sample : NULL);
    return true;
}

bool gecko_samples_write(const struct thread_rows *rows, const struct observed *observed, struct gecko_stacks *stacks,
                         const struct gecko_categories *categories, uint64_t grid_ns, uint64_t since,
                         struct gecko_progress *progress, struct json_writer *w)
{
    struct sample_writer s = {
        .w = w,
        .progress = progress,
        .stacks = stacks,
        .categories = categories,
        .grid_ns = grid_ns,
        .since = since,
        .carry = {grid_ns / 2, grid_ns / 2, grid_ns / 2},
        .last = observed->begins.count > 0 ? gecko_time(observed->begins.items[0].time) : 0,
    };
    bool done = true;
    gecko_table_begin(w, GECKO_SAMPLE_SCHEMA);
    for (size_t i = 0; i < rows->rows.count && done && !s.ended; i++)
        done = add_row(&s, &rows->rows.items[i], observed);
    gecko_progress_written(progress, s.rows);
    gecko_table_end(w);
    return done;
}
