#include "trace/calls.h"

#include <errno.h>

int calls_too_many(const struct calls_options *options, struct error *error)
{
    return error_set(error, -E2BIG, "the trace gives more than %zu calls", calls_limit(options));
}

/* Which processes are kept, by pid. */
struct kept_processes {
    const struct trace *trace;
    struct map by_pid;
};

static bool find_kept(struct kept_processes *kept, const struct trace *trace)
{
    kept->trace = trace;
    for (size_t row = 0; row < trace->processes.count; row++)
        if (trace->processes.items[row].kept &&
            !map_insert(&kept->by_pid, hash_u64((uint64_t)trace->processes.items[row].pid), (uint32_t)row))
            return false;
    return true;
}

static bool is_kept(const struct kept_processes *kept, int64_t pid)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&kept->by_pid, hash_u64((uint64_t)pid)); map_probe_next(&probe, &row);)
        if (kept->trace->processes.items[row].pid == pid)
            return true;
    return false;
}

/* A thread that has samples and nothing else is one for the newest engine only. */
static bool takes_part(const struct trace_thread *thread, const struct calls_options *options)
{
    return thread->events.count > 0 || (thread->profile != INDEX_NONE && options->rules == TRACE_RULES_NEWEST);
}

static void thread_calls_free(struct thread_calls *calls)
{
    vec_free(&calls->calls);
    vec_free(&calls->entries);
    vec_free(&calls->event_depths);
    vec_free(&calls->event_selfs);
}

/* An entry is in the tree unless it overhangs, and the first one has nothing to overhang. */
static bool has_root(const struct thread_calls *calls)
{
    return calls->entries.count > 0;
}

static int build_model(struct trace_calls *calls, struct thread_calls *out, const struct trace *trace, struct error *error)
{
    if (out->thread->profile == INDEX_NONE)
        return 0;
    struct cpu_model *model = &calls->models.items[calls->models.count++];
    *model = (struct cpu_model){0};
    out->model = model;
    return cpu_model_build(model, &trace->profiles.items[out->thread->profile], &trace->strings, error);
}

/* `samples_only`: a CPU profile on its own. */
static int add_thread(struct trace_calls *calls, const struct trace *trace, const struct trace_thread *thread,
                      bool samples_only, const struct calls_options *options, struct error *error)
{
    if (!vec_push(&calls->threads, ((struct thread_calls){.thread = thread})))
        return error_out_of_memory(error);
    struct thread_calls *out = &calls->threads.items[calls->threads.count - 1];
    int result = build_model(calls, out, trace, error);
    if (result == 0 && samples_only)
        result = calls_from_samples(out, options, error);
    else if (result == 0) {
        result = calls_from_trace(out, trace, options, error);
        if (result == 0)
            result = calls_make_tree(out, error);
    }
    if (result == 0 && !has_root(out)) {
        thread_calls_free(out);
        calls->threads.count--;
    }
    return result;
}

int trace_calls_build(struct trace_calls *calls, const struct trace *trace, const struct calls_options *options,
                      struct error *error)
{
    struct kept_processes kept = {0};
    int result = 0;
    size_t profiles = 0;
    for (size_t row = 0; row < trace->threads.count; row++)
        profiles += trace->threads.items[row].profile != INDEX_NONE;
    /* Threads point to models, so these must not move. */
    if (!find_kept(&kept, trace) || !vec_reserve(&calls->models, profiles)) {
        result = error_out_of_memory(error);
        goto out;
    }
    bool any_events = false;
    for (size_t row = 0; row < trace->threads.count && !any_events; row++)
        any_events = trace->threads.items[row].events.count > 0 && is_kept(&kept, trace->threads.items[row].pid);

    bool samples_only = trace->cpu_mode && !any_events;
    size_t call_count = 0;
    for (size_t row = 0; row < trace->threads.count && result == 0; row++) {
        const struct trace_thread *thread = &trace->threads.items[row];
        if (!is_kept(&kept, thread->pid) || !(samples_only ? thread->profile != INDEX_NONE : takes_part(thread, options)))
            continue;
        size_t before = calls->threads.count;
        result = add_thread(calls, trace, thread, samples_only, options, error);
        if (calls->threads.count > before)
            call_count += calls->threads.items[before].calls.count;
        if (result == 0 && call_count > calls_limit(options))
            result = calls_too_many(options, error);
    }
out:
    map_free(&kept.by_pid);
    return result;
}

void trace_calls_free(struct trace_calls *calls)
{
    for (size_t i = 0; i < calls->threads.count; i++)
        thread_calls_free(&calls->threads.items[i]);
    vec_free(&calls->threads);
    for (size_t i = 0; i < calls->models.count; i++)
        cpu_model_free(&calls->models.items[i]);
    vec_free(&calls->models);
    for (size_t i = 0; i < calls->of_events.count; i++)
        trace_profile_free(&calls->of_events.items[i]);
    vec_free(&calls->of_events);
}
