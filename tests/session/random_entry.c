#include "random_entry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state = 1;

uint64_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

uint64_t random_number(void)
{
    uint64_t bits = random_word() % 65;
    return bits == 64 ? UINT64_MAX : random_word() & (((uint64_t)1 << bits) - 1);
}

static uint32_t random_u32(void)
{
    return (uint32_t)(random_number() & UINT32_MAX);
}

bool random_bool(void)
{
    return random_word() & 1;
}

struct slice random_text(void)
{
    static char bytes[4096];
    if (bytes[0] == 0)
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)random_word();
    bytes[0] = 1;
    size_t length = random_word() % 4 == 0 ? random_word() % 300 : random_word() % 10;
    return (struct slice){bytes + random_word() % (sizeof bytes - length), length};
}

struct frame_entry random_frame(void)
{
    struct frame_entry frame = {
        .kind = (enum frame_kind)(random_word() % 4), .relevant_for_js = random_bool(), .text = SLICE(""), .file = SLICE("")};
    if (frame.kind == FRAME_NATIVE) {
        frame.address = random_number();
    } else if (frame.kind == FRAME_NUMBERED) {
        frame.address = random_number();
        frame.position = random_u32();
        frame.runtime = (uint8_t)(1 + random_word() % (RUNTIME_KIND_COUNT - 1));
        frame.tier = (uint8_t)(random_word() % TIER_COUNT);
    } else {
        frame.text = random_text();
        frame.category = random_u32();
        frame.subcategory = random_u32();
    }
    if (frame.kind == FRAME_RUNTIME) {
        frame.file = random_text();
        frame.line = random_u32();
        frame.column = random_u32();
    }
    return frame;
}

static struct slice random_lines(void)
{
    static uint8_t bytes[200];
    struct code_line line = {0}, previous = {0};
    size_t used = 0, count = random_word() % 10;
    for (size_t i = 0; i < count; i++) {
        line = (struct code_line){line.offset + (uint32_t)(random_word() % 1000), random_u32()};
        used += code_line_write(bytes + used, sizeof bytes - used, line, &previous);
    }
    return (struct slice){(char *)bytes, used};
}

static struct frames_slice random_frames(void)
{
    static uint8_t bytes[RANDOM_FRAMES * 700];
    struct frames_slice frames = {{(char *)bytes, 0}, (uint32_t)(random_word() % RANDOM_FRAMES)};
    uint64_t previous = 0;
    for (uint32_t i = 0; i < frames.count; i++) {
        struct frame_entry frame = random_frame();
        size_t length = frame_write(bytes + frames.bytes.length, sizeof bytes - frames.bytes.length, &frame, &previous);
        assert_true(length > 0);
        frames.bytes.length += length;
    }
    return frames;
}

static struct stack_part random_stack(void)
{
    return (struct stack_part){(uint32_t)(random_word() % (STACK_FRAMES_MAX - RANDOM_FRAMES)), random_bool(), random_frames()};
}

static void random_marker_type(struct marker_type_entry *type)
{
    *type = (struct marker_type_entry){
        .type = random_u32(),
        .name = random_text(),
        .description = random_text(),
        .chart_label = random_text(),
        .tooltip_label = random_text(),
        .table_label = random_text(),
        .colour_field = random_text(),
        .display = random_text(),
        .stack_based = random_bool(),
        .field_count = (uint8_t)(random_word() % (MARKER_FIELDS_MAX + 1)),
    };
    for (size_t i = 0; i < type->field_count; i++)
        type->fields[i] = (struct marker_field){.key = random_text(),
                                                .label = random_text(),
                                                .format = random_text(),
                                                .input = (uint8_t)(random_word() % INPUT_COUNT),
                                                .hidden = random_bool()};
}

static void random_marker(struct marker_entry *marker)
{
    uint64_t start = random_number();
    *marker = (struct marker_entry){
        .thread = random_u32(),
        .type = random_u32(),
        .phase = (uint8_t)(random_word() % 4),
        .category = random_u32(),
        .subcategory = random_u32(),
        .name = random_text(),
        .has_stack = random_bool(),
        .values = random_text(),
        .stack = {SLICE(""), 0},
    };
    marker->start = marker->phase == MARKER_END ? 0 : start;
    if (marker->phase == MARKER_END)
        marker->end = start;
    if (marker->phase == MARKER_INTERVAL)
        marker->end = start + random_number() % (UINT64_MAX - start + (start == 0 ? 0 : 1));
    if (marker->has_stack) {
        marker->stack_thread = random_u32();
        marker->stack_time = random_number();
        marker->stack = random_frames();
    }
}

