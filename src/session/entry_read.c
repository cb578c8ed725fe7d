#include "session/coding.h"
#include "session/entry.h"

static bool take_boolean(struct in *in)
{
    uint8_t byte = take_byte(in);
    if (byte > 1)
        in_mistake(in);
    return byte == 1;
}

static void take_process(struct in *in, struct process_entry *entry)
{
    entry->name = take_text(in);
    entry->executable = take_text(in);
    entry->arguments = take_text(in);
}

static void take_configuration(struct in *in, struct configuration_entry *entry)
{
    entry->interval_ns = take_number(in);
    entry->features = take_number(in);
    entry->feature_names = take_text(in);
    entry->filters = take_text(in);
    entry->capacity_bytes = take_number(in);
    entry->duration_ns = take_number(in);
    entry->time = take_number(in);
}

static void take_category(struct in *in, struct category_entry *entry)
{
    entry->category = take_u32(in);
    entry->name = take_text(in);
    entry->colour = take_text(in);
    entry->subcategories = take_text(in);
}

static int32_t take_i32(struct in *in)
{
    int64_t number = take_signed(in);
    return number >= INT32_MIN && number <= INT32_MAX ? (int32_t)number : (int32_t)in_mistake(in);
}

static void take_thread(struct in *in, struct thread_entry *entry)
{
    entry->thread = take_u32(in);
    entry->tid = take_i32(in);
    uint8_t flags = take_byte(in);
    if (flags > 3)
        in_mistake(in);
    entry->main = flags & 1;
    entry->sampled = flags & 2;
    entry->time = take_number(in);
    entry->cpu_ns = take_number(in);
    entry->labels = take_number(in);
    entry->handle = take_number(in);
    entry->name = take_text(in);
}

static void take_thread_name(struct in *in, struct thread_name_entry *entry)
{
    entry->thread = take_u32(in);
    entry->time = take_number(in);
    entry->name = take_text(in);
}

static void take_thread_end(struct in *in, struct thread_end_entry *entry)
{
    entry->thread = take_u32(in);
    entry->time = take_number(in);
    entry->cpu_ns = take_number(in);
    entry->kernel_ns = take_number(in);
}

static void take_module(struct in *in, struct module_entry *entry)
{
    entry->module = take_u32(in);
    entry->time = take_number(in);
    entry->start = take_number(in);
    entry->end = take_number(in);
    entry->bias = take_number(in);
    entry->path = take_text(in);
    entry->build_id = take_text(in);
}

static void take_module_end(struct in *in, struct module_end_entry *entry)
{
    entry->module = take_u32(in);
    entry->time = take_number(in);
}

static void take_runtime(struct in *in, struct runtime_entry *entry)
{
    entry->time = take_number(in);
    entry->runtime = take_byte(in);
    entry->is_known = take_boolean(in);
    entry->name = take_text(in);
    entry->layout = take_text(in);
}

static void take_marker_type(struct in *in, struct marker_type_entry *entry)
{
    entry->type = take_u32(in);
    entry->name = take_text(in);
    entry->description = take_text(in);
    entry->chart_label = take_text(in);
    entry->tooltip_label = take_text(in);
    entry->table_label = take_text(in);
    entry->colour_field = take_text(in);
    entry->display = take_text(in);
    entry->stack_based = take_boolean(in);
    entry->field_count = take_byte(in);
    if (entry->field_count > MARKER_FIELDS_MAX) {
        in_mistake(in);
        return;
    }
    for (size_t i = 0; i < entry->field_count; i++) {
        struct marker_field *field = &entry->fields[i];
        field->key = take_text(in);
        field->label = take_text(in);
        field->format = take_text(in);
        field->input = take_byte(in);
        field->hidden = take_boolean(in);
        if (field->input >= INPUT_COUNT)
            in_mistake(in);
    }
}

static void take_counter(struct in *in, struct counter_entry *entry)
{
    entry->counter = take_u32(in);
    entry->time = take_number(in);
    entry->name = take_text(in);
    entry->category = take_text(in);
    entry->description = take_text(in);
}

static void take_code(struct in *in, struct code_entry *entry)
{
    entry->time = take_number(in);
    entry->runtime = take_byte(in);
    uint8_t tier = take_byte(in);
    entry->tier = tier >> 1;
    entry->was_there = tier & 1;
    entry->start = take_number(in);
    entry->size = take_number(in);
    entry->name = take_text(in);
    entry->file = take_text(in);
    entry->line = take_u32(in);
    entry->column = take_u32(in);
    entry->lines = take_text(in);
    struct slice lines = entry->lines;
    struct code_line line = {0};
    while (code_line_read(&lines, &line))
        continue;
    if (entry->runtime == 0 || entry->runtime >= RUNTIME_KIND_COUNT || entry->tier >= TIER_COUNT || lines.length > 0)
        in_mistake(in);
}

