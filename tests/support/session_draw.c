#include "support/session_draw.h"

#include "support/any_entry.h"
#include "support/draw_code.h"
#include "support/draw_line.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { TYPES_MAX = 64, THREADS_MAX = 64, FRAME_TEXT_MAX = 256 };

/* The last stack of a thread's samples, or of the looks at it, as words of the line, to find what the next one shares with it.
 */
struct known_stack {
    enum entry_kind kind;
    uint32_t thread; /* or its tid */
    size_t count;
    char *frames[STACK_FRAMES_MAX];
};

struct session_draw {
    struct chunk_manager *manager;
    struct chunk *chunks[CHUNK_MARKERS + 1];
    uint64_t now;   /* the last time on a line: for the chunks */
    uint64_t owner; /* of the chunks, in a file of looks */
    struct chunk *lost[16];
    size_t lost_count;
    struct marker_type_entry types[TYPES_MAX];
    char *type_lines[TYPES_MAX * (MARKER_FIELDS_MAX + 1)]; /* what the types' texts stand in */
    size_t type_count, type_line_count;
    bool type_open; /* the last type may get fields yet */
    struct known_stack stacks[THREADS_MAX];
    size_t stack_count;
};

static uint64_t line_time(struct session_draw *draw, const struct line *line)
{
    return draw->now = line_number(line, "time");
}

/* --- frames -------------------------------------------------------------------------------------------------------- */

static char *cut_at_last(char *text, char at)
{
    char *found = strrchr(text, at);
    if (!found)
        return NULL;
    *found = 0;
    return found + 1;
}

/* TEXT@CATEGORY/SUBCATEGORY, and for a runtime's TEXT@FILE:LINE:COLUMN@CATEGORY */
static void frame_read(const struct line *line, char *word, struct frame_entry *frame)
{
    *frame = (struct frame_entry){.text = SLICE(""), .file = SLICE("")};
    size_t length = strlen(word);
    if (length > 3 && strcmp(word + length - 3, "+js") == 0) {
        frame->relevant_for_js = true;
        word[length - 3] = 0;
    }
    char *text = strchr(word, ':');
    if (!text) {
        frame->address = word_number(line, word);
        return;
    }
    *text++ = 0;
    if (numbered_frame_read(line, word, text, frame))
        return;
    bool label = strcmp(word, "label") == 0;
    if (!label && strcmp(word, "js") != 0 && strcmp(word, "runtime") != 0)
        line_complain(line, "an unknown kind of frame");
    frame->kind = label ? FRAME_LABEL : FRAME_RUNTIME;
    char *at = strchr(text, '@');
    if (at) {
        *at++ = 0;
        char *place = label ? NULL : at, *category = label ? at : strchr(at, '@');
        if (category && !label)
            *category++ = 0;
        if (category)
            category_read(line, category, &frame->category, &frame->subcategory);
        char *column = place ? cut_at_last(place, ':') : NULL, *row = column ? cut_at_last(place, ':') : NULL;
        if (row) {
            frame->line = (uint32_t)word_number(line, row);
            frame->column = (uint32_t)word_number(line, column);
        } else if (column) {
            frame->line = (uint32_t)word_number(line, column);
        }
        if (place)
            frame->file = slice_of(place);
    }
    frame->text = slice_of(text);
}

static void frame_add(const struct line *line, char *word, uint8_t *bytes, size_t room, struct frames_slice *frames,
                      uint64_t *previous)
{
    struct frame_entry frame;
    frame_read(line, word, &frame);
    size_t length = frame_write(bytes + frames->bytes.length, room - frames->bytes.length, &frame, previous);
    if (length == 0)
        line_complain(line, "the stack is too large");
    frames->bytes = (struct slice){(char *)bytes, frames->bytes.length + length};
    frames->count++;
}

static struct known_stack *stack_known(struct session_draw *draw, const struct line *line, enum entry_kind kind,
                                       uint32_t thread)
{
    for (size_t i = 0; i < draw->stack_count; i++)
        if (draw->stacks[i].kind == kind && draw->stacks[i].thread == thread)
            return &draw->stacks[i];
    if (draw->stack_count == THREADS_MAX)
        line_complain(line, "too many threads with stacks");
    draw->stacks[draw->stack_count].kind = kind;
    draw->stacks[draw->stack_count].thread = thread;
    return &draw->stacks[draw->stack_count++];
}

