/* The threads of a Chrome trace: which of them come into the profile, in which order, and what they are called. */
#include "import/trace_import.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct ordered_thread {
    double process_order, thread_order; /* as the trace says */
    uint32_t process, thread;           /* rows of the trace */
};

struct thread_import {
    struct trace_import *import;
    struct map processes; /* by pid, to rows of the trace */
    uint32_t *process_of; /* by thread */
    bool *has_content;    /* by process: one of its threads has something of its own */
    VEC(struct ordered_thread) order;
};

/* Counters are the process's, and take no thread of their own where there is another one. */
static bool has_own_content(const struct trace *trace, const struct trace_thread *thread)
{
    if (thread->events.count > 0 || (thread->profile != INDEX_NONE && trace->profiles.items[thread->profile].samples.count > 0))
        return true;
    for (size_t i = 0; i < thread->others.count; i++)
        if (thread->others.items[i].event.phase != 'C')
            return true;
    return false;
}

static bool find_processes(struct thread_import *threads)
{
    const struct trace *trace = &threads->import->trace;
    for (size_t i = 0; i < trace->processes.count; i++)
        if (!map_insert(&threads->processes, hash_u64((uint64_t)trace->processes.items[i].pid), (uint32_t)i))
            return false;
    for (size_t i = 0; i < trace->threads.count; i++) {
        const struct trace_thread *thread = &trace->threads.items[i];
        uint32_t row;
        for (struct map_probe probe = map_probe(&threads->processes, hash_u64((uint64_t)thread->pid));
             map_probe_next(&probe, &row);)
            if (trace->processes.items[row].pid == thread->pid)
                threads->process_of[i] = row;
        threads->has_content[threads->process_of[i]] |= has_own_content(trace, thread);
    }
    return true;
}

/* ---- order ---- */

static int compare_threads(const void *a, const void *b)
{
    const struct ordered_thread *x = a, *y = b;
    if (x->process_order != y->process_order)
        return x->process_order < y->process_order ? -1 : 1;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->thread_order != y->thread_order)
        return x->thread_order < y->thread_order ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* These are the first of their process, but do not always say so. */
static double usual_order(struct slice name)
{
    return slice_is(name, "CrBrowserMain") || slice_is(name, "CrGpuMain") ? -1 : 0;
}

static bool order_threads(struct thread_import *threads)
{
    const struct trace *trace = &threads->import->trace;
    for (size_t i = 0; i < trace->threads.count; i++) {
        const struct trace_thread *thread = &trace->threads.items[i];
        const struct trace_process *process = &trace->processes.items[threads->process_of[i]];
        bool has_counters_alone = thread->others.count > 0 && !threads->has_content[threads->process_of[i]];
        if (!has_own_content(trace, thread) && !has_counters_alone)
            continue;
        struct slice name = profile_text(threads->import->profile, thread->name);
        struct ordered_thread ordered = {
            .process_order = isnan(process->sort_index) ? 0 : process->sort_index,
            .thread_order = isnan(thread->sort_index) ? usual_order(name) : thread->sort_index,
            .process = threads->process_of[i],
            .thread = (uint32_t)i,
        };
        if (!vec_push(&threads->order, ordered))
            return false;
    }
    if (threads->order.count > 0)
        qsort(threads->order.items, threads->order.count, sizeof *threads->order.items, compare_threads);
    return true;
}

/* ---- names ---- */

__attribute__((format(printf, 2, 3))) static struct string_index add_text(struct profile *profile, const char *format, ...)
{
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return string_table_add(&profile->strings, slice_of(text));
}

/* `Renderer (the title of a page)` */
static struct string_index process_name(struct profile *profile, const struct trace_process *process)
{
    if (!string_exists(process->labels))
        return process->name;
    struct string_index name =
        string_exists(process->name) ? process->name : add_text(profile, "Process %" PRId64, process->pid);
    struct text_buffer text = {0};
    text_add(&text, profile_text(profile, name));
    text_add(&text, SLICE(" ("));
    text_add(&text, profile_text(profile, process->labels));
    text_add(&text, SLICE(")"));
    name = text.failed ? STRING_NONE : string_table_add(&profile->strings, text_slice(&text));
    text_free(&text);
    return name;
}

static bool is_main(const struct trace_thread *thread, struct slice name)
{
    return (slice_starts_with(name, SLICE("Cr")) && slice_ends_with(name, SLICE("Main"))) ||
           (thread->pid != 0 && thread->pid == thread->tid);
}

/* Tids may be unique in their process only: those of the profile have the pid in front. */
static bool fill_thread(struct profile *profile, struct thread *thread, const struct trace_thread *from,
                        const struct trace_process *process)
{
    bool has_name = string_exists(from->name);
    thread->name = has_name ? from->name : string_table_add(&profile->strings, SLICE("Chrome Thread"));
    thread->is_main_thread = has_name && is_main(from, profile_text(profile, from->name));
    thread->process_name = process_name(profile, process);
    thread->process_type = string_table_add(&profile->strings, SLICE("unknown"));
    thread->pid = add_text(profile, "%" PRId64, from->pid);
    thread->tid = add_text(profile, "%" PRId64 ":%" PRId64, from->pid, from->tid);
    thread->tid_is_text = true;
    thread->process_startup_time = thread->register_time = NAN;
    return string_exists(thread->name) && string_exists(thread->process_type) && string_exists(thread->pid) &&
           string_exists(thread->tid) && (string_exists(thread->process_name) || !string_exists(process->labels));
}

/* ---- all of them ---- */

static bool add_threads(struct thread_import *threads)
{
    struct trace_import *import = threads->import;
    uint32_t *main_of = memory_array(import->trace.processes.count + 1, sizeof *main_of);
    if (!main_of)
        return false;
    for (size_t i = 0; i < import->trace.processes.count; i++)
        main_of[i] = INDEX_NONE;
    bool ok = true;
    for (size_t i = 0; ok && i < threads->order.count; i++) {
        uint32_t row = threads->order.items[i].thread, process = threads->order.items[i].process;
        struct thread *thread = profile_add_thread(import->profile);
        ok = thread &&
             fill_thread(import->profile, thread, &import->trace.threads.items[row], &import->trace.processes.items[process]);
        import->thread_of[row] = (uint32_t)i;
        if (ok && (main_of[process] == INDEX_NONE ||
                   (thread->is_main_thread && !import->profile->threads.items[main_of[process]].is_main_thread)))
            main_of[process] = (uint32_t)i;
    }
    for (size_t i = 0; i < import->trace.threads.count; i++)
        import->main_thread_of[i] = main_of[threads->process_of[i]];
    memory_release(main_of);
    return ok;
}

int trace_import_threads(struct trace_import *import)
{
    size_t count = import->trace.threads.count;
    struct thread_import threads = {.import = import};
    threads.process_of = memory_zeroed(count + 1, sizeof *threads.process_of);
    threads.has_content = memory_zeroed(import->trace.processes.count + 1, sizeof *threads.has_content);
    import->thread_of = memory_array(count + 1, sizeof *import->thread_of);
    import->main_thread_of = memory_array(count + 1, sizeof *import->main_thread_of);
    bool ok = threads.process_of && threads.has_content && import->thread_of && import->main_thread_of;
    for (size_t i = 0; ok && i < count; i++)
        import->thread_of[i] = INDEX_NONE;
    ok = ok && find_processes(&threads) && order_threads(&threads) && add_threads(&threads);
    map_free(&threads.processes);
    memory_release(threads.process_of);
    memory_release(threads.has_content);
    vec_free(&threads.order);
    return ok ? 0 : error_out_of_memory(import->error);
}
