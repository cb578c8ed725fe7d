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
        return string_exists(known->name) && observed_begin(&known->observed, entry->time, entry->cpu_ns);
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
        .last_marker = -INFINITY,
    };
    uint32_t row = (uint32_t)process->threads.count;
    return string_exists(thread.name) && vec_push(&process->threads, thread) &&
           observed_begin(&process->threads.items[row].observed, entry->time, entry->cpu_ns) &&
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

static uint64_t hash_tid(int32_t tid)
{
    return hash_u64((uint32_t)tid);
}

static bool index_threads(struct session_process *process)
{
    map_clear(&process->thread_of_number);
    for (size_t i = 0; i < process->threads.count; i++)
        if (!map_insert(&process->thread_of_number, hash_u64(process->threads.items[i].number), (uint32_t)i) ||
            !map_insert(&process->thread_of_tid, hash_tid(process->threads.items[i].tid), (uint32_t)i))
            return false;
    return true;
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
    if (!index_threads(process))
        return false;
    for (size_t i = 0; i < process->threads.count; i++)
        if (!begin_thread(import, &process->threads.items[i]))
            return false;
    return true;
}

/* ---- samples and looks ---- */

bool session_sample(struct session_import *import, const struct sample_entry *entry)
{
    struct session_thread *thread = session_find_thread(import, entry->thread);
    uint32_t stack;
    import->process.seen = true;
    if (!thread)
        return true;
    return session_read_stack(import, &thread->path, &entry->stack, entry->time, END_AT_PC, &stack) &&
           (sample_clock_is_fault(entry->clock) ? session_fault(import, thread, entry, stack)
                                                : observed_sample(&thread->observed, entry, stack));
}

/* Added if it is new; NULL when out of memory. */
static struct session_tid *find_tid(struct session_process *process, int32_t tid)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&process->tid_rows, hash_tid(tid)); map_probe_next(&probe, &row);)
        if (process->tids.items[row].tid == tid)
            return &process->tids.items[row];
    row = (uint32_t)process->tids.count;
    if (!vec_push(&process->tids, ((struct session_tid){.tid = tid})) || !map_insert(&process->tid_rows, hash_tid(tid), row))
        return NULL;
    return &process->tids.items[row];
}

/* Who had the thread id at that time. */
static struct session_thread *find_living(struct session_process *process, int32_t tid, uint64_t time)
{
    struct session_thread *found = NULL;
    uint32_t row;
    for (struct map_probe probe = map_probe(&process->thread_of_tid, hash_tid(tid)); map_probe_next(&probe, &row);) {
        struct session_thread *thread = &process->threads.items[row];
        if (thread->tid == tid && thread->start <= time && time <= thread->end && (!found || found->start < thread->start))
            found = thread;
    }
    return found;
}

/* A stack is read whether somebody wants it or not: the next one may share its frames. */
bool session_look(struct session_import *import, const struct look_entry *entry)
{
    struct session_process *process = &import->process;
    struct session_tid *tid = find_tid(process, entry->tid);
    uint32_t stack;
    process->seen = true;
    if (!tid || !session_read_stack(import, &tid->path, &entry->stack, entry->time, END_IDLE, &stack))
        return false;
    struct session_thread *thread = find_living(process, entry->tid, entry->time);
    return !thread || !thread->is_sampled || observed_look(&thread->observed, entry, stack);
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
    return staged->is_main || sample_count(&thread->samples) > 0 || marker_count(&thread->markers) > 0 ||
           thread->native_allocations.present || thread->js_allocations.present || thread->page_faults.present;
}

/* Under a recorder, what the process used between the end of its last program and the first moment of this one is this
 * program's, too: exec and the dynamic linker. What the library used to begin is not. */
static void count_start(struct session_import *import, struct observed *main)
{
    struct session_images *images = import->images.items;
    while (images->pid != import->process.header.pid)
        images++;
    uint64_t begin = main->begins.count > 0 ? main->begins.items[0].cpu_ns : 0;
    uint64_t own_from = import->process.header.begin_cpu_ns;
    if (import->looks && begin > images->cpu_ns) {
        main->own_cpu_ns = own_from >= images->cpu_ns && own_from > 0 && own_from < begin ? begin - own_from : 0;
        main->start_cpu_ns = begin - images->cpu_ns - main->own_cpu_ns;
    }
    images->cpu_ns = observed_last_cpu(main);
}

bool session_finish_threads(struct session_import *import)
{
    struct session_process *process = &import->process;
    struct profile *profile = import->profile;
    size_t kept = process->first_thread;
    double startup = session_ms(import, 0);
    double shutdown = process->header.state == SESSION_REPLACED ? session_ms(import, process->header.end_ns) : NAN;
    for (size_t i = 0; i < process->threads.count; i++) {
        struct session_thread *main = &process->threads.items[i];
        if (main->is_main && main->end != UINT64_MAX)
            shutdown = session_ms(import, main->end);
        if (main->is_main)
            count_start(import, &main->observed);
        /* The process is older than the program that it has become. */
        if (main->is_main && process->image > 0)
            startup = session_ms(import, main->start);
    }
    for (size_t i = 0; i < process->threads.count; i++) {
        struct session_thread *staged = &process->threads.items[i];
        struct thread *thread = &profile->threads.items[process->first_thread + i];
        if (!session_add_rows(import, staged, thread) || (i == 0 && !session_finish_allocations(import, thread)) ||
            !session_finish_objects(import, (uint32_t)i, thread))
            return false;
        session_finish_faults(import, staged, thread);
        if (!is_wanted(staged, thread)) {
            import->quality.empty_threads += staged->is_sampled;
            thread_free(thread);
            continue;
        }
        thread->process_startup_time = startup;
        thread->process_shutdown_time = shutdown;
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