static void stack_forget(struct known_stack *stack, size_t from)
{
    for (size_t i = from; i < stack->count; i++)
        free(stack->frames[i]);
    stack->count = from;
}

static void stacks_forget(struct session_draw *draw)
{
    for (size_t i = 0; i < draw->stack_count; i++)
        stack_forget(&draw->stacks[i], 0);
}

/* --- writing ------------------------------------------------------------------------------------------------------- */

static enum chunk_kind chunk_kind_of(enum entry_kind kind)
{
    if (entry_kind_is_kept(kind))
        return CHUNK_KEPT;
    return kind == ENTRY_MARKER || kind >= ENTRY_ALLOCATION ? CHUNK_MARKERS : CHUNK_SAMPLES;
}

static void chunk_begin(struct session_draw *draw, enum chunk_kind kind)
{
    if (draw->chunks[kind])
        chunk_manager_give_back(draw->manager, draw->chunks[kind], draw->now);
    chunk_manager_prepare(draw->manager);
    draw->chunks[kind] = chunk_manager_take(draw->manager, kind, draw->now);
    if (!draw->chunks[kind])
        fail_msg("session_draw: no chunk to be had");
    chunk_manager_extend(draw->manager, draw->chunks[kind]);
    draw->chunks[kind]->header.owner = draw->owner;
    if (kind == CHUNK_SAMPLES)
        stacks_forget(draw);
}

void session_draw_entry(struct session_draw *draw, const struct any_entry *entry)
{
    static uint8_t bytes[ENTRY_MAX];
    enum chunk_kind kind = chunk_kind_of(entry->kind);
    size_t length = any_entry_write(bytes, sizeof bytes, entry);
    if (length == 0)
        fail_msg("session_draw: an entry that is too large");
    uint8_t *room = draw->chunks[kind] ? chunk_reserve(draw->chunks[kind], length) : NULL;
    if (!room) {
        chunk_begin(draw, kind);
        room = chunk_reserve(draw->chunks[kind], length);
    }
    memcpy(room, bytes, length);
    chunk_commit(draw->chunks[kind], length, length);
}

/* --- lines --------------------------------------------------------------------------------------------------------- */

/* Frames among the words of a line: they begin with a digit, or name their kind. */
static bool is_frame(const struct word *word)
{
    return !word->key && (strchr(word->value, ':') || (word->value[0] >= '0' && word->value[0] <= '9'));
}

/* The frames on the line, behind its first words. */
static void stack_add(struct session_draw *draw, struct line *line, enum entry_kind kind, uint32_t thread,
                      struct stack_part *stack)
{
    static uint8_t bytes[ENTRY_MAX];
    /* A chunk that may not have room for it begins anew, and with it the stacks. */
    if (!draw->chunks[CHUNK_SAMPLES] || !chunk_reserve(draw->chunks[CHUNK_SAMPLES], line->count * FRAME_TEXT_MAX))
        chunk_begin(draw, CHUNK_SAMPLES);
    struct known_stack *known = stack_known(draw, line, kind, thread);
    uint64_t previous = 0;
    size_t frame = 0;
    stack->truncated = line_flag(line, "truncated");
    for (size_t i = line->next; i < line->count; i++) {
        char *word = line->words[i].value;
        if (!is_frame(&line->words[i]))
            continue;
        if (frame == stack->shared && frame < known->count && strcmp(known->frames[frame], word) == 0) {
            stack->shared++;
            frame++;
            continue;
        }
        if (frame >= STACK_FRAMES_MAX || strlen(word) >= FRAME_TEXT_MAX)
            line_complain(line, "the stack is too large");
        if (frame == stack->shared)
            stack_forget(known, frame);
        known->frames[known->count++] = strdup(word);
        frame_add(line, word, bytes, sizeof bytes, &stack->frames, &previous);
        frame++;
    }
    stack_forget(known, frame);
}

