#include "support/session_dump.h"

#include "support/draw_code.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TYPES_MAX = 64 };

/* What it takes to read the values of a type's markers. */
struct known_type {
    uint32_t type;
    size_t count;
    uint8_t inputs[MARKER_FIELDS_MAX];
    char *keys[MARKER_FIELDS_MAX];
};

struct dump {
    FILE *out;
    unsigned chunks;
    struct known_type types[TYPES_MAX];
    size_t type_count;
};

static const char *inputs[INPUT_COUNT] = {"text", "signed", "unsigned", "double", "boolean", "time", "flow"};

/* In quotes where it needs them; NULs in it as `nul`. */
static void print_word(FILE *out, struct slice text, char nul)
{
    bool plain = text.length > 0;
    for (size_t i = 0; i < text.length; i++)
        plain &= text.text[i] != ' ' && text.text[i] != '=' && (text.text[i] != 0 || nul != ' ');
    if (!plain)
        putc('"', out);
    for (size_t i = 0; i < text.length; i++)
        putc(text.text[i] == 0 ? nul : text.text[i], out);
    if (!plain)
        putc('"', out);
}

static void print_text(FILE *out, const char *key, struct slice text)
{
    if (text.length == 0)
        return;
    fprintf(out, " %s=", key);
    print_word(out, text, ',');
}

static void print_number(FILE *out, const char *key, uint64_t number)
{
    if (number != 0)
        fprintf(out, " %s=%" PRIu64, key, number);
}

static void print_time(FILE *out, uint64_t time)
{
    if (time % 1000000 == 0 && time > 0)
        fprintf(out, "%" PRIu64 "ms", time / 1000000);
    else
        fprintf(out, "%" PRIu64, time);
}

static void print_duration(FILE *out, const char *key, uint64_t time)
{
    if (time == 0)
        return;
    fprintf(out, " %s=", key);
    print_time(out, time);
}

static void print_flag(FILE *out, const char *flag, bool is_there)
{
    if (is_there)
        fprintf(out, " %s", flag);
}

static void print_numbered(FILE *out, const char *what, uint32_t number, struct slice name)
{
    fprintf(out, "%s %" PRIu32 " ", what, number);
    print_word(out, name, ' ');
}

static void print_category(FILE *out, const char *before, uint32_t category, uint32_t subcategory)
{
    if (category == 0 && subcategory == 0)
        return;
    fprintf(out, "%s%" PRIu32, before, category);
    if (subcategory != 0)
        fprintf(out, "/%" PRIu32, subcategory);
}

static void print_frames(FILE *out, const struct frames_slice *frames, char between)
{
    struct frame_reader reader;
    struct frame_entry frame;
    frame_reader_init(&reader, frames);
    for (bool first = true; frame_reader_next(&reader, &frame); first = false) {
        if (!first)
            putc(between, out);
        if (frame.kind == FRAME_NATIVE) {
            fprintf(out, "0x%" PRIx64, frame.address);
        } else if (frame.kind == FRAME_NUMBERED) {
            numbered_frame_print(out, &frame);
        } else {
            fputs(frame.kind == FRAME_LABEL ? "label:" : "js:", out);
            print_word(out, frame.text, ' ');
        }
        if (frame.kind == FRAME_RUNTIME) {
            fprintf(out, "@%.*s", (int)frame.file.length, frame.file.text);
            if (frame.line != 0)
                fprintf(out, ":%" PRIu32, frame.line);
            if (frame.column != 0)
                fprintf(out, ":%" PRIu32, frame.column);
        }
        print_category(out, "@", frame.category, frame.subcategory);
        if (frame.relevant_for_js)
            fputs("+js", out);
    }
    assert_int_equal(reader.left, 0);
}

static void print_type(struct dump *dump, const struct marker_type_entry *type)
{
    FILE *out = dump->out;
    assert_true(dump->type_count < TYPES_MAX);
    struct known_type *known = &dump->types[dump->type_count++];
    known->type = type->type;
    known->count = type->field_count;
    print_numbered(out, "type", type->type, type->name);
    print_text(out, "description", type->description);
    print_text(out, "chart", type->chart_label);
    print_text(out, "tooltip", type->tooltip_label);
    print_text(out, "table", type->table_label);
    print_text(out, "colour", type->colour_field);
    print_text(out, "display", type->display);
    print_flag(out, "stack-based", type->stack_based);
    for (size_t i = 0; i < type->field_count; i++) {
        const struct marker_field *field = &type->fields[i];
        known->inputs[i] = field->input;
        known->keys[i] = strndup(field->key.text, field->key.length);
        fputs("\nfield ", out);
        print_word(out, field->key, ' ');
        fprintf(out, " input=%s", inputs[field->input]);
        print_text(out, "format", field->format);
        print_text(out, "label", field->label);
        print_flag(out, "hidden", field->hidden);
    }
}

