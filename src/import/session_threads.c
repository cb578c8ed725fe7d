#include "import/session_state.h"

#include <math.h>
#include <stdlib.h>

/* ---- who there is ---- */

struct session_thread *session_find_thread(struct session_import *import, uint32_t number)
{
    struct session_process *process = &import->process;
    uint32_t row;
    for (struct map_probe probe = map_probe(&process->thread_of_number, hash_u64(number)); map_probe_next(&probe, &row);)
        if (process->threads.items[row].number == number)
            return &process->threads.items[row];
    return NULL;
}

bool session_add_thread(struct session_import *import, const struct thread_entry *entry)
{
    struct session_process *process = &import->process;
    struct session_thread *known = session_find_thread(import, entry->thread);
    if (known) {
        known->is_sampled |= entry->sampled;
        known->name = session_text(import, entry->name);
        return string_exists(known->name);
    }
    bool ends_with_file = entry->main && process->header.state == SESSION_ENDED;
    struct session_thread thread = {
        .number = entry->thread,
        .tid = entry->tid,
        .is_main = entry->main,
        .is_sampled = entry->sampled,
        .start = entry->time,
        .end = ends_with_file ? process->header.end_ns : UINT64_MAX,
        .name = session_text(import, entry->name),
        .name_time = entry->time,
        .stack = INDEX_NONE,
        .last_marker = -INFINITY,
    };
    uint32_t row = (uint32_t)process->threads.count;
    return string_exists(thread.name) && vec_push(&process->threads, thread) &&
           map_insert(&process->thread_of_number, hash_u64(thread.number), row);
}

bool session_name_thread(struct session_import *import, const struct thread_name_entry *entry)
{
    struct session_thread *thread = session_find_thread(import, entry->thread);
    if (!thread || entry->time < thread->name_time)
        return true;
    thread->name = session_text(import, entry->name);
    thread->name_time = entry->time;
    return string_exists(thread->name);
}