void random_entry(enum entry_kind kind, struct any_entry *entry)
{
    memset(entry, 0, sizeof *entry);
    entry->kind = kind;
    switch (kind) {
    case ENTRY_PROCESS:
        entry->process = (struct process_entry){random_text(), random_text(), random_text()};
        break;
    case ENTRY_CONFIGURATION:
        entry->configuration = (struct configuration_entry){random_number(), random_number(), random_text(),  random_text(),
                                                            random_number(), random_number(), random_number()};
        break;
    case ENTRY_CATEGORY:
        entry->category = (struct category_entry){random_u32(), random_text(), random_text(), random_text()};
        break;
    case ENTRY_THREAD:
        entry->thread =
            (struct thread_entry){random_u32(),    (int32_t)random_word(), random_bool(),   random_bool(), random_number(),
                                  random_number(), random_number(),        random_number(), random_text()};
        break;
    case ENTRY_THREAD_NAME:
        entry->thread_name = (struct thread_name_entry){random_u32(), random_number(), random_text()};
        break;
    case ENTRY_THREAD_END:
        entry->thread_end = (struct thread_end_entry){random_u32(), random_number(), random_number(), random_number()};
        break;
    case ENTRY_MODULE:
        entry->module = (struct module_entry){random_u32(),    random_number(), random_number(), random_number(),
                                              random_number(), random_text(),   random_text()};
        break;
    case ENTRY_MODULE_END:
        entry->module_end = (struct module_end_entry){random_u32(), random_number()};
        break;
    case ENTRY_MARKER_TYPE:
        random_marker_type(&entry->marker_type);
        break;
    case ENTRY_COUNTER:
        entry->counter = (struct counter_entry){random_u32(), random_number(), random_text(), random_text(), random_text()};
        break;
    case ENTRY_CODE:
        entry->code = (struct code_entry){.time = random_number(),
                                          .runtime = (uint8_t)(1 + random_word() % (RUNTIME_KIND_COUNT - 1)),
                                          .tier = (uint8_t)(random_word() % TIER_COUNT),
                                          .was_there = random_bool(),
                                          .start = random_number(),
                                          .size = random_number(),
                                          .name = random_text(),
                                          .file = random_text(),
                                          .line = random_u32(),
                                          .column = random_u32(),
                                          .lines = random_lines()};
        break;
    case ENTRY_CODE_MOVED:
        entry->code_moved = (struct code_moved_entry){random_number(), random_number(), random_number()};
        break;
    case ENTRY_RUNTIME:
        entry->runtime =
            (struct runtime_entry){random_number(), (uint8_t)random_word(), random_bool(), random_text(), random_text()};
        break;
    case ENTRY_SAMPLE:
        entry->sample = (struct sample_entry){.thread = random_u32(),
                                              .time = random_number(),
                                              .clock = (uint8_t)(random_u32() % 4),
                                              .in_call = random_bool(),
                                              .in_fault = random_bool(),
                                              .has_event_delay = random_bool(),
                                              .stack = random_stack()};
        if (entry->sample.has_event_delay)
            entry->sample.event_delay_ns = random_number();
        entry->sample.ticks = entry->sample.clock != SAMPLE_BY_EVENT ? 1 + random_u32() / 2 : 0;
        break;
    case ENTRY_LOOK:
        entry->look = (struct look_entry){(int32_t)random_word(), random_number(), (uint8_t)(random_word() % (LOOK_ENDED + 1)),
                                          random_number(),        random_number(), random_number(),
                                          random_number(),        random_number(), random_number(),
                                          random_stack()};
        break;
    case ENTRY_COUNTER_SAMPLE:
        entry->counter_sample =
            (struct counter_sample_entry){random_u32(), random_number(), (int64_t)random_number(), random_number()};
        break;
    case ENTRY_MARKER:
        random_marker(&entry->marker);
        break;
    case ENTRY_ALLOCATION:
        entry->allocation = (struct allocation_entry){random_u32(),    (uint8_t)(random_word() % ALLOCATION_SOURCE_COUNT),
                                                      random_number(), random_number(),
                                                      random_number(), random_number(),
                                                      random_stack()};
        break;
    case ENTRY_FREE:
        entry->free = (struct free_entry){random_u32(), random_number(), random_number()};
        break;
    case ENTRY_ALLOCATIONS:
        entry->allocations = (struct allocations_entry){random_number(), (uint8_t)(random_word() % ALLOCATION_MODE_COUNT),
                                                        random_bool(),   random_bool(),
                                                        random_number(), random_number(),
                                                        random_text()};
        break;
    case ENTRY_UNMAP:
        entry->unmap = (struct unmap_entry){random_u32(), random_number(), random_number(), random_number()};
        break;
    case ENTRY_OBJECT:
        entry->object = (struct object_entry){random_u32(),    random_number(), random_number(),
                                              random_number(), random_text(),   random_stack()};
        break;
    case ENTRY_CALLER:
        entry->caller = (struct caller_entry){random_u32(), random_number()};
        break;
    case ENTRY_CALL_PATH:
        entry->call_path = (struct call_path_entry){random_stack()};
        break;
    case ENTRY_ALLOCATED:
        entry->allocated = (struct allocated_entry){random_u32(), random_number(), random_number(), (int64_t)random_number()};
        break;
    case ENTRY_FREED:
        entry->freed = (struct freed_entry){random_number(), (int64_t)random_number()};
        break;
    default:
        entry->time = random_number();
    }
}