static void draw_sample(struct session_draw *draw, struct line *line)
{
    struct any_entry entry = {.kind = ENTRY_SAMPLE};
    struct sample_entry *sample = &entry.sample;
    sample->thread = (uint32_t)word_number(line, line_word(line));
    sample->time = draw->now = word_number(line, line_word(line));
    sample->clock = line_flag(line, "event")         ? SAMPLE_BY_EVENT
                    : line_flag(line, "minor-fault") ? SAMPLE_BY_FAULT
                    : line_flag(line, "major-fault") ? SAMPLE_BY_MAJOR_FAULT
                                                     : SAMPLE_BY_TICK;
    sample->in_call = line_flag(line, "call");
    sample->in_fault = line_flag(line, "fault");
    sample->has_event_delay = line_find(line, "delay");
    sample->event_delay_ns = line_number(line, "delay");
    sample->ticks = (uint32_t)line_number(line, "ticks");
    stack_add(draw, line, ENTRY_SAMPLE, sample->thread, &sample->stack);
    session_draw_entry(draw, &entry);
}

/* Each has its whole stack. */
static void draw_allocation(struct session_draw *draw, struct line *line)
{
    static uint8_t bytes[ENTRY_MAX];
    struct any_entry entry = {.kind = ENTRY_ALLOCATION};
    struct allocation_entry *allocation = &entry.allocation;
    allocation->thread = (uint32_t)word_number(line, line_word(line));
    allocation->time = draw->now = word_number(line, line_word(line));
    allocation->address = word_number(line, line_word(line));
    allocation->source = line_flag(line, "mapped") ? ALLOCATION_MAPPED : ALLOCATION_HEAP;
    allocation->size = line_number(line, "size");
    allocation->mean = line_number(line, "mean");
    allocation->stack.truncated = line_flag(line, "truncated");
    uint64_t previous = 0;
    for (size_t i = line->next; i < line->count; i++)
        if (is_frame(&line->words[i]))
            frame_add(line, line->words[i].value, bytes, sizeof bytes, &allocation->stack.frames, &previous);
    session_draw_entry(draw, &entry);
}

static void draw_object(struct session_draw *draw, struct line *line)
{
    static uint8_t bytes[ENTRY_MAX];
    struct any_entry entry = {.kind = ENTRY_OBJECT};
    struct object_entry *object = &entry.object;
    object->thread = (uint32_t)word_number(line, line_word(line));
    object->time = draw->now = word_number(line, line_word(line));
    object->class_name = line_text(line, "class");
    object->size = line_number(line, "size");
    object->mean = line_number(line, "mean");
    object->stack.truncated = line_flag(line, "truncated");
    uint64_t previous = 0;
    for (size_t i = line->next; i < line->count; i++)
        if (is_frame(&line->words[i]))
            frame_add(line, line->words[i].value, bytes, sizeof bytes, &object->stack.frames, &previous);
    session_draw_entry(draw, &entry);
}

/* Words such as +2, and how many frames are shared with the path before. */
static void draw_call_path(struct session_draw *draw, struct line *line)
{
    static uint8_t bytes[ENTRY_MAX];
    struct any_entry entry = {.kind = ENTRY_CALL_PATH};
    struct stack_part *stack = &entry.call_path.stack;
    stack->truncated = line_flag(line, "truncated");
    if (line->next < line->count && line->words[line->next].value[0] == '+')
        stack->shared = (uint32_t)word_number(line, line_word(line) + 1);
    uint64_t previous = 0;
    for (size_t i = line->next; i < line->count; i++)
        if (is_frame(&line->words[i]))
            frame_add(line, line->words[i].value, bytes, sizeof bytes, &stack->frames, &previous);
    session_draw_entry(draw, &entry);
}

static void draw_allocations(struct session_draw *draw, struct line *line)
{
    static const char *modes[] = {"adaptive", "fixed", "all"};
    struct any_entry entry = {.kind = ENTRY_ALLOCATIONS};
    const char *mode = line_word(line);
    while (strcmp(mode, modes[entry.allocations.mode]) != 0)
        if (++entry.allocations.mode == ALLOCATION_MODE_COUNT)
            line_complain(line, "a mode that is none of adaptive, fixed, all");
    entry.allocations.maps = line_flag(line, "maps");
    entry.allocations.is_unseen = line_flag(line, "unseen");
    entry.allocations.mean = line_number(line, "mean");
    entry.allocations.budget_ppm = line_number(line, "budget");
    entry.allocations.allocator = line_text(line, "allocator");
    entry.allocations.time = line_time(draw, line);
    session_draw_entry(draw, &entry);
}

