/* The threads of a Chrome trace as those of a profile: what they are called. */
#include "import/trace_import.h"
#include "trace/thread_order.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

static bool add_threads(struct trace_import *import, const struct thread_order *order, const uint32_t *process_of)
{
    uint32_t *main_of = memory_array(import->trace.processes.count + 1, sizeof *main_of);
    if (!main_of)
        return false;
    for (size_t i = 0; i < import->trace.processes.count; i++)
        main_of[i] = INDEX_NONE;
    bool ok = true;
    for (size_t i = 0; ok && i < order->threads.count; i++) {
        uint32_t row = order->threads.items[i].thread, process = order->threads.items[i].process;
        struct thread *thread = profile_add_thread(import->profile);
        ok = thread &&
             fill_thread(import->profile, thread, &import->trace.threads.items[row], &import->trace.processes.items[process]);
        import->thread_of[row] = (uint32_t)i;
        if (ok && (main_of[process] == INDEX_NONE ||
                   (thread->is_main_thread && !import->profile->threads.items[main_of[process]].is_main_thread)))
            main_of[process] = (uint32_t)i;
    }
    for (size_t i = 0; i < import->trace.threads.count; i++)
        import->main_thread_of[i] = main_of[process_of[i]];
    memory_release(main_of);
    return ok;
}

int trace_import_threads(struct trace_import *import)
{
    size_t count = import->trace.threads.count;
    struct thread_order order = {0};
    uint32_t *process_of = memory_array(count + 1, sizeof *process_of);
    import->thread_of = memory_array(count + 1, sizeof *import->thread_of);
    import->main_thread_of = memory_array(count + 1, sizeof *import->main_thread_of);
    int status = 0;
    if (!process_of || !import->thread_of || !import->main_thread_of)
        status = error_out_of_memory(import->error);
    for (size_t i = 0; status == 0 && i < count; i++)
        import->thread_of[i] = INDEX_NONE;
    if (status == 0)
        status = trace_find_processes(&import->trace, process_of, import->error);
    if (status == 0)
        status = thread_order_find(&order, &import->trace, &import->profile->strings, import->error);
    if (status == 0 && !add_threads(import, &order, process_of))
        status = error_out_of_memory(import->error);
    thread_order_free(&order);
    memory_release(process_of);
    return status;
}
