#include "session/coding.h"
#include "session/entry.h"
#include "session/marker_head.h"

static struct out entry_start(uint8_t *out, size_t room, enum entry_kind kind)
{
    struct out bytes = {out, out + room, false};
    put_byte(&bytes, (uint8_t)kind);
    return bytes;
}

size_t entry_write_process(uint8_t *out, size_t room, const struct process_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_PROCESS);
    put_text(&bytes, entry->name);
    put_text(&bytes, entry->executable);
    put_text(&bytes, entry->arguments);
    return out_length(&bytes, out);
}

size_t entry_write_configuration(uint8_t *out, size_t room, const struct configuration_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_CONFIGURATION);
    put_number(&bytes, entry->interval_ns);
    put_number(&bytes, entry->features);
    put_text(&bytes, entry->feature_names);
    put_text(&bytes, entry->filters);
    put_number(&bytes, entry->capacity_bytes);
    put_number(&bytes, entry->duration_ns);
    put_number(&bytes, entry->time);
    return out_length(&bytes, out);
}

size_t entry_write_category(uint8_t *out, size_t room, const struct category_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_CATEGORY);
    put_number(&bytes, entry->category);
    put_text(&bytes, entry->name);
    put_text(&bytes, entry->colour);
    put_text(&bytes, entry->subcategories);
    return out_length(&bytes, out);
}

size_t entry_write_thread(uint8_t *out, size_t room, const struct thread_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_THREAD);
    put_number(&bytes, entry->thread);
    put_signed(&bytes, entry->tid);
    put_byte(&bytes, (uint8_t)(entry->main | entry->sampled << 1));
    put_number(&bytes, entry->time);
    put_number(&bytes, entry->cpu_ns);
    put_number(&bytes, entry->labels);
    put_number(&bytes, entry->handle);
    put_text(&bytes, entry->name);
    return out_length(&bytes, out);
}

size_t entry_write_thread_name(uint8_t *out, size_t room, const struct thread_name_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_THREAD_NAME);
    put_number(&bytes, entry->thread);
    put_number(&bytes, entry->time);
    put_text(&bytes, entry->name);
    return out_length(&bytes, out);
}

size_t entry_write_thread_end(uint8_t *out, size_t room, const struct thread_end_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_THREAD_END);
    put_number(&bytes, entry->thread);
    put_number(&bytes, entry->time);
    put_number(&bytes, entry->cpu_ns);
    put_number(&bytes, entry->kernel_ns);
    return out_length(&bytes, out);
}

size_t entry_write_module(uint8_t *out, size_t room, const struct module_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_MODULE);
    put_number(&bytes, entry->module);
    put_number(&bytes, entry->time);
    put_number(&bytes, entry->start);
    put_number(&bytes, entry->end);
    put_number(&bytes, entry->bias);
    put_text(&bytes, entry->path);
    put_text(&bytes, entry->build_id);
    return out_length(&bytes, out);
}

size_t entry_write_module_end(uint8_t *out, size_t room, const struct module_end_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_MODULE_END);
    put_number(&bytes, entry->module);
    put_number(&bytes, entry->time);
    return out_length(&bytes, out);
}

size_t entry_write_runtime(uint8_t *out, size_t room, const struct runtime_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_RUNTIME);
    put_number(&bytes, entry->time);
    put_byte(&bytes, entry->runtime);
    put_byte(&bytes, entry->is_known);
    put_text(&bytes, entry->name);
    put_text(&bytes, entry->layout);
    return out_length(&bytes, out);
}

size_t entry_write_allocations(uint8_t *out, size_t room, const struct allocations_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_ALLOCATIONS);
    put_number(&bytes, entry->time);
    put_byte(&bytes, entry->mode);
    put_byte(&bytes, entry->maps);
    put_byte(&bytes, entry->is_unseen);
    put_number(&bytes, entry->mean);
    put_number(&bytes, entry->budget_ppm);
    put_text(&bytes, entry->allocator);
    return out_length(&bytes, out);
}

size_t entry_write_marker_type(uint8_t *out, size_t room, const struct marker_type_entry *entry)
{
    if (entry->field_count > MARKER_FIELDS_MAX)
        return 0;
    struct out bytes = entry_start(out, room, ENTRY_MARKER_TYPE);
    put_number(&bytes, entry->type);
    put_text(&bytes, entry->name);
    put_text(&bytes, entry->description);
    put_text(&bytes, entry->chart_label);
    put_text(&bytes, entry->tooltip_label);
    put_text(&bytes, entry->table_label);
    put_text(&bytes, entry->colour_field);
    put_text(&bytes, entry->display);
    put_byte(&bytes, entry->stack_based);
    put_byte(&bytes, entry->field_count);
    for (size_t i = 0; i < entry->field_count; i++) {
        const struct marker_field *field = &entry->fields[i];
        put_text(&bytes, field->key);
        put_text(&bytes, field->label);
        put_text(&bytes, field->format);
        put_byte(&bytes, field->input);
        put_byte(&bytes, field->hidden);
    }
    return out_length(&bytes, out);
}