/* The main thread first, the others as they were registered. */
static int compare_threads(const void *a, const void *b)
{
    const struct session_thread *x = a, *y = b;
    if (x->is_main != y->is_main)
        return x->is_main ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool index_threads(struct session_process *process)
{
    map_clear(&process->thread_of_number);
    for (size_t i = 0; i < process->threads.count; i++)
        if (!map_insert(&process->thread_of_number, hash_u64(process->threads.items[i].number), (uint32_t)i))
            return false;
    return true;
}

struct start_order {
    uint64_t start;
    uint32_t row;
};

static int compare_starts(const void *a, const void *b)
{
    const struct start_order *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static bool sort_by_start(struct session_process *process)
{
    size_t count = 0;
    struct start_order *order = memory_array(process->threads.count + 1, sizeof *order);
    bool done = order && vec_reserve(&process->by_start, process->threads.count + 1);
    for (size_t i = 0; done && i < process->threads.count; i++)
        if (process->threads.items[i].is_sampled)
            order[count++] = (struct start_order){process->threads.items[i].start, (uint32_t)i};
    if (done)
        qsort(order, count, sizeof *order, compare_starts);
    for (size_t i = 0; i < count; i++)
        vec_push(&process->by_start, order[i].row);
    memory_release(order);
    return done;
}

static bool begin_thread(struct session_import *import, const struct session_thread *staged)
{
    struct profile *profile = import->profile;
    struct thread *thread = profile_add_thread(profile);
    if (!thread)
        return false;
    thread->name = staged->name;
    thread->process_type = session_text(import, SLICE("default"));
    thread->process_name = import->process.name;
    thread->pid = import->process.pid;
    thread->tid = session_id(import, staged->tid);
    thread->tid_is_text = import->process.image > 0;
    thread->is_main_thread = staged->is_main;
    thread->register_time = session_ms(import, staged->start);
    thread->unregister_time = staged->end == UINT64_MAX ? NAN : session_ms(import, staged->end);
    thread->samples.time_is_deltas = true;
    return string_exists(thread->process_type) && string_exists(thread->tid);
}

bool session_begin_threads(struct session_import *import)
{
    struct session_process *process = &import->process;
    process->first_thread = import->profile->threads.count;
    if (process->threads.count > 0)
        qsort(process->threads.items, process->threads.count, sizeof *process->threads.items, compare_threads);
    if (!index_threads(process) || !sort_by_start(process) || !vec_reserve(&process->alive, process->threads.count + 1))
        return false;
    for (size_t i = 0; i < process->threads.count; i++)
        if (!begin_thread(import, &process->threads.items[i]))
            return false;
    return true;
}

/* ---- samples ---- */

static void add_row(struct session_import *import, struct session_thread *staged, uint64_t time, double cpu_ns,
                    double event_delay)
{
    struct session_process *process = &import->process;
    size_t index = process->first_thread + (size_t)(staged - process->threads.items);
    struct sample_table *samples = &import->profile->threads.items[index].samples;
    bool first = sample_count(samples) == 0;
    if (time < staged->previous_row)
        time = staged->previous_row;
    column_append_index(&samples->stack, staged->stack);
    column_append_number(&samples->time, first ? session_ms(import, time) : (double)(time - staged->previous_row) / 1e6);
    column_append_number(&samples->cpu_delta, cpu_ns);
    column_append_number(&samples->event_delay, event_delay);
    staged->any_event_delay |= !isnan(event_delay);
    staged->previous_row = time;
    staged->has_rows = true;
}

/* Threads that were not looked at in the tick did not run: the same again. */
static void finish_tick(struct session_import *import)
{
    struct session_process *process = &import->process;
    for (size_t i = 0; process->in_tick && i < process->alive.count; i++) {
        struct session_thread *thread = &process->threads.items[process->alive.items[i]];
        if (thread->has_rows && thread->sampled_tick != process->tick_count)
            add_row(import, thread, process->tick, 0, NAN);
    }
    process->in_tick = false;
}

void session_tick(struct session_import *import, uint64_t time)
{
    struct session_process *process = &import->process;
    finish_tick(import);
    process->in_tick = true;
    process->tick = time;
    process->tick_count++;
    size_t kept = 0;
    for (size_t i = 0; i < process->alive.count; i++)
        if (process->threads.items[process->alive.items[i]].end > time)
            process->alive.items[kept++] = process->alive.items[i];
    process->alive.count = kept;
    for (; process->started < process->by_start.count; process->started++) {
        uint32_t row = process->by_start.items[process->started];
        if (process->threads.items[row].start > time)
            break;
        /* There is room for all of them: see session_begin_threads. */
        if (process->threads.items[row].end > time)
            process->alive.items[process->alive.count++] = row;
    }
}

void session_lose_stacks(struct session_import *import)
{
    struct session_process *process = &import->process;
    process->in_tick = false;
    for (size_t i = 0; i < process->threads.count; i++) {
        process->threads.items[i].stack = INDEX_NONE;
        process->threads.items[i].has_rows = false;
    }
}

bool session_stack(struct session_import *import, const struct stack_entry *entry)
{
    struct session_process *process = &import->process;
    struct session_thread *thread = session_find_thread(import, entry->thread);
    if (!thread)
        return true;
    size_t known = thread->path_chunk == process->chunk ? thread->path.steps.count : 0;
    bool bad = entry->shared > known;
    if (!bad && !session_read_path(import, &thread->path, entry->shared, &entry->frames, entry->truncated, process->tick, &bad))
        return false;
    if (bad) {
        import->quality.bad_entries++;
        thread->path.steps.count = 0;
        thread->stack = INDEX_NONE;
        return true;
    }
    thread->path_chunk = process->chunk;
    return session_stack_of_path(import, &thread->path, true, &thread->stack);
}

void session_sample(struct session_import *import, const struct sample_entry *entry)
{
    struct session_process *process = &import->process;
    struct session_thread *thread = session_find_thread(import, entry->thread);
    uint64_t time;
    if (!thread || !process->in_tick || __builtin_add_overflow(process->tick, entry->since_tick_ns, &time))
        return;
    add_row(import, thread, time, (double)entry->cpu_ns, entry->has_event_delay ? (double)entry->event_delay_ns / 1e6 : NAN);
    thread->sampled_tick = process->tick_count;
}

/* ---- the end ---- */

static bool put_paused(struct session_import *import, struct thread *thread)
{
    const struct session_process *process = &import->process;
    if (process->paused_count == 0)
        return true;
    return value_put_object(&thread->other, 1) && session_put_key(import, &thread->other, "pausedRanges") &&
           value_put_array(&thread->other, process->paused_count) &&
           value_put_bytes(&thread->other, process->paused.bytes.items, process->paused.bytes.count);
}

/* Threads of which nothing was recorded are left out, but for the main thread, which stands for its process. */
static bool is_wanted(const struct session_thread *staged, const struct thread *thread)
{
    return staged->is_main || sample_count(&thread->samples) > 0 || marker_count(&thread->markers) > 0;
}

bool session_finish_threads(struct session_import *import)
{
    struct session_process *process = &import->process;
    struct profile *profile = import->profile;
    finish_tick(import);
    size_t kept = process->first_thread;
    double startup = session_ms(import, 0);
    double shutdown = process->header.state == SESSION_REPLACED ? session_ms(import, process->header.end_ns) : NAN;
    for (size_t i = 0; i < process->threads.count; i++) {
        const struct session_thread *main = &process->threads.items[i];
        if (main->is_main && main->end != UINT64_MAX)
            shutdown = session_ms(import, main->end);
        /* The process is older than the program that it has become. */
        if (main->is_main && process->image > 0)
            startup = session_ms(import, main->start);
    }
    for (size_t i = 0; i < process->threads.count; i++) {
        const struct session_thread *staged = &process->threads.items[i];
        struct thread *thread = &profile->threads.items[process->first_thread + i];
        if (!is_wanted(staged, thread)) {
            import->quality.empty_threads += staged->is_sampled;
            thread_free(thread);
            continue;
        }
        thread->process_startup_time = startup;
        thread->process_shutdown_time = shutdown;
        if (!staged->any_event_delay)
            column_free(&thread->samples.event_delay);
        if (!put_paused(import, thread) || !session_sort_markers(import, staged, &thread->markers) || !thread_seal(thread))
            return false;
        if (kept != process->first_thread + i) {
            profile->threads.items[kept] = *thread;
            *thread = (struct thread){0};
        }
        kept++;
    }
    profile->threads.count = kept;
    return true;
}
