#include "export/gecko_session.h"

#include "common/sort.h"
#include "export/gecko_text.h"
#include "export/gecko_time.h"
#include "session/process_title.h"

#include <errno.h>

static void see_time(struct gecko_session *session, uint64_t time)
{
    session->last_ns = gecko_later(session->last_ns, gecko_time(time));
}

/* ---- threads ---- */

static struct gecko_thread *find_thread(const struct gecko_session *session, uint32_t number)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&session->thread_rows, hash_u64(number)); map_probe_next(&probe, &row);)
        if (session->threads.items[row].number == number)
            return &session->threads.items[row];
    return NULL;
}

static uint64_t hash_tid(int32_t tid)
{
    return hash_u64((uint32_t)tid);
}

/* Who had the thread id at that time. */
static struct gecko_thread *find_living(const struct gecko_session *session, int32_t tid, uint64_t time)
{
    struct gecko_thread *found = NULL;
    uint32_t row;
    for (struct map_probe probe = map_probe(&session->thread_rows_by_tid, hash_tid(tid)); map_probe_next(&probe, &row);) {
        struct gecko_thread *thread = &session->threads.items[row];
        if (thread->tid == tid && thread->register_ns <= time && time <= thread->end_ns &&
            (!found || found->register_ns < thread->register_ns))
            found = thread;
    }
    return found;
}

static struct gecko_thread *main_thread(const struct gecko_session *session)
{
    for (size_t i = 0; i < session->threads.count; i++)
        if (session->threads.items[i].main)
            return &session->threads.items[i];
    return NULL;
}

static bool add_thread(struct gecko_session *session, const struct thread_entry *entry)
{
    struct gecko_thread *known = find_thread(session, entry->thread);
    struct gecko_thread thread = {
        .number = entry->thread,
        .tid = entry->tid,
        .main = entry->main && !main_thread(session),
        .sampled = entry->sampled,
        .register_ns = entry->time,
        .end_ns = UINT64_MAX,
        .name = entry->name,
    };
    if (known) {
        known->sampled |= entry->sampled;
        known->name = entry->name;
        return gecko_keep(&session->arena, &known->name) && observed_begin(&known->observed, entry->time, entry->cpu_ns);
    }
    uint32_t row = (uint32_t)session->threads.count;
    return gecko_keep(&session->arena, &thread.name) && vec_push(&session->threads, thread) &&
           observed_begin(&session->threads.items[row].observed, entry->time, entry->cpu_ns) &&
           map_insert(&session->thread_rows, hash_u64(thread.number), row) &&
           map_insert(&session->thread_rows_by_tid, hash_tid(thread.tid), row);
}

/* Every profile has a main thread, first of all: to the front-end it is what stands for the process. */
static bool ensure_main_thread(struct gecko_session *session)
{
    if (main_thread(session))
        return true;
    struct gecko_thread thread = {.tid = session->header.pid, .main = true, .end_ns = UINT64_MAX, .name = SLICE("")};
    return vec_push(&session->threads, thread);
}

/* ---- samples and looks ---- */

/* All code is known before the first stack. */
static bool begin_stacks(struct gecko_session *session)
{
    if (session->code.finished)
        return true;
    if (!code_index_finish(&session->code))
        return false;
    for (size_t i = 0; i < session->threads.count; i++)
        session->threads.items[i].stacks.code = &session->code;
    return true;
}

/* OBSERVED_NO_STACK where it makes no sense. One without frames says nothing of the one before. */
static bool read_stack(struct gecko_session *session, struct gecko_stacks *stacks, struct gecko_path *path,
                       const struct stack_part *part, uint64_t time, uint32_t *stack)
{
    *stack = OBSERVED_NO_STACK;
    if (part->shared == 0 && part->frames.count == 0)
        return true;
    if (path->chunk != session->chunk)
        path->stacks.count = 0;
    path->chunk = session->chunk;
    uint32_t row;
    int result = gecko_stacks_add(stacks, path, part->shared, &part->frames, time, &row);
    if (result == 0)
        *stack = row;
    return result != -ENOMEM;
}

static bool add_sample(struct gecko_session *session, const struct sample_entry *entry)
{
    struct gecko_thread *thread = find_thread(session, entry->thread);
    uint32_t stack;
    see_time(session, entry->time);
    session->entries_left_out += !thread;
    return !thread || (read_stack(session, &thread->stacks, &thread->path, &entry->stack, entry->time, &stack) &&
                       (sample_clock_is_fault(entry->clock) || observed_sample(&thread->observed, entry, stack)));
}