size_t entry_write_counter(uint8_t *out, size_t room, const struct counter_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_COUNTER);
    put_number(&bytes, entry->counter);
    put_number(&bytes, entry->time);
    put_text(&bytes, entry->name);
    put_text(&bytes, entry->category);
    put_text(&bytes, entry->description);
    return out_length(&bytes, out);
}

size_t entry_write_code(uint8_t *out, size_t room, const struct code_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_CODE);
    put_number(&bytes, entry->time);
    put_byte(&bytes, entry->runtime);
    put_byte(&bytes, (uint8_t)(entry->tier << 1 | entry->was_there));
    put_number(&bytes, entry->start);
    put_number(&bytes, entry->size);
    put_text(&bytes, entry->name);
    put_text(&bytes, entry->file);
    put_number(&bytes, entry->line);
    put_number(&bytes, entry->column);
    put_text(&bytes, entry->lines);
    return out_length(&bytes, out);
}

size_t entry_write_code_moved(uint8_t *out, size_t room, const struct code_moved_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_CODE_MOVED);
    put_number(&bytes, entry->time);
    put_number(&bytes, entry->from);
    put_number(&bytes, entry->to);
    return out_length(&bytes, out);
}

static bool stack_fits(const struct stack_part *stack)
{
    return stack->shared <= STACK_FRAMES_MAX && stack->frames.count <= STACK_FRAMES_MAX - stack->shared;
}

/* Its frames are the rest of the entry. */
static void put_stack(struct out *out, const struct stack_part *stack)
{
    put_number(out, (uint64_t)stack->shared << 1 | stack->truncated);
    put_number(out, stack->frames.count);
    put_bytes(out, stack->frames.bytes.text, stack->frames.bytes.length);
}

size_t entry_write_sample(uint8_t *out, size_t room, const struct sample_entry *entry)
{
    if (!stack_fits(&entry->stack))
        return 0;
    struct out bytes = entry_start(out, room, ENTRY_SAMPLE);
    put_number(&bytes, entry->thread);
    put_number(&bytes, entry->time);
    put_byte(&bytes,
             (uint8_t)((entry->clock & 1) | entry->in_call << 1 | entry->has_event_delay << 2 | (entry->skipped > 0) << 3 |
                       (entry->ticks > 1) << 4 | entry->in_fault << 5 | (entry->clock & 2) << 5));
    if (entry->has_event_delay)
        put_number(&bytes, entry->event_delay_ns);
    if (entry->skipped > 0)
        put_number(&bytes, entry->skipped);
    if (entry->ticks > 1)
        put_number(&bytes, entry->ticks);
    put_stack(&bytes, &entry->stack);
    return out_length(&bytes, out);
}

size_t entry_write_look(uint8_t *out, size_t room, const struct look_entry *entry)
{
    if (!stack_fits(&entry->stack))
        return 0;
    struct out bytes = entry_start(out, room, ENTRY_LOOK);
    put_signed(&bytes, entry->tid);
    put_number(&bytes, entry->time);
    put_byte(&bytes, (uint8_t)(entry->state | (entry->kernel_ns > 0 ? LOOK_HAS_KERNEL : 0) |
                               (entry->period_ns > 0 ? LOOK_HAS_PERIOD : 0) | (entry->waits > 0 ? LOOK_HAS_WAITS : 0)));
    put_number(&bytes, entry->cpu_ns);
    put_number(&bytes, entry->ready_ns);
    put_number(&bytes, entry->runs);
    if (entry->kernel_ns > 0)
        put_number(&bytes, entry->kernel_ns);
    if (entry->period_ns > 0)
        put_number(&bytes, entry->period_ns);
    if (entry->waits > 0)
        put_number(&bytes, entry->waits);
    put_stack(&bytes, &entry->stack);
    return out_length(&bytes, out);
}

