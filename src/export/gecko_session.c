#include "export/gecko_session.h"

#include "export/gecko_text.h"
#include "export/gecko_time.h"
#include "session/process_title.h"
#include "session/sort.h"

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
        return gecko_keep(&session->arena, &known->name);
    }
    return gecko_keep(&session->arena, &thread.name) && vec_push(&session->threads, thread) &&
           map_insert(&session->thread_rows, hash_u64(thread.number), (uint32_t)session->threads.count - 1);
}

/* Every profile has a main thread, first of all: to the front-end it is what stands for the process. */
static bool ensure_main_thread(struct gecko_session *session)
{
    if (main_thread(session))
        return true;
    struct gecko_thread thread = {.tid = session->header.pid, .main = true, .end_ns = UINT64_MAX, .name = SLICE("")};
    return vec_push(&session->threads, thread);
}

static bool add_stack(struct gecko_session *session, const struct stack_entry *entry)
{
    struct gecko_thread *thread = find_thread(session, entry->thread);
    if (!thread) {
        session->entries_left_out++;
        return true;
    }
    if (thread->path_chunk != session->chunk) {
        thread->path.stacks.count = 0;
        thread->path_chunk = session->chunk;
    }
    uint32_t stack = UINT32_MAX;
    int result = gecko_stacks_add(&thread->stacks, &thread->path, entry->shared, &entry->frames, &stack);
    if (result == -ENOMEM)
        return false;
    bool has_frames = result == 0 && stack != GECKO_ROOT;
    return gecko_samples_stack(&thread->samples, &session->ticks, result == 0 ? stack : UINT32_MAX, has_frames);
}

static bool add_sample(struct gecko_session *session, const struct sample_entry *entry)
{
    struct gecko_thread *thread = find_thread(session, entry->thread);
    session->entries_left_out += !thread;
    return !thread || gecko_samples_add(&thread->samples, &session->ticks, entry);
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
    session->process_name = entry->name;
    session->process_title = process_title(entry, title);
    return gecko_keep(&session->arena, &session->process_name) && gecko_keep(&session->arena, &session->process_title);
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
        if (thread)
            thread->end_ns = entry->thread_end.time;
        return true;
    case ENTRY_MODULE:
        return gecko_libs_add(&session->libs, &entry->module, &session->arena);
    case ENTRY_MARKER_TYPE:
        return gecko_types_add(&session->types, &entry->marker_type, &session->arena);
    case ENTRY_COUNTER:
        return gecko_counters_add(&session->counters, &entry->counter, &session->arena);
    case ENTRY_TICK:
        see_time(session, entry->tick.time);
        return gecko_ticks_add(&session->ticks, entry->tick.time);
    case ENTRY_STACK:
        return add_stack(session, &entry->stack);
    case ENTRY_SAMPLE:
        return add_sample(session, &entry->sample);
    case ENTRY_COUNTER_SAMPLE:
        see_time(session, entry->counter_sample.time);
        return entry->counter_sample.time < session->since_ns ||
               gecko_counters_sample(&session->counters, &entry->counter_sample);
    case ENTRY_PAUSE:
    case ENTRY_PAUSE_SAMPLING:
        see_time(session, entry->time);
        return pause(session, entry->time, entry->kind == ENTRY_PAUSE_SAMPLING);
    case ENTRY_RESUME:
    case ENTRY_RESUME_SAMPLING:
        see_time(session, entry->time);
        return resume(session, entry->time, entry->kind == ENTRY_RESUME_SAMPLING);
    case ENTRY_OVERHEAD:
        see_time(session, entry->overhead.time);
        return entry->overhead.time < session->since_ns || gecko_overhead_add(&session->overhead, &entry->overhead);
    case ENTRY_MARKER:
        return add_marker(session, &entry->marker);
    case ENTRY_MODULE_END: /* the format has no place for it */
    case ENTRY_KIND_COUNT:
        break;
    }
    return true;
}

/* ---- the pass ---- */

struct visit {
    struct gecko_session *session;
    bool failed; /* where the visitor could not say so */
};

static int visit_entry(void *data, const struct any_entry *entry, struct error *error)
{
    struct visit *visit = data;
    return visit->failed || !add_entry(visit->session, entry) ? error_out_of_memory(error) : 0;
}

static void visit_chunk(void *data, bool gap)
{
    struct visit *visit = data;
    visit->session->chunk++;
    if (gap && !gecko_ticks_gap(&visit->session->ticks))
        visit->failed = true;
}

static void visit_progress(void *data, double share)
{
    struct visit *visit = data;
    gecko_progress_reading(visit->session->progress, share);
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
    return thread->main || thread->samples.started || thread->markers.rows.count > thread->markers.left_out ||
           (thread->sampled && thread->end_ns == UINT64_MAX);
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

static bool finish(struct gecko_session *session)
{
    for (size_t i = 0; i < session->threads.count; i++)
        if (!gecko_samples_finish(&session->threads.items[i].samples, &session->ticks))
            return false;
    gecko_libs_finish(&session->libs);
    return ensure_main_thread(session) && order_threads(session) && gecko_categories_finish(&session->categories) &&
           gecko_counters_finish(&session->counters);
}

int gecko_session_collect(struct gecko_session *session, struct session_file *file, uint64_t since_ns,
                          const struct gecko_progress *progress, struct error *error)
{
    static const struct session_visitor visitor = {visit_entry, visit_chunk, visit_progress};
    struct visit visit = {.session = session};
    session->since_ns = since_ns;
    session->progress = progress;
    session->process_name = session->process_title = session->feature_names = session->filters = SLICE("");
    session_file_header(file, &session->header);
    session->interval_ns = session->header.interval_ns;
    int result = session_file_visit(file, &visitor, &visit, &session->reading, error);
    if (result == 0 && (visit.failed || !finish(session)))
        result = error_out_of_memory(error);
    return result;
}

void gecko_thread_release(struct gecko_thread *thread)
{
    gecko_stacks_free(&thread->stacks);
    vec_free(&thread->path.stacks);
    gecko_samples_free(&thread->samples);
    gecko_markers_free(&thread->markers);
}

void gecko_session_free(struct gecko_session *session)
{
    for (size_t i = 0; i < session->threads.count; i++)
        gecko_thread_release(&session->threads.items[i]);
    vec_free(&session->threads);
    map_free(&session->thread_rows);
    vec_free(&session->order);
    vec_free(&session->pauses);
    gecko_categories_free(&session->categories);
    gecko_types_free(&session->types);
    gecko_counters_free(&session->counters);
    gecko_overhead_free(&session->overhead);
    gecko_libs_free(&session->libs);
    gecko_ticks_free(&session->ticks);
    arena_free(&session->arena);
}