/* Added if it is new; NULL when out of memory. */
static struct gecko_tid *find_tid(struct gecko_session *session, int32_t tid)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&session->tid_rows, hash_tid(tid)); map_probe_next(&probe, &row);)
        if (session->tids.items[row].tid == tid)
            return &session->tids.items[row];
    row = (uint32_t)session->tids.count;
    if (!vec_push(&session->tids, ((struct gecko_tid){.tid = tid})) || !map_insert(&session->tid_rows, hash_tid(tid), row))
        return NULL;
    return &session->tids.items[row];
}

static bool add_look(struct gecko_session *session, const struct look_entry *entry)
{
    struct gecko_thread *thread = find_living(session, entry->tid, entry->time);
    struct gecko_tid *tid = find_tid(session, entry->tid);
    uint32_t stack, row = thread ? (uint32_t)(thread - session->threads.items) : UINT32_MAX;
    see_time(session, entry->time);
    if (!tid)
        return false;
    if (tid->row != row)
        tid->path.stacks.count = 0;
    tid->row = row;
    if (!thread || !thread->sampled)
        return true;
    if (!read_stack(session, &thread->stacks, &tid->path, &entry->stack, entry->time, &stack) ||
        (stack != OBSERVED_NO_STACK && !gecko_stacks_idle(&thread->stacks, stack, &stack)))
        return false;
    session->has_waits |= stack != OBSERVED_NO_STACK;
    session->has_ready |= entry->ready_ns > 0;
    return observed_look(&thread->observed, entry, stack);
}

static bool add_marker(struct gecko_session *session, const struct marker_entry *entry)
{
    struct gecko_thread *thread = entry->thread == 0 ? main_thread(session) : find_thread(session, entry->thread);
    if (!thread && entry->thread == 0 && ensure_main_thread(session))
        thread = main_thread(session);
    if (!thread) {
        session->entries_left_out++;
        return entry->thread != 0;
    }
    see_time(session, entry->phase == MARKER_INTERVAL || entry->phase == MARKER_END ? entry->end : entry->start);
    const struct gecko_thread *stack_thread = entry->has_stack ? find_thread(session, entry->stack_thread) : NULL;
    return gecko_markers_add(&thread->markers, &thread->stacks, &session->types, entry,
                             stack_thread ? stack_thread->tid : thread->tid, session->since_ns);
}

/* ---- the rest ---- */

static bool configure(struct gecko_session *session, const struct configuration_entry *entry)
{
    uint64_t time = gecko_time(entry->time);
    session->start_ns = session->configured && session->start_ns < time ? session->start_ns : time;
    session->configured = true;
    session->interval_ns = entry->interval_ns;
    session->capacity_bytes = entry->capacity_bytes;
    session->duration_ns = entry->duration_ns;
    session->feature_names = entry->feature_names;
    session->filters = entry->filters;
    return gecko_keep(&session->arena, &session->feature_names) && gecko_keep(&session->arena, &session->filters);
}

static bool name_process(struct gecko_session *session, const struct process_entry *entry)
{
    char title[PROCESS_TITLE_BYTES];
    struct process_entry *now = &session->process;
    if (process_is_seen(entry))
        now->arguments = entry->arguments;
    else
        *now = *entry;
    if (!gecko_keep(&session->arena, &now->name) || !gecko_keep(&session->arena, &now->executable) ||
        !gecko_keep(&session->arena, &now->arguments))
        return false;
    session->process_name = process_called(now);
    if (!process_is_seen(entry))
        session->product = session->process_name;
    session->process_title = process_title(now, title);
    return gecko_keep(&session->arena, &session->process_title);
}

static bool pause(struct gecko_session *session, uint64_t time, bool sampling_only)
{
    for (size_t i = session->pauses.count; i-- > 0;)
        if (session->pauses.items[i].sampling_only == sampling_only && session->pauses.items[i].end == UINT64_MAX)
            return true;
    return vec_push(&session->pauses, ((struct gecko_pause){gecko_time(time), UINT64_MAX, sampling_only}));
}