static void print_values(struct dump *dump, const struct marker_entry *marker)
{
    FILE *out = dump->out;
    struct slice rest = marker->values;
    for (size_t t = 0; t < dump->type_count; t++) {
        const struct known_type *type = &dump->types[t];
        for (size_t i = 0; type->type == marker->type && i < type->count; i++) {
            struct marker_value value;
            assert_true(marker_value_read(&rest, (enum marker_input)type->inputs[i], &value));
            fprintf(out, " %s=", type->keys[i]);
            switch (value.input) {
            case INPUT_TEXT:
                print_word(out, value.text, ' ');
                break;
            case INPUT_SIGNED:
                fprintf(out, "%" PRIi64, value.integer);
                break;
            case INPUT_DOUBLE:
                fprintf(out, "%.17g", value.real);
                break;
            case INPUT_BOOLEAN:
                fputs(value.boolean ? "true" : "false", out);
                break;
            default:
                fprintf(out, "%" PRIu64, value.number);
            }
        }
    }
    assert_int_equal(rest.length, 0);
}

static void print_marker(struct dump *dump, const struct marker_entry *marker)
{
    static const char *phases[] = {"instant", "interval", "start", "end"};
    FILE *out = dump->out;
    print_numbered(out, "marker", marker->thread, marker->name);
    fprintf(out, " %s=", phases[marker->phase]);
    print_time(out, marker->phase == MARKER_END ? marker->end : marker->start);
    if (marker->phase == MARKER_INTERVAL) {
        putc('-', out);
        print_time(out, marker->end);
    }
    print_number(out, "type", marker->type);
    print_category(out, " category=", marker->category, marker->subcategory);
    if (marker->has_stack) {
        fputs(" stack=", out);
        print_frames(out, &marker->stack, ',');
        print_duration(out, "stack-time", marker->stack_time);
        if (marker->stack_thread != marker->thread)
            fprintf(out, " stack-thread=%" PRIu32, marker->stack_thread);
    }
    print_values(dump, marker);
}