size_t entry_write_allocation(uint8_t *out, size_t room, const struct allocation_entry *entry)
{
    if (!stack_fits(&entry->stack))
        return 0;
    struct out bytes = entry_start(out, room, ENTRY_ALLOCATION);
    put_number(&bytes, entry->thread);
    put_byte(&bytes, entry->source);
    put_number(&bytes, entry->time);
    put_number(&bytes, entry->address);
    put_number(&bytes, entry->size);
    put_number(&bytes, entry->mean);
    put_stack(&bytes, &entry->stack);
    return out_length(&bytes, out);
}

size_t entry_write_free(uint8_t *out, size_t room, const struct free_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_FREE);
    put_number(&bytes, entry->thread);
    put_number(&bytes, entry->time);
    put_number(&bytes, entry->address);
    return out_length(&bytes, out);
}

size_t entry_write_object(uint8_t *out, size_t room, const struct object_entry *entry)
{
    if (!stack_fits(&entry->stack))
        return 0;
    struct out bytes = entry_start(out, room, ENTRY_OBJECT);
    put_number(&bytes, entry->thread);
    put_number(&bytes, entry->time);
    put_number(&bytes, entry->size);
    put_number(&bytes, entry->mean);
    put_text(&bytes, entry->class_name);
    put_stack(&bytes, &entry->stack);
    return out_length(&bytes, out);
}

size_t entry_write_unmap(uint8_t *out, size_t room, const struct unmap_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_UNMAP);
    put_number(&bytes, entry->thread);
    put_number(&bytes, entry->time);
    put_number(&bytes, entry->address);
    put_number(&bytes, entry->size);
    return out_length(&bytes, out);
}

size_t entry_write_caller(uint8_t *out, size_t room, const struct caller_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_CALLER);
    put_number(&bytes, entry->thread);
    put_number(&bytes, entry->time);
    return out_length(&bytes, out);
}

size_t entry_write_call_path(uint8_t *out, size_t room, const struct call_path_entry *entry)
{
    if (!stack_fits(&entry->stack))
        return 0;
    struct out bytes = entry_start(out, room, ENTRY_CALL_PATH);
    put_stack(&bytes, &entry->stack);
    return out_length(&bytes, out);
}

size_t entry_write_allocated(uint8_t *out, size_t room, const struct allocated_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_ALLOCATED);
    put_number(&bytes, entry->path);
    put_number(&bytes, entry->time_delta);
    put_signed(&bytes, entry->address_delta);
    put_number(&bytes, entry->size);
    return out_length(&bytes, out);
}

size_t entry_write_freed(uint8_t *out, size_t room, const struct freed_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_FREED);
    put_number(&bytes, entry->time_delta);
    put_signed(&bytes, entry->address_delta);
    return out_length(&bytes, out);
}

size_t entry_write_counter_sample(uint8_t *out, size_t room, const struct counter_sample_entry *entry)
{
    struct out bytes = entry_start(out, room, ENTRY_COUNTER_SAMPLE);
    put_number(&bytes, entry->counter);
    put_number(&bytes, entry->time);
    put_signed(&bytes, entry->count);
    put_number(&bytes, entry->number);
    return out_length(&bytes, out);
}

size_t entry_write_time(uint8_t *out, size_t room, enum entry_kind kind, uint64_t time)
{
    struct out bytes = entry_start(out, room, kind);
    put_number(&bytes, time);
    return out_length(&bytes, out);
}

static inline uint8_t *bytes_at(uint8_t *at, struct slice bytes)
{
    if (bytes.length > 0)
        memcpy(at, bytes.text, bytes.length);
    return at + bytes.length;
}

/* The values, whose sizes only their type knows, come last. */
size_t entry_write_marker(uint8_t *out, size_t room, const struct marker_entry *entry)
{
    size_t texts = entry->name.length + entry->values.length + (entry->has_stack ? entry->stack.bytes.length : 0);
    if (room < ENTRY_NUMBERS_MAX || room - ENTRY_NUMBERS_MAX < texts)
        return 0;
    struct marker_head head = {
        .thread = entry->thread,
        .type = entry->type,
        .phase = entry->phase,
        .has_stack = entry->has_stack,
        .category = entry->category,
        .subcategory = entry->subcategory,
        .start = entry->start,
        .end = entry->end,
        .name = entry->name,
    };
    uint8_t *at = marker_head_write(out, &head);
    if (entry->has_stack) {
        at = number_at(at, entry->stack_thread);
        at = number_at(at, entry->stack_time);
        at = number_at(at, entry->stack.count);
        at = bytes_at(number_at(at, entry->stack.bytes.length), entry->stack.bytes);
    }
    return (size_t)(bytes_at(at, entry->values) - out);
}
