#include "profile/thread.h"

#include <math.h>

void thread_init(struct thread *thread, struct arena *arena)
{
    *thread = (struct thread){
        .name = STRING_NONE,
        .process_type = STRING_NONE,
        .process_name = STRING_NONE,
        .pid = STRING_NONE,
        .tid = STRING_NONE,
        .process_shutdown_time = NAN,
        .unregister_time = NAN,
    };
    sample_table_init(&thread->samples, arena);
    marker_table_init(&thread->markers, arena);
    allocation_table_init(&thread->js_allocations, arena);
    allocation_table_init(&thread->native_allocations, arena);
    allocation_table_init(&thread->page_faults, arena);
}

void thread_free(struct thread *thread)
{
    sample_table_free(&thread->samples);
    marker_table_free(&thread->markers);
    allocation_table_free(&thread->js_allocations);
    allocation_table_free(&thread->native_allocations);
    allocation_table_free(&thread->page_faults);
    value_bytes_free(&thread->other);
}

bool thread_seal(struct thread *thread)
{
    vec_trim(&thread->other.bytes);
    return sample_table_seal(&thread->samples) && marker_table_seal(&thread->markers) &&
           allocation_table_seal(&thread->js_allocations) && allocation_table_seal(&thread->native_allocations) &&
           allocation_table_seal(&thread->page_faults);
}

size_t thread_bytes(const struct thread *thread)
{
    return sample_table_bytes(&thread->samples) + marker_table_bytes(&thread->markers) +
           allocation_table_bytes(&thread->js_allocations) + allocation_table_bytes(&thread->native_allocations) +
           allocation_table_bytes(&thread->page_faults) + thread->other.bytes.capacity;
}