static void draw_look(struct session_draw *draw, struct line *line)
{
    struct any_entry entry = {.kind = ENTRY_LOOK};
    struct look_entry *look = &entry.look;
    look->tid = (int32_t)word_number(line, line_word(line));
    look->time = draw->now = word_number(line, line_word(line));
    look->state = line_flag(line, "waiting") ? LOOK_WAITING : line_flag(line, "ended") ? LOOK_ENDED : LOOK_RUNNING;
    look->cpu_ns = line_number(line, "cpu");
    look->ready_ns = line_number(line, "ready");
    look->runs = line_number(line, "runs");
    look->kernel_ns = line_number(line, "kernel");
    look->period_ns = line_number(line, "period");
    look->waits = line_number(line, "waits");
    stack_add(draw, line, ENTRY_LOOK, (uint32_t)look->tid, &look->stack);
    session_draw_entry(draw, &entry);
}

/* PID-N; chunks that are being written are about somebody else. */
static void draw_owner(struct session_draw *draw, struct line *line)
{
    char *word = line_word(line);
    int32_t pid = (int32_t)number_take(line, &word, "-");
    draw->owner = (uint64_t)(uint32_t)pid << 32 | (*word == '-' ? word_number(line, word + 1) : 0);
    for (enum chunk_kind kind = CHUNK_KEPT; kind <= CHUNK_MARKERS; kind++)
        if (draw->chunks[kind]) {
            chunk_manager_give_back(draw->manager, draw->chunks[kind], draw->now);
            draw->chunks[kind] = NULL;
        }
}

static void draw_type(struct session_draw *draw, struct line *line)
{
    if (draw->type_count == TYPES_MAX)
        line_complain(line, "too many types");
    struct marker_type_entry *type = &draw->types[draw->type_count++];
    *type = (struct marker_type_entry){
        .type = (uint32_t)word_number(line, line_word(line)),
        .name = slice_of(line_word(line)),
        .description = line_text(line, "description"),
        .chart_label = line_text(line, "chart"),
        .tooltip_label = line_text(line, "tooltip"),
        .table_label = line_text(line, "table"),
        .colour_field = line_text(line, "colour"),
        .display = line_text(line, "display"),
        .stack_based = line_flag(line, "stack-based"),
    };
    draw->type_open = true;
}

static void draw_field(struct session_draw *draw, struct line *line)
{
    static const char *inputs[INPUT_COUNT] = {"text", "signed", "unsigned", "double", "boolean", "time", "flow"};
    if (!draw->type_open)
        line_complain(line, "a field belongs behind its type");
    struct marker_type_entry *type = &draw->types[draw->type_count - 1];
    if (type->field_count == MARKER_FIELDS_MAX)
        line_complain(line, "too many fields");
    struct marker_field *field = &type->fields[type->field_count++];
    *field = (struct marker_field){
        .key = slice_of(line_word(line)),
        .label = line_text(line, "label"),
        .format = line_text(line, "format"),
        .input = INPUT_COUNT,
        .hidden = line_flag(line, "hidden"),
    };
    for (uint8_t i = 0; i < INPUT_COUNT; i++)
        if (slice_equal(line_text(line, "input"), slice_of(inputs[i])))
            field->input = i;
    if (field->input == INPUT_COUNT)
        line_complain(line, "input= is missing or unknown");
}

static void value_add(const struct line *line, char *word, enum marker_input input, uint8_t *bytes, size_t room, size_t *length)
{
    struct marker_value value = {.input = input};
    switch (input) {
    case INPUT_TEXT:
        value.text = slice_of(word);
        break;
    case INPUT_SIGNED:
        value.integer = word_signed(line, word);
        break;
    case INPUT_DOUBLE:
        value.real = strtod(word, NULL);
        break;
    case INPUT_BOOLEAN:
        value.boolean = strcmp(word, "true") == 0;
        break;
    default:
        value.number = word_number(line, word);
    }
    size_t added = marker_value_write(bytes + *length, room - *length, &value);
    if (added == 0)
        line_complain(line, "the marker is too large");
    *length += added;
}

