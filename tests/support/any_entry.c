#include "support/any_entry.h"

size_t any_entry_write(uint8_t *out, size_t room, const struct any_entry *entry)
{
    switch (entry->kind) {
    case ENTRY_PROCESS:
        return entry_write_process(out, room, &entry->process);
    case ENTRY_CONFIGURATION:
        return entry_write_configuration(out, room, &entry->configuration);
    case ENTRY_CATEGORY:
        return entry_write_category(out, room, &entry->category);
    case ENTRY_THREAD:
        return entry_write_thread(out, room, &entry->thread);
    case ENTRY_THREAD_NAME:
        return entry_write_thread_name(out, room, &entry->thread_name);
    case ENTRY_THREAD_END:
        return entry_write_thread_end(out, room, &entry->thread_end);
    case ENTRY_MODULE:
        return entry_write_module(out, room, &entry->module);
    case ENTRY_MODULE_END:
        return entry_write_module_end(out, room, &entry->module_end);
    case ENTRY_MARKER_TYPE:
        return entry_write_marker_type(out, room, &entry->marker_type);
    case ENTRY_COUNTER:
        return entry_write_counter(out, room, &entry->counter);
    case ENTRY_CODE:
        return entry_write_code(out, room, &entry->code);
    case ENTRY_CODE_MOVED:
        return entry_write_code_moved(out, room, &entry->code_moved);
    case ENTRY_RUNTIME:
        return entry_write_runtime(out, room, &entry->runtime);
    case ENTRY_SAMPLE:
        return entry_write_sample(out, room, &entry->sample);
    case ENTRY_LOOK:
        return entry_write_look(out, room, &entry->look);
    case ENTRY_COUNTER_SAMPLE:
        return entry_write_counter_sample(out, room, &entry->counter_sample);
    case ENTRY_MARKER:
        return entry_write_marker(out, room, &entry->marker);
    case ENTRY_ALLOCATION:
        return entry_write_allocation(out, room, &entry->allocation);
    case ENTRY_FREE:
        return entry_write_free(out, room, &entry->free);
    case ENTRY_ALLOCATIONS:
        return entry_write_allocations(out, room, &entry->allocations);
    case ENTRY_UNMAP:
        return entry_write_unmap(out, room, &entry->unmap);
    case ENTRY_OBJECT:
        return entry_write_object(out, room, &entry->object);
    case ENTRY_CALLER:
        return entry_write_caller(out, room, &entry->caller);
    case ENTRY_CALL_PATH:
        return entry_write_call_path(out, room, &entry->call_path);
    case ENTRY_ALLOCATED:
        return entry_write_allocated(out, room, &entry->allocated);
    case ENTRY_FREED:
        return entry_write_freed(out, room, &entry->freed);
    default:
        return entry_write_time(out, room, entry->kind, entry->time);
    }
}