static void print_kept(struct dump *dump, const struct any_entry *entry)
{
    FILE *out = dump->out;
    switch (entry->kind) {
    case ENTRY_PROCESS: {
        struct slice arguments = entry->process.arguments;
        fputs("process ", out);
        print_word(out, entry->process.name, ' ');
        print_text(out, "executable", entry->process.executable);
        if (arguments.length > 0) {
            fputs(" arguments=", out);
            print_word(out, slice_until(arguments, arguments.length - 1), ' ');
        }
        break;
    }
    case ENTRY_CONFIGURATION:
        fputs("configuration", out);
        print_duration(out, "interval", entry->configuration.interval_ns);
        print_number(out, "feature-bits", entry->configuration.features);
        print_text(out, "features", entry->configuration.feature_names);
        print_text(out, "filters", entry->configuration.filters);
        print_number(out, "capacity", entry->configuration.capacity_bytes);
        print_duration(out, "duration", entry->configuration.duration_ns);
        print_duration(out, "time", entry->configuration.time);
        break;
    case ENTRY_CATEGORY:
        print_numbered(out, "category", entry->category.category, entry->category.name);
        print_text(out, "colour", entry->category.colour);
        print_text(out, "subcategories", entry->category.subcategories);
        break;
    case ENTRY_THREAD:
        print_numbered(out, "thread", entry->thread.thread, entry->thread.name);
        print_number(out, "tid", (uint64_t)entry->thread.tid);
        print_flag(out, "main", entry->thread.main);
        print_flag(out, "sampled", entry->thread.sampled);
        print_duration(out, "time", entry->thread.time);
        print_duration(out, "cpu", entry->thread.cpu_ns);
        if (entry->thread.labels != 0)
            fprintf(out, " labels=0x%" PRIx64, entry->thread.labels);
        break;
    case ENTRY_THREAD_NAME:
        print_numbered(out, "thread-name", entry->thread_name.thread, entry->thread_name.name);
        print_duration(out, "time", entry->thread_name.time);
        break;
    case ENTRY_THREAD_END:
        fprintf(out, "thread-end %" PRIu32, entry->thread_end.thread);
        print_duration(out, "time", entry->thread_end.time);
        print_duration(out, "cpu", entry->thread_end.cpu_ns);
        print_duration(out, "kernel", entry->thread_end.kernel_ns);
        break;
    case ENTRY_MODULE:
        print_numbered(out, "module", entry->module.module, entry->module.path);
        fprintf(out, " 0x%" PRIx64 "-0x%" PRIx64, entry->module.start, entry->module.end);
        if (entry->module.bias != 0)
            fprintf(out, " bias=0x%" PRIx64, entry->module.bias);
        if (entry->module.build_id.length > 0)
            fputs(" build-id=", out);
        for (size_t i = 0; i < entry->module.build_id.length; i++)
            fprintf(out, "%02x", (unsigned char)entry->module.build_id.text[i]);
        print_duration(out, "time", entry->module.time);
        break;
    case ENTRY_MODULE_END:
        fprintf(out, "module-end %" PRIu32, entry->module_end.module);
        print_duration(out, "time", entry->module_end.time);
        break;
    case ENTRY_RUNTIME:
        fputs("runtime", out);
        print_text(out, "name", entry->runtime.name);
        print_number(out, "kind", entry->runtime.runtime);
        print_flag(out, "known", entry->runtime.is_known);
        print_duration(out, "time", entry->runtime.time);
        break;
    case ENTRY_MARKER_TYPE:
        print_type(dump, &entry->marker_type);
        break;
    case ENTRY_CODE:
        code_print(out, &entry->code);
        print_duration(out, "time", entry->code.time);
        break;
    case ENTRY_CODE_MOVED:
        fprintf(out, "code-moved 0x%" PRIx64 " 0x%" PRIx64, entry->code_moved.from, entry->code_moved.to);
        print_duration(out, "time", entry->code_moved.time);
        break;
    case ENTRY_ALLOCATIONS: {
        static const char *modes[] = {"adaptive", "fixed", "all"};
        fprintf(out, "allocations %s", modes[entry->allocations.mode]);
        print_flag(out, "maps", entry->allocations.maps);
        print_flag(out, "unseen", entry->allocations.is_unseen);
        print_number(out, "mean", entry->allocations.mean);
        print_number(out, "budget", entry->allocations.budget_ppm);
        print_text(out, "allocator", entry->allocations.allocator);
        print_duration(out, "time", entry->allocations.time);
        break;
    }
    default:
        print_numbered(out, "counter", entry->counter.counter, entry->counter.name);
        print_text(out, "category", entry->counter.category);
        print_text(out, "description", entry->counter.description);
        print_duration(out, "time", entry->counter.time);
    }
}

static void print_stack(FILE *out, const struct stack_part *stack)
{
    if (stack->shared > 0)
        fprintf(out, " +%" PRIu32, stack->shared);
    if (stack->frames.count > 0)
        putc(' ', out);
    print_frames(out, &stack->frames, ' ');
    print_flag(out, "truncated", stack->truncated);
}

static void print_sample(FILE *out, const struct sample_entry *sample)
{
    fprintf(out, "sample %" PRIu32 " ", sample->thread);
    print_time(out, sample->time);
    print_flag(out, "event", sample->clock == SAMPLE_BY_EVENT);
    print_flag(out, "minor-fault", sample->clock == SAMPLE_BY_FAULT);
    print_flag(out, "major-fault", sample->clock == SAMPLE_BY_MAJOR_FAULT);
    print_flag(out, "call", sample->in_call);
    print_flag(out, "fault", sample->in_fault);
    if (sample->has_event_delay) {
        fputs(" delay=", out);
        print_time(out, sample->event_delay_ns);
    }
    print_stack(out, &sample->stack);
}

static void print_look(FILE *out, const struct look_entry *look)
{
    static const char *states[] = {"running", "waiting", "ended"};
    fprintf(out, "look %" PRIi32 " ", look->tid);
    print_time(out, look->time);
    fprintf(out, " %s", states[look->state]);
    print_duration(out, "cpu", look->cpu_ns);
    print_duration(out, "ready", look->ready_ns);
    print_number(out, "runs", look->runs);
    print_duration(out, "kernel", look->kernel_ns);
    print_duration(out, "period", look->period_ns);
    print_number(out, "waits", look->waits);
    print_stack(out, &look->stack);
}

