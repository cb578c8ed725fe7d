/* Any bytes as a session file: whatever is in it is visited, and every frame and value of it read, without harm. */
#include "session_bytes.h"

struct visit {
    uint64_t sum; /* so that nothing read is left out by the compiler */
    size_t field_count;
    uint8_t inputs[MARKER_FIELDS_MAX];
};

static void read_text(struct visit *visit, struct slice text)
{
    for (size_t i = 0; i < text.length; i++)
        visit->sum += (uint8_t)text.text[i];
}

static void read_frames(struct visit *visit, const struct frames_slice *frames)
{
    struct frame_reader reader;
    struct frame_entry frame;
    frame_reader_init(&reader, frames);
    while (frame_reader_next(&reader, &frame)) {
        visit->sum += frame.address + frame.line + frame.column + frame.category;
        read_text(visit, frame.text);
        read_text(visit, frame.file);
    }
    /* The entry was checked in full. */
    fuzz_check(reader.left == 0 && reader.rest.length == 0);
}

static void read_lines(struct visit *visit, struct slice lines)
{
    struct code_line line = {0};
    while (code_line_read(&lines, &line))
        visit->sum += line.offset + line.line;
    fuzz_check(lines.length == 0);
}

/* Values of the type that came last, whether it is the marker's or not. */
static void read_values(struct visit *visit, struct slice values)
{
    for (size_t i = 0; i < visit->field_count; i++) {
        struct marker_value value;
        size_t before = values.length;
        if (!marker_value_read(&values, (enum marker_input)visit->inputs[i], &value)) {
            fuzz_check(values.length == before);
            break;
        }
        fuzz_check(values.length < before);
        if (value.input == INPUT_TEXT)
            read_text(visit, value.text);
    }
}

static void read_stack(struct visit *visit, const struct stack_part *stack)
{
    fuzz_check(stack->shared + stack->frames.count <= STACK_FRAMES_MAX);
    read_frames(visit, &stack->frames);
}

static int visit_entry(void *data, const struct any_entry *entry, struct error *error)
{
    (void)error;
    struct visit *visit = data;
    switch (entry->kind) {
    case ENTRY_PROCESS:
        read_text(visit, entry->process.name);
        read_text(visit, entry->process.executable);
        read_text(visit, entry->process.arguments);
        break;
    case ENTRY_CONFIGURATION:
        read_text(visit, entry->configuration.feature_names);
        read_text(visit, entry->configuration.filters);
        break;
    case ENTRY_CATEGORY:
        read_text(visit, entry->category.name);
        read_text(visit, entry->category.colour);
        read_text(visit, entry->category.subcategories);
        break;
    case ENTRY_THREAD:
        read_text(visit, entry->thread.name);
        break;
    case ENTRY_THREAD_NAME:
        read_text(visit, entry->thread_name.name);
        break;
    case ENTRY_MODULE:
        read_text(visit, entry->module.path);
        read_text(visit, entry->module.build_id);
        break;
    case ENTRY_RUNTIME:
        read_text(visit, entry->runtime.name);
        read_text(visit, entry->runtime.layout);
        break;
    case ENTRY_MARKER_TYPE:
        fuzz_check(entry->marker_type.field_count <= MARKER_FIELDS_MAX);
        visit->field_count = entry->marker_type.field_count;
        for (size_t i = 0; i < visit->field_count; i++) {
            fuzz_check(entry->marker_type.fields[i].input < INPUT_COUNT);
            visit->inputs[i] = entry->marker_type.fields[i].input;
            read_text(visit, entry->marker_type.fields[i].key);
        }
        break;
    case ENTRY_COUNTER:
        read_text(visit, entry->counter.name);
        read_text(visit, entry->counter.category);
        read_text(visit, entry->counter.description);
        break;
    case ENTRY_CODE:
        fuzz_check(entry->code.tier < TIER_COUNT && entry->code.runtime < RUNTIME_KIND_COUNT);
        read_text(visit, entry->code.name);
        read_text(visit, entry->code.file);
        read_lines(visit, entry->code.lines);
        break;
    case ENTRY_SAMPLE:
        fuzz_check(entry->sample.clock <= SAMPLE_BY_MAJOR_FAULT);
        read_stack(visit, &entry->sample.stack);
        break;
    case ENTRY_LOOK:
        fuzz_check(entry->look.state <= LOOK_ENDED);
        read_stack(visit, &entry->look.stack);
        break;
    case ENTRY_MARKER:
        fuzz_check(entry->marker.phase <= MARKER_END);
        fuzz_check(entry->marker.phase != MARKER_INTERVAL || entry->marker.end >= entry->marker.start);
        read_text(visit, entry->marker.name);
        read_frames(visit, &entry->marker.stack);
        read_values(visit, entry->marker.values);
        break;
    default:
        fuzz_check(entry->kind > 0 && entry->kind < ENTRY_KIND_COUNT);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct session_file *file = session_bytes_open(data, size);
    if (file) {
        struct visit visit = {0};
        struct session_reading reading;
        struct error error = {0};
        static const struct session_visitor visitor = {.entry = visit_entry};
        fuzz_check(session_file_visit(file, &visitor, &visit, &reading, &error) == 0);
        fuzz_check(session_file_visit_owner(file, 0, &visitor, &visit, &reading, &error) == 0);
        session_file_close(file);
    }
    return 0;
}
