/* Rows of the profile from what was observed of a thread. */
#include "import/session_state.h"

#include <math.h>

static struct category_index kernel_category(struct session_import *import)
{
    struct category_index found = category_list_find(&import->profile->categories, &import->profile->strings, SLICE("Kernel"));
    return category_exists(found) ? found : session_named_category(import, SLICE("Other"), SLICE("grey"));
}

/* The stack of a row; those of time that nobody saw have a single frame that says so. */
static bool stack_of_row(struct session_import *import, const struct thread_row *row, const struct observed_sample *sample,
                         uint32_t *stack)
{
    struct category_index category;
    switch (row->kind) {
    case ROW_READY:
        category = session_named_category(import, SLICE("Waiting for CPU"), SLICE("yellow"));
        return session_stack_with(import, row->stack, &import->ready_frame, SLICE("(waiting for a CPU)"), category, stack);
    case ROW_KERNEL:
        category = kernel_category(import);
        return session_stack_with(import, INDEX_NONE, &import->kernel_frame, SLICE("(kernel)"), category, stack);
    case ROW_NOT_SAMPLED:
        category = session_named_category(import, SLICE("Other"), SLICE("grey"));
        return session_stack_with(import, INDEX_NONE, &import->not_sampled_frame, SLICE("(not sampled)"), category, stack);
    case ROW_START:
        category = session_named_category(import, SLICE("Other"), SLICE("grey"));
        return session_stack_with(import, INDEX_NONE, &import->start_frame, SLICE("(program start)"), category, stack);
    case ROW_OWN:
        category = session_named_category(import, SLICE("Profiler"), SLICE("lightred"));
        return session_stack_with(import, INDEX_NONE, &import->own_frame, SLICE("(profiler start)"), category, stack);
    case ROW_WAIT:
        if (row->stack != OBSERVED_NO_STACK)
            break;
        category = session_named_category(import, SLICE("Idle"), SLICE("transparent"));
        return session_stack_with(import, INDEX_NONE, &import->unseen_frame, SLICE("(waiting)"), category, stack);
    case ROW_CPU:
        if (!sample->in_fault)
            break;
        category = kernel_category(import);
        return session_stack_with(import, row->stack, &import->fault_frame, SLICE("(page fault)"), category, stack);
    }
    *stack = row->stack;
    return true;
}

static bool append_row(struct session_import *import, const struct observed *observed, const struct thread_row *row,
                       uint64_t *previous, struct sample_table *samples)
{
    bool is_cpu = row->kind != ROW_WAIT && row->kind != ROW_READY;
    const struct observed_sample *sample = row->kind == ROW_CPU ? &observed->samples.items[row->sample] : NULL;
    uint32_t stack;
    if (!stack_of_row(import, row, sample, &stack))
        return false;
    bool first = sample_count(samples) == 0;
    column_append_index(&samples->stack, stack);
    column_append_number(&samples->time, first ? session_ms(import, row->time) : (double)(row->time - *previous) / 1e6);
    column_append_number(&samples->weight, (double)row->weight_ns / 1e6);
    column_append_number(&samples->cpu_delta, is_cpu ? (double)row->weight_ns : 0);
    column_append_number(&samples->event_delay, sample && sample->has_event_delay ? (double)sample->event_delay_ns / 1e6 : NAN);
    *previous = row->time;
    return true;
}

static bool has_event_delay(const struct observed *observed)
{
    for (size_t i = 0; i < observed->samples.count; i++)
        if (observed->samples.items[i].has_event_delay)
            return true;
    return false;
}

static void add_sums(struct thread_sums *all, const struct thread_sums *sums)
{
    all->cpu_ns += sums->cpu_ns;
    all->waiting_ns += sums->waiting_ns;
    all->ready_ns += sums->ready_ns;
    all->kernel_ns += sums->kernel_ns;
    all->not_sampled_ns += sums->not_sampled_ns;
    all->start_ns += sums->start_ns;
    all->own_ns += sums->own_ns;
    all->truncated_ns += sums->truncated_ns;
    all->unseen_ns += sums->unseen_ns;
    all->gone_ns += sums->gone_ns;
}

static bool recycled(const struct session_file_header *header)
{
    return header->statistics[STATISTIC_CHUNKS_RECYCLED] > 0;
}

bool session_add_rows(struct session_import *import, struct session_thread *staged, struct thread *thread)
{
    const struct session_process *process = &import->process;
    struct rows_recording recording = {
        .interval_ns = process->header.interval_ns,
        .tick_ns = process->header.tick_ns,
        .end_ns = process->header.end_ns,
        .pauses = &process->pauses,
        .samples_recycled = recycled(&process->header),
        .looks_recycled = process->looks_recycled,
    };
    struct thread_rows rows = {0};
    uint64_t previous = 0;
    thread->samples.weight_type = WEIGHT_TRACING_MS;
    if (!staged->is_sampled)
        return true;
    bool done = thread_rows_make(&staged->observed, &recording, &rows);
    for (size_t i = 0; done && i < rows.rows.count; i++)
        done = append_row(import, &staged->observed, &rows.rows.items[i], &previous, &thread->samples);
    if (rows.rows.count > 0) {
        import->first_row = fmin(import->first_row, session_ms(import, rows.rows.items[0].time));
        import->last_row = fmax(import->last_row, session_ms(import, previous));
    }
    if (!has_event_delay(&staged->observed))
        column_free(&thread->samples.event_delay);
    add_sums(&import->quality.sums, &rows.sums);
    if (staged->observed.samples.count == 0 && rows.sums.not_sampled_ns > 0) {
        import->quality.brief_ns += rows.sums.not_sampled_ns;
        import->quality.brief_threads++;
    }
    done = done && session_check_step(import, staged, &rows.sums);
    thread_rows_free(&rows);
    observed_free(&staged->observed);
    return done;
}