static void print_recorded(struct dump *dump, const struct any_entry *entry)
{
    static const char *times[] = {"pause ", "resume ", "pause-sampling ", "resume-sampling "};
    FILE *out = dump->out;
    switch (entry->kind) {
    case ENTRY_SAMPLE:
        print_sample(out, &entry->sample);
        break;
    case ENTRY_LOOK:
        print_look(out, &entry->look);
        break;
    case ENTRY_COUNTER_SAMPLE:
        fprintf(out, "count %" PRIu32 " %" PRIi64, entry->counter_sample.counter, entry->counter_sample.count);
        print_number(out, "number", entry->counter_sample.number);
        print_duration(out, "time", entry->counter_sample.time);
        break;
    case ENTRY_MARKER:
        print_marker(dump, &entry->marker);
        break;
    case ENTRY_ALLOCATION:
        fprintf(out, "allocation %" PRIu32 " ", entry->allocation.thread);
        print_time(out, entry->allocation.time);
        fprintf(out, " 0x%" PRIx64, entry->allocation.address);
        print_flag(out, "mapped", entry->allocation.source == ALLOCATION_MAPPED);
        print_number(out, "size", entry->allocation.size);
        print_number(out, "mean", entry->allocation.mean);
        print_stack(out, &entry->allocation.stack);
        break;
    case ENTRY_FREE:
        fprintf(out, "free %" PRIu32 " ", entry->free.thread);
        print_time(out, entry->free.time);
        fprintf(out, " 0x%" PRIx64, entry->free.address);
        break;
    case ENTRY_UNMAP:
        fprintf(out, "unmap %" PRIu32 " ", entry->unmap.thread);
        print_time(out, entry->unmap.time);
        fprintf(out, " 0x%" PRIx64, entry->unmap.address);
        print_number(out, "size", entry->unmap.size);
        break;
    case ENTRY_OBJECT:
        fprintf(out, "object %" PRIu32 " ", entry->object.thread);
        print_time(out, entry->object.time);
        print_text(out, "class", entry->object.class_name);
        print_number(out, "size", entry->object.size);
        print_number(out, "mean", entry->object.mean);
        print_stack(out, &entry->object.stack);
        break;
    case ENTRY_CALLER:
        fprintf(out, "caller %" PRIu32 " ", entry->caller.thread);
        print_time(out, entry->caller.time);
        break;
    case ENTRY_CALL_PATH:
        fputs("call-path", out);
        print_stack(out, &entry->call_path.stack);
        break;
    case ENTRY_ALLOCATED:
        fprintf(out, "allocated %" PRIu32 " %" PRIi64, entry->allocated.path, entry->allocated.address_delta);
        print_number(out, "size", entry->allocated.size);
        print_number(out, "after", entry->allocated.time_delta);
        break;
    case ENTRY_FREED:
        fprintf(out, "freed %" PRIi64, entry->freed.address_delta);
        print_number(out, "after", entry->freed.time_delta);
        break;
    default:
        fputs(times[entry->kind - ENTRY_PAUSE], out);
        print_time(out, entry->time);
    }
}

static int dump_entry(void *data, const struct any_entry *entry, struct error *error)
{
    (void)error;
    struct dump *dump = data;
    (entry_kind_is_kept(entry->kind) ? print_kept : print_recorded)(dump, entry);
    putc('\n', dump->out);
    return 0;
}

static void dump_chunk_changed(void *data)
{
    struct dump *dump = data;
    if (dump->chunks++ > 0)
        fputs("chunk samples\n", dump->out);
}

char *session_dump(const char *path, struct session_reading *reading)
{
    static const struct session_visitor visitor = {.entry = dump_entry, .chunk_changed = dump_chunk_changed};
    char *text = NULL;
    size_t length = 0;
    struct error error = {0};
    struct session_reading ignored;
    struct dump dump = {.out = open_memstream(&text, &length)};
    assert_non_null(dump.out);
    struct session_file *file = session_file_open(path, &error);
    if (!file || session_file_visit(file, &visitor, &dump, reading ? reading : &ignored, &error) != 0)
        fail_msg("%s: %s", path, error.message);
    session_file_close(file);
    for (size_t i = 0; i < dump.type_count; i++)
        for (size_t k = 0; k < dump.types[i].count; k++)
            free(dump.types[i].keys[k]);
    fclose(dump.out);
    return text;
}