static void take_code_moved(struct in *in, struct code_moved_entry *entry)
{
    entry->time = take_number(in);
    entry->from = take_number(in);
    entry->to = take_number(in);
}

/* Walks the frames once, so that whoever reads them later meets no mistake. */
static void check_frames(struct in *in, const struct frames_slice *frames)
{
    struct frame_reader reader;
    struct frame_entry frame;
    frame_reader_init(&reader, frames);
    while (frame_reader_next(&reader, &frame))
        continue;
    if (reader.left > 0 || reader.rest.length > 0)
        in_mistake(in);
}

static void take_stack(struct in *in, struct stack_part *stack)
{
    uint64_t shared = take_up_to(in, STACK_FRAMES_MAX * 2 + 1);
    stack->shared = (uint32_t)(shared >> 1);
    stack->truncated = shared & 1;
    stack->frames.count = (uint32_t)take_up_to(in, STACK_FRAMES_MAX - stack->shared);
    stack->frames.bytes = take_rest(in);
    check_frames(in, &stack->frames);
}

static void take_sample(struct in *in, struct sample_entry *entry)
{
    entry->thread = take_u32(in);
    entry->time = take_number(in);
    uint8_t flags = take_byte(in);
    if (flags > 127)
        in_mistake(in);
    entry->clock = (uint8_t)((flags & 1) | (flags & 64) >> 5);
    entry->in_call = flags & 2;
    entry->has_event_delay = flags & 4;
    entry->in_fault = flags & 32;
    entry->event_delay_ns = entry->has_event_delay ? take_number(in) : 0;
    entry->skipped = flags & 8 ? take_u32(in) : 0;
    entry->ticks = flags & 16 ? take_u32(in) : entry->clock != SAMPLE_BY_EVENT;
    take_stack(in, &entry->stack);
}

static void take_look(struct in *in, struct look_entry *entry)
{
    entry->tid = take_i32(in);
    entry->time = take_number(in);
    uint8_t flags = take_byte(in);
    entry->state = flags & (LOOK_HAS_KERNEL - 1);
    if (flags >= 2 * LOOK_HAS_WAITS || entry->state > LOOK_ENDED)
        in_mistake(in);
    entry->cpu_ns = take_number(in);
    entry->ready_ns = take_number(in);
    entry->runs = take_number(in);
    entry->kernel_ns = flags & LOOK_HAS_KERNEL ? take_number(in) : 0;
    entry->period_ns = flags & LOOK_HAS_PERIOD ? take_number(in) : 0;
    entry->waits = flags & LOOK_HAS_WAITS ? take_number(in) : 0;
    take_stack(in, &entry->stack);
}

static void take_counter_sample(struct in *in, struct counter_sample_entry *entry)
{
    entry->counter = take_u32(in);
    entry->time = take_number(in);
    entry->count = take_signed(in);
    entry->number = take_number(in);
}

static void take_allocation(struct in *in, struct allocation_entry *entry)
{
    entry->thread = take_u32(in);
    entry->source = take_byte(in);
    if (entry->source >= ALLOCATION_SOURCE_COUNT)
        in_mistake(in);
    entry->time = take_number(in);
    entry->address = take_number(in);
    entry->size = take_number(in);
    entry->mean = take_number(in);
    take_stack(in, &entry->stack);
}

static void take_free(struct in *in, struct free_entry *entry)
{
    entry->thread = take_u32(in);
    entry->time = take_number(in);
    entry->address = take_number(in);
}

static void take_unmap(struct in *in, struct unmap_entry *entry)
{
    entry->thread = take_u32(in);
    entry->time = take_number(in);
    entry->address = take_number(in);
    entry->size = take_number(in);
}

static void take_object(struct in *in, struct object_entry *entry)
{
    entry->thread = take_u32(in);
    entry->time = take_number(in);
    entry->size = take_number(in);
    entry->mean = take_number(in);
    entry->class_name = take_text(in);
    take_stack(in, &entry->stack);
}

static void take_caller(struct in *in, struct caller_entry *entry)
{
    entry->thread = take_u32(in);
    entry->time = take_number(in);
}

static void take_allocated(struct in *in, struct allocated_entry *entry)
{
    entry->path = take_u32(in);
    entry->time_delta = take_number(in);
    entry->address_delta = take_signed(in);
    entry->size = take_number(in);
}

static void take_freed(struct in *in, struct freed_entry *entry)
{
    entry->time_delta = take_number(in);
    entry->address_delta = take_signed(in);
}