static bool resume(struct gecko_session *session, uint64_t time, bool sampling_only)
{
    for (size_t i = session->pauses.count; i-- > 0;) {
        struct gecko_pause *open = &session->pauses.items[i];
        if (open->sampling_only != sampling_only)
            continue;
        if (open->end == UINT64_MAX)
            open->end = gecko_later(gecko_time(time), open->start);
        return true;
    }
    return vec_push(&session->pauses, ((struct gecko_pause){UINT64_MAX, gecko_time(time), sampling_only}));
}

/* False when the heap is empty. */
static bool add_entry(struct gecko_session *session, const struct any_entry *entry)
{
    struct gecko_thread *thread;
    switch (entry->kind) {
    case ENTRY_PROCESS:
        return name_process(session, &entry->process);
    case ENTRY_CONFIGURATION:
        return configure(session, &entry->configuration);
    case ENTRY_CATEGORY:
        return gecko_categories_add(&session->categories, &entry->category, &session->arena);
    case ENTRY_THREAD:
        return add_thread(session, &entry->thread);
    case ENTRY_THREAD_NAME:
        thread = find_thread(session, entry->thread_name.thread);
        if (!thread)
            return true;
        thread->name = entry->thread_name.name;
        return gecko_keep(&session->arena, &thread->name);
    case ENTRY_THREAD_END:
        thread = find_thread(session, entry->thread_end.thread);
        if (thread) {
            thread->end_ns = entry->thread_end.time;
            observed_end(&thread->observed, &entry->thread_end);
        }
        return true;
    case ENTRY_MODULE:
        return gecko_libs_add(&session->libs, &entry->module, &session->arena);
    case ENTRY_MARKER_TYPE:
        return gecko_types_add(&session->types, &entry->marker_type, &session->arena);
    case ENTRY_COUNTER:
        return gecko_counters_add(&session->counters, &entry->counter, &session->arena);
    case ENTRY_CODE:
        return code_index_add(&session->code, &entry->code);
    case ENTRY_CODE_MOVED:
        return code_index_move(&session->code, &entry->code_moved);
    case ENTRY_SAMPLE:
        return begin_stacks(session) && add_sample(session, &entry->sample);
    case ENTRY_LOOK:
        return begin_stacks(session) && add_look(session, &entry->look);
    case ENTRY_COUNTER_SAMPLE:
        see_time(session, entry->counter_sample.time);
        return entry->counter_sample.time < session->since_ns ||
               gecko_counters_sample(&session->counters, &entry->counter_sample);
    case ENTRY_PAUSE:
    case ENTRY_PAUSE_SAMPLING:
        see_time(session, entry->time);
        return pauses_add(&session->paused, entry->kind, entry->time) &&
               pause(session, entry->time, entry->kind == ENTRY_PAUSE_SAMPLING);
    case ENTRY_RESUME:
    case ENTRY_RESUME_SAMPLING:
        see_time(session, entry->time);
        return pauses_add(&session->paused, entry->kind, entry->time) &&
               resume(session, entry->time, entry->kind == ENTRY_RESUME_SAMPLING);
    case ENTRY_MARKER:
        return begin_stacks(session) && add_marker(session, &entry->marker);
    case ENTRY_MODULE_END: /* the format has no place for these */
    case ENTRY_RUNTIME:
    case ENTRY_ALLOCATIONS:
    case ENTRY_ALLOCATION: /* the importer matches them with their frees */
    case ENTRY_FREE:
    case ENTRY_UNMAP:
    case ENTRY_OBJECT:
    case ENTRY_CALLER:
    case ENTRY_CALL_PATH:
    case ENTRY_ALLOCATED:
    case ENTRY_FREED:
    case ENTRY_KIND_COUNT:
        break;
    }
    return true;
}

/* ---- the pass ---- */

static int visit_entry(void *data, const struct any_entry *entry, struct error *error)
{
    return add_entry(data, entry) ? 0 : error_out_of_memory(error);
}

static void visit_chunk(void *data)
{
    struct gecko_session *session = data;
    session->chunk++;
}

static void visit_progress(void *data, double share)
{
    const struct gecko_session *session = data;
    gecko_progress_reading(session->progress, share);
}

static bool is_before(const void *a, const void *b)
{
    const struct gecko_thread_place *one = a, *other = b;
    if (one->main != other->main)
        return one->main;
    return one->register_ns != other->register_ns ? one->register_ns < other->register_ns : one->row < other->row;
}

