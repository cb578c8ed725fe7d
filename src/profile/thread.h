/* A thread and what was recorded of it. */
#ifndef SONDE_PROFILE_THREAD_H
#define SONDE_PROFILE_THREAD_H

#include "profile/allocation_table.h"
#include "profile/marker_table.h"
#include "profile/sample_table.h"

struct thread {
    struct string_index name;
    struct string_index process_type; /* "default", "tab", … */
    struct string_index process_name; /* STRING_NONE = unknown */
    struct string_index pid;
    struct string_index tid; /* as text */
    bool tid_is_text;        /* it was a text in the file, too, not a number */
    bool is_main_thread;
    double process_startup_time, process_shutdown_time; /* ms; NaN = unknown or still running */
    double register_time, unregister_time;
    struct sample_table samples;
    struct marker_table markers;
    struct allocation_table js_allocations;
    struct allocation_table native_allocations;
    struct allocation_table page_faults; /* weights: how many a row stands for; `size` is 1 */
    struct value_bytes other; /* a packed object of everything else the file said of it, to be written again; may be empty */
};

void thread_init(struct thread *thread, struct arena *arena);
void thread_free(struct thread *thread);
bool thread_seal(struct thread *thread);
size_t thread_bytes(const struct thread *thread);

#endif