static void take_allocations(struct in *in, struct allocations_entry *entry)
{
    entry->time = take_number(in);
    entry->mode = take_byte(in);
    if (entry->mode >= ALLOCATION_MODE_COUNT)
        in_mistake(in);
    entry->maps = take_boolean(in);
    entry->is_unseen = take_boolean(in);
    entry->mean = take_number(in);
    entry->budget_ppm = take_number(in);
    entry->allocator = take_text(in);
}

static void take_marker(struct in *in, struct marker_entry *entry)
{
    uint8_t flags = take_byte(in);
    if (flags > 7)
        in_mistake(in);
    entry->phase = flags & 3;
    entry->has_stack = flags & 4;
    entry->thread = take_u32(in);
    entry->type = take_u32(in);
    entry->category = take_u32(in);
    entry->subcategory = take_u32(in);
    uint64_t time = take_u64(in);
    entry->start = entry->phase == MARKER_END ? 0 : time;
    entry->end = entry->phase == MARKER_END ? time : 0;
    if (entry->phase == MARKER_INTERVAL)
        entry->end = time + take_up_to(in, UINT64_MAX - time);
    entry->name = take_text(in);
    entry->stack_thread = 0;
    entry->stack_time = 0;
    entry->stack = (struct frames_slice){SLICE(""), 0};
    if (entry->has_stack) {
        entry->stack_thread = take_u32(in);
        entry->stack_time = take_number(in);
        entry->stack.count = (uint32_t)take_up_to(in, STACK_FRAMES_MAX);
        entry->stack.bytes = take_text(in);
        check_frames(in, &entry->stack);
    }
    entry->values = take_rest(in);
}

bool entry_read(struct slice bytes, struct any_entry *entry)
{
    const uint8_t *start = (const uint8_t *)bytes.text;
    struct in in = {start, start + bytes.length, false};
    uint8_t kind = take_byte(&in);
    entry->kind = (enum entry_kind)kind;
    switch (kind) {
    case ENTRY_PROCESS:
        take_process(&in, &entry->process);
        break;
    case ENTRY_CONFIGURATION:
        take_configuration(&in, &entry->configuration);
        break;
    case ENTRY_CATEGORY:
        take_category(&in, &entry->category);
        break;
    case ENTRY_THREAD:
        take_thread(&in, &entry->thread);
        break;
    case ENTRY_THREAD_NAME:
        take_thread_name(&in, &entry->thread_name);
        break;
    case ENTRY_THREAD_END:
        take_thread_end(&in, &entry->thread_end);
        break;
    case ENTRY_MODULE:
        take_module(&in, &entry->module);
        break;
    case ENTRY_MODULE_END:
        take_module_end(&in, &entry->module_end);
        break;
    case ENTRY_MARKER_TYPE:
        take_marker_type(&in, &entry->marker_type);
        break;
    case ENTRY_RUNTIME:
        take_runtime(&in, &entry->runtime);
        break;
    case ENTRY_COUNTER:
        take_counter(&in, &entry->counter);
        break;
    case ENTRY_CODE:
        take_code(&in, &entry->code);
        break;
    case ENTRY_CODE_MOVED:
        take_code_moved(&in, &entry->code_moved);
        break;
    case ENTRY_SAMPLE:
        take_sample(&in, &entry->sample);
        break;
    case ENTRY_LOOK:
        take_look(&in, &entry->look);
        break;
    case ENTRY_COUNTER_SAMPLE:
        take_counter_sample(&in, &entry->counter_sample);
        break;
    case ENTRY_PAUSE:
    case ENTRY_RESUME:
    case ENTRY_PAUSE_SAMPLING:
    case ENTRY_RESUME_SAMPLING:
        entry->time = take_number(&in);
        break;
    case ENTRY_MARKER:
        take_marker(&in, &entry->marker);
        break;
    case ENTRY_ALLOCATION:
        take_allocation(&in, &entry->allocation);
        break;
    case ENTRY_FREE:
        take_free(&in, &entry->free);
        break;
    case ENTRY_ALLOCATIONS:
        take_allocations(&in, &entry->allocations);
        break;
    case ENTRY_UNMAP:
        take_unmap(&in, &entry->unmap);
        break;
    case ENTRY_OBJECT:
        take_object(&in, &entry->object);
        break;
    case ENTRY_CALLER:
        take_caller(&in, &entry->caller);
        break;
    case ENTRY_CALL_PATH:
        take_stack(&in, &entry->call_path.stack);
        break;
    case ENTRY_ALLOCATED:
        take_allocated(&in, &entry->allocated);
        break;
    case ENTRY_FREED:
        take_freed(&in, &entry->freed);
        break;
    default:
        return false;
    }
    /* What stands behind an entry's last value makes as little sense as a value that is missing. */
    return !in.bad && in.at == in.end;
}