/* Threads that nobody asked for, and those that ended before what is kept begins, have nothing to show. */
static bool is_shown(const struct gecko_thread *thread)
{
    return thread->main || thread->observed.samples.count + thread->observed.looks.count > 0 ||
           thread->markers.rows.count > thread->markers.left_out || (thread->sampled && thread->end_ns == UINT64_MAX);
}

static bool order_threads(struct gecko_session *session)
{
    for (size_t i = 0; i < session->threads.count; i++) {
        const struct gecko_thread *thread = &session->threads.items[i];
        struct gecko_thread_place place = {thread->register_ns, (uint32_t)i, thread->main};
        if (is_shown(thread) && !vec_push(&session->order, place))
            return false;
    }
    sort_items(session->order.items, session->order.count, sizeof *session->order.items, is_before);
    return true;
}

/* A thread that waits for a day has a row for each interval of it: where that were too many, rows of all threads are further
 * apart, so that shares stay what they are. */
static uint64_t choose_grid(const struct gecko_session *session, uint64_t rows_most)
{
    uint64_t interval = session->interval_ns > 0 ? session->interval_ns : 1000000, all = 0;
    for (size_t i = 0; i < session->threads.count; i++)
        all = gecko_time(all + gecko_samples_time(&session->threads.items[i].observed));
    return gecko_later(interval, all / rows_most);
}

static bool finish(struct gecko_session *session, uint64_t rows_most)
{
    session->grid_ns = choose_grid(session, rows_most);
    gecko_libs_finish(&session->libs);
    return ensure_main_thread(session) && order_threads(session) &&
           gecko_categories_finish(&session->categories, session->has_waits, session->has_ready,
                                   session->code.rows.count > 0) &&
           gecko_counters_finish(&session->counters);
}

static void add_reading(struct session_reading *sum, const struct session_reading *reading)
{
    sum->chunks_read += reading->chunks_read;
    sum->chunks_missed += reading->chunks_missed;
    sum->bytes_read += reading->bytes_read;
    sum->bad_entries += reading->bad_entries;
}

static int collect_looks(struct gecko_session *session, const struct gecko_looks *looks, struct error *error)
{
    static const struct session_visitor visitor = {.entry = visit_entry, .chunk_changed = visit_chunk};
    struct session_file_header header = session->header;
    struct session_reading reading;
    int result = 0;
    if (looks->file) {
        session_file_header(looks->file, &header);
        result = session_file_visit_owner(looks->file, looks->owner, &visitor, session, &reading, error);
        add_reading(&session->reading, &reading);
    }
    session->looks_recycled = header.statistics[STATISTIC_CHUNKS_RECYCLED] > 0;
    return result;
}

int gecko_session_collect(struct gecko_session *session, struct session_file *file, const struct gecko_looks *looks,
                          uint64_t since_ns, uint64_t rows_most, const struct gecko_progress *progress, struct error *error)
{
    static const struct session_visitor visitor = {
        .entry = visit_entry, .chunk_changed = visit_chunk, .progress = visit_progress};
    session->since_ns = since_ns;
    session->progress = progress;
    session->process_name = session->process_title = session->product = session->feature_names = session->filters = SLICE("");
    session_file_header(file, &session->header);
    session->interval_ns = session->header.interval_ns;
    int result = session_file_visit(file, &visitor, session, &session->reading, error);
    if (result == 0)
        result = collect_looks(session, looks, error);
    if (result == 0 && !finish(session, rows_most))
        result = error_out_of_memory(error);
    return result;
}

void gecko_thread_release(struct gecko_thread *thread)
{
    gecko_stacks_free(&thread->stacks);
    vec_free(&thread->path.stacks);
    observed_free(&thread->observed);
    gecko_markers_free(&thread->markers);
}

void gecko_session_free(struct gecko_session *session)
{
    for (size_t i = 0; i < session->threads.count; i++)
        gecko_thread_release(&session->threads.items[i]);
    vec_free(&session->threads);
    map_free(&session->thread_rows);
    map_free(&session->thread_rows_by_tid);
    for (size_t i = 0; i < session->tids.count; i++)
        vec_free(&session->tids.items[i].path.stacks);
    vec_free(&session->tids);
    map_free(&session->tid_rows);
    vec_free(&session->order);
    vec_free(&session->pauses);
    gecko_categories_free(&session->categories);
    gecko_types_free(&session->types);
    gecko_counters_free(&session->counters);
    gecko_libs_free(&session->libs);
    code_index_free(&session->code);
    pauses_free(&session->paused);
    arena_free(&session->arena);
}