static void values_add(struct session_draw *draw, const struct line *line, struct marker_entry *marker)
{
    static uint8_t bytes[ENTRY_MAX];
    size_t length = 0;
    const struct marker_type_entry *type = NULL;
    for (size_t i = 0; i < draw->type_count; i++)
        if (draw->types[i].type == marker->type)
            type = &draw->types[i];
    if (!type)
        line_complain(line, "its type is unknown");
    for (size_t i = 0; i < type->field_count; i++) {
        char *word = line_find(line, type->fields[i].key.text);
        if (!word)
            line_complain(line, "a value is missing");
        value_add(line, word, (enum marker_input)type->fields[i].input, bytes, sizeof bytes, &length);
    }
    marker->values = (struct slice){(char *)bytes, length};
}

static void marker_stack_add(const struct line *line, char *frames, struct marker_entry *marker)
{
    static uint8_t bytes[ENTRY_MAX];
    uint64_t previous = 0;
    marker->has_stack = true;
    marker->stack_time = line_number(line, "stack-time");
    marker->stack_thread = line_find(line, "stack-thread") ? (uint32_t)line_number(line, "stack-thread") : marker->thread;
    for (char *rest = NULL, *word = strtok_r(frames, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        frame_add(line, word, bytes, sizeof bytes, &marker->stack, &previous);
}

static void draw_marker(struct session_draw *draw, struct line *line)
{
    static const char *phases[] = {"instant", "interval", "start", "end"};
    struct any_entry entry = {.kind = ENTRY_MARKER};
    struct marker_entry *marker = &entry.marker;
    marker->thread = (uint32_t)word_number(line, line_word(line));
    marker->name = slice_of(line_word(line));
    char *time = NULL;
    for (uint8_t i = 0; i < 4 && !time; i++) {
        time = line_find(line, phases[i]);
        marker->phase = i;
    }
    if (!time)
        line_complain(line, "a time is missing");
    uint64_t first = draw->now = number_take(line, &time, "-");
    marker->start = marker->phase == MARKER_END ? 0 : first;
    marker->end = marker->phase == MARKER_END ? first : 0;
    if (marker->phase == MARKER_INTERVAL) {
        if (*time != '-')
            line_complain(line, "an interval has two times");
        marker->end = word_number(line, time + 1);
    }
    marker->type = (uint32_t)line_number(line, "type");
    char *category = line_find(line, "category"), *stack = line_find(line, "stack");
    if (category)
        category_read(line, category, &marker->category, &marker->subcategory);
    if (stack)
        marker_stack_add(line, stack, marker);
    if (marker->type != 0)
        values_add(draw, line, marker);
    session_draw_entry(draw, &entry);
}

static void draw_module(struct session_draw *draw, struct line *line)
{
    char build_id[64];
    struct any_entry entry = {.kind = ENTRY_MODULE};
    entry.module.module = (uint32_t)word_number(line, line_word(line));
    entry.module.path = slice_of(line_word(line));
    char *range = line_word(line);
    entry.module.start = number_take(line, &range, "-");
    entry.module.end = *range == '-' ? word_number(line, range + 1) : entry.module.start;
    entry.module.bias = line_number(line, "bias");
    entry.module.time = line_time(draw, line);
    struct slice hex = line_text(line, "build-id");
    if (hex.length / 2 > sizeof build_id)
        line_complain(line, "the build id is too long");
    for (size_t i = 0; i + 1 < hex.length; i += 2)
        build_id[i / 2] = (char)strtoul((char[]){hex.text[i], hex.text[i + 1], 0}, NULL, 16);
    entry.module.build_id = (struct slice){build_id, hex.length / 2};
    session_draw_entry(draw, &entry);
}

static void draw_code(struct session_draw *draw, struct line *line)
{
    uint8_t lines[DRAWN_LINES_BYTES];
    struct any_entry entry = {.kind = ENTRY_CODE};
    code_read(line, &entry.code, lines);
    entry.code.time = line_time(draw, line);
    session_draw_entry(draw, &entry);
}

static void draw_configuration(struct session_draw *draw, struct line *line)
{
    struct any_entry entry = {.kind = ENTRY_CONFIGURATION};
    entry.configuration = (struct configuration_entry){
        .interval_ns = line_number(line, "interval"),
        .features = line_number(line, "feature-bits"),
        .feature_names = line_text(line, "features"),
        .filters = line_text(line, "filters"),
        .capacity_bytes = line_number(line, "capacity"),
        .duration_ns = line_number(line, "duration"),
        .time = line_time(draw, line),
    };
    session_draw_entry(draw, &entry);
}

/* A chunk kind by its name; CHUNK_FREE where it is none. */
static enum chunk_kind kind_read(const char *name)
{
    static const char *names[] = {"", "kept", "samples", "markers"};
    for (enum chunk_kind i = CHUNK_KEPT; i <= CHUNK_MARKERS; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return CHUNK_FREE;
}

/* What was in the chunk goes at the end: until then it must not be recycled. */
static void draw_gap(struct session_draw *draw, struct line *line)
{
    if (draw->lost_count == sizeof draw->lost / sizeof *draw->lost || !draw->chunks[CHUNK_SAMPLES])
        line_complain(line, "too many gaps, or nothing to lose");
    draw->lost[draw->lost_count++] = draw->chunks[CHUNK_SAMPLES];
    draw->chunks[CHUNK_SAMPLES] = NULL;
    chunk_begin(draw, CHUNK_SAMPLES);
}

/* Entries of two or three words and their options. False where `what` is none of them. */
static bool draw_small(struct session_draw *draw, struct line *line, const char *what)
{
    struct any_entry entry = {0};
    if (strcmp(what, "process") == 0) {
        entry.kind = ENTRY_PROCESS;
        entry.process.name = slice_of(line_word(line));
        entry.process.executable = line_text(line, "executable");
        entry.process.arguments = line_text(line, "arguments");
        for (char *c = (char *)entry.process.arguments.text; *c; c++)
            *c = *c == ' ' ? 0 : *c;
        entry.process.arguments.length += entry.process.arguments.length > 0; /* each one ends with a NUL */
    } else if (strcmp(what, "category") == 0) {
        entry.kind = ENTRY_CATEGORY;
        entry.category.category = (uint32_t)word_number(line, line_word(line));
        entry.category.name = slice_of(line_word(line));
        entry.category.colour = line_text(line, "colour");
        entry.category.subcategories = line_list(line, "subcategories");
    } else if (strcmp(what, "thread") == 0) {
        entry.kind = ENTRY_THREAD;
        entry.thread.thread = (uint32_t)word_number(line, line_word(line));
        entry.thread.name = slice_of(line_word(line));
        entry.thread.tid = (int32_t)line_number(line, "tid");
        entry.thread.main = line_flag(line, "main");
        entry.thread.sampled = line_flag(line, "sampled");
        entry.thread.time = line_time(draw, line);
        entry.thread.cpu_ns = line_number(line, "cpu");
        entry.thread.labels = line_number(line, "labels");
    } else if (strcmp(what, "thread-name") == 0) {
        entry.kind = ENTRY_THREAD_NAME;
        entry.thread_name.thread = (uint32_t)word_number(line, line_word(line));
        entry.thread_name.name = slice_of(line_word(line));
        entry.thread_name.time = line_time(draw, line);
    } else if (strcmp(what, "thread-end") == 0) {
        entry.kind = ENTRY_THREAD_END;
        entry.thread_end.thread = (uint32_t)word_number(line, line_word(line));
        entry.thread_end.time = line_time(draw, line);
        entry.thread_end.cpu_ns = line_number(line, "cpu");
        entry.thread_end.kernel_ns = line_number(line, "kernel");
    } else if (strcmp(what, "module-end") == 0) {
        entry.kind = ENTRY_MODULE_END;
        entry.module_end.module = (uint32_t)word_number(line, line_word(line));
        entry.module_end.time = line_time(draw, line);
    } else if (strcmp(what, "code-moved") == 0) {
        entry.kind = ENTRY_CODE_MOVED;
        entry.code_moved.from = word_number(line, line_word(line));
        entry.code_moved.to = word_number(line, line_word(line));
        entry.code_moved.time = line_time(draw, line);
    } else if (strcmp(what, "counter") == 0) {
        entry.kind = ENTRY_COUNTER;
        entry.counter.counter = (uint32_t)word_number(line, line_word(line));
        entry.counter.name = slice_of(line_word(line));
        entry.counter.category = line_text(line, "category");
        entry.counter.description = line_text(line, "description");
        entry.counter.time = line_time(draw, line);
    } else if (strcmp(what, "free") == 0) {
        entry.kind = ENTRY_FREE;
        entry.free.thread = (uint32_t)word_number(line, line_word(line));
        entry.free.time = draw->now = word_number(line, line_word(line));
        entry.free.address = word_number(line, line_word(line));
    } else if (strcmp(what, "unmap") == 0) {
        entry.kind = ENTRY_UNMAP;
        entry.unmap.thread = (uint32_t)word_number(line, line_word(line));
        entry.unmap.time = draw->now = word_number(line, line_word(line));
        entry.unmap.address = word_number(line, line_word(line));
        entry.unmap.size = line_number(line, "size");
    } else if (strcmp(what, "caller") == 0) {
        entry.kind = ENTRY_CALLER;
        entry.caller.thread = (uint32_t)word_number(line, line_word(line));
        entry.caller.time = draw->now = word_number(line, line_word(line));
    } else if (strcmp(what, "allocated") == 0) {
        entry.kind = ENTRY_ALLOCATED;
        entry.allocated.path = (uint32_t)word_number(line, line_word(line));
        entry.allocated.address_delta = word_signed(line, line_word(line));
        entry.allocated.size = line_number(line, "size");
        entry.allocated.time_delta = line_number(line, "after");
    } else if (strcmp(what, "freed") == 0) {
        entry.kind = ENTRY_FREED;
        entry.freed.address_delta = word_signed(line, line_word(line));
        entry.freed.time_delta = line_number(line, "after");
    } else if (strcmp(what, "count") == 0) {
        entry.kind = ENTRY_COUNTER_SAMPLE;
        entry.counter_sample.counter = (uint32_t)word_number(line, line_word(line));
        entry.counter_sample.count = word_signed(line, line_word(line));
        entry.counter_sample.number = line_number(line, "number");
        entry.counter_sample.time = line_time(draw, line);
    } else {
        static const char *times[] = {"pause", "resume", "pause-sampling", "resume-sampling"};
        for (size_t i = 0; i < 4; i++)
            if (strcmp(what, times[i]) == 0)
                entry.kind = (enum entry_kind)(ENTRY_PAUSE + i);
        if (entry.kind == 0)
            return false;
        entry.time = draw->now = word_number(line, line_word(line));
    }
    session_draw_entry(draw, &entry);
    return true;
}

/* A type is written when its fields are complete. */
static void type_close(struct session_draw *draw)
{
    if (!draw->type_open)
        return;
    draw->type_open = false;
    struct any_entry entry = {.kind = ENTRY_MARKER_TYPE, .marker_type = draw->types[draw->type_count - 1]};
    session_draw_entry(draw, &entry);
}

/* `text` belongs to this from now on. */
static void draw_line(struct session_draw *draw, const char *whole, char *text)
{
    static struct line line;
    line.text = whole;
    line_cut(&line, text);
    char *what = line.count > 0 && text[0] != '#' ? line_word(&line) : NULL;
    bool field = what && strcmp(what, "field") == 0;
    if (what && !field)
        type_close(draw);
    if (field || (what && strcmp(what, "type") == 0)) {
        (field ? draw_field : draw_type)(draw, &line);
        draw->type_lines[draw->type_line_count++] = text;
        return;
    }
    if (!what)
        ;
    else if (strcmp(what, "sample") == 0)
        draw_sample(draw, &line);
    else if (strcmp(what, "look") == 0)
        draw_look(draw, &line);
    else if (strcmp(what, "allocation") == 0)
        draw_allocation(draw, &line);
    else if (strcmp(what, "object") == 0)
        draw_object(draw, &line);
    else if (strcmp(what, "allocations") == 0)
        draw_allocations(draw, &line);
    else if (strcmp(what, "call-path") == 0)
        draw_call_path(draw, &line);
    else if (strcmp(what, "owner") == 0)
        draw_owner(draw, &line);
    else if (strcmp(what, "marker") == 0)
        draw_marker(draw, &line);
    else if (strcmp(what, "module") == 0)
        draw_module(draw, &line);
    else if (strcmp(what, "code") == 0)
        draw_code(draw, &line);
    else if (strcmp(what, "configuration") == 0)
        draw_configuration(draw, &line);
    else if (strcmp(what, "gap") == 0)
        draw_gap(draw, &line);
    else if (strcmp(what, "chunk") == 0 && line.count > 1 && kind_read(line.words[1].value) != CHUNK_FREE)
        chunk_begin(draw, kind_read(line.words[1].value));
    else if (!draw_small(draw, &line, what))
        line_complain(&line, "an unknown kind of line");
    free(text);
}

void session_draw_text(struct session_draw *draw, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        while (*text == ' ' && length > 0) {
            text++;
            length--;
        }
        char *whole = strndup(text, length);
        draw_line(draw, whole, strndup(text, length));
        free(whole);
        text += length + (text[length] == '\n');
    }
    type_close(draw);
}

/* --- beginning and end --------------------------------------------------------------------------------------------- */

struct session_draw *session_draw_open_with(const struct chunk_manager_options *options)
{
    struct error error = {0};
    struct session_draw *draw = calloc(1, sizeof *draw);
    assert_non_null(draw);
    draw->manager = chunk_manager_create(options, &error);
    if (!draw->manager)
        fail_msg("session_draw: %s", error.message);
    return draw;
}

struct session_draw *session_draw_open(const char *folder)
{
    return session_draw_open_with(&(struct chunk_manager_options){
        .folder = folder,
        .pid = 4711,
        .limit_bytes = 64 << 20,
        .start_monotonic_ns = 100000000000,
        .start_realtime_ns = 1700000000000000000,
        .interval_ns = 1000000,
    });
}

struct session_file_header *session_draw_header(struct session_draw *draw)
{
    return chunk_manager_header(draw->manager);
}

const char *session_draw_path(struct session_draw *draw)
{
    return chunk_manager_path(draw->manager);
}

struct chunk_manager *session_draw_manager(struct session_draw *draw)
{
    return draw->manager;
}

void session_draw_close(struct session_draw *draw)
{
    for (size_t i = 0; i < draw->lost_count; i++)
        atomic_store(&draw->lost[i]->header.sequence, 0);
    chunk_manager_free(draw->manager);
    stacks_forget(draw);
    for (size_t i = 0; i < draw->type_line_count; i++)
        free(draw->type_lines[i]);
    free(draw);
}

void session_draw(const char *folder, const char *text, char *path)
{
    struct session_draw *draw = session_draw_open(folder);
    session_draw_text(draw, text);
    if (path)
        strcpy(path, session_draw_path(draw));
    session_draw_close(draw);
}

void session_draw_looks(const char *folder, const char *text)
{
    char apart[64], from[PATH_MAX], to[PATH_MAX];
    session_draw(session_folder_make(apart), text, from);
    snprintf(to, sizeof to, "%s/" LOOKS_NAME, folder);
    assert_int_equal(rename(from, to), 0);
    session_folder_remove(apart);
}

const char *session_folder_make(char path[64])
{
    const char *parent = getenv("TMPDIR");
    if (!parent || strlen(parent) > 40)
        parent = "/tmp";
    snprintf(path, 64, "%s/sonde-test-XXXXXX", parent);
    if (!mkdtemp(path))
        fail_msg("%s: cannot be made", path);
    return path;
}

void session_folder_remove(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        fail_msg("%s: cannot be opened", path);
    for (struct dirent *item; (item = readdir(folder));)
        unlinkat(dirfd(folder), item->d_name, 0);
    closedir(folder);
    rmdir(path);
}

off_t disk_bytes(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(fsync(fd), 0);
    assert_int_equal(fstat(fd, &status), 0);
    close(fd);
    return (off_t)status.st_blocks * 512;
}
