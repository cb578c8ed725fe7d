#include "import/perf_script.h"

#include "import/perf_line.h"
#include "import/perf_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool perf_script_recognise(struct slice start)
{
    if (slice_starts_with(start, SLICE("# ========\n")) || slice_starts_with(start, SLICE("# ========\r\n")))
        return true;
    const char *newline = start.length > 0 ? memchr(start.text, '\n', start.length) : NULL;
    if (!newline || start.text[0] == '{')
        return false;
    return perf_sample_line_recognise(slice_until(start, (size_t)(newline - start.text)));
}

/* ---- reading ---- */

static struct perf_thread *find_thread(struct perf_reader *reader, uint64_t tid, uint32_t event)
{
    uint64_t hash = hash_combine(tid, event);
    uint32_t row;
    for (struct map_probe probe = map_probe(&reader->thread_of_tid, hash); map_probe_next(&probe, &row);)
        if (reader->threads.items[row].tid == tid && reader->threads.items[row].event == event)
            return &reader->threads.items[row];
    size_t count = reader->threads.count;
    struct perf_thread thread = {.tid = tid, .event = event, .name = STRING_NONE};
    if (!vec_push(&reader->threads, thread) || !map_insert(&reader->thread_of_tid, hash, (uint32_t)count))
        return NULL;
    return &reader->threads.items[count];
}

/* The row of `wanted` in the thread's frames; INDEX_NONE when the heap is empty. */
static uint32_t find_frame(struct perf_thread *thread, struct perf_frame wanted)
{
    uint64_t hash = hash_u64((uint64_t)wanted.line << 32 | wanted.location.i);
    if (wanted.module != INDEX_NONE)
        hash = hash_combine(hash, wanted.address);
    uint32_t row;
    for (struct map_probe probe = map_probe(&thread->frame_of_location, hash); map_probe_next(&probe, &row);) {
        struct perf_frame frame = thread->frames.items[row];
        if (string_same(frame.location, wanted.location) && frame.line == wanted.line && frame.module == wanted.module &&
            (frame.module == INDEX_NONE || (frame.address == wanted.address && frame.inline_depth == wanted.inline_depth)))
            return row;
    }
    row = (uint32_t)thread->frames.count;
    return vec_push(&thread->frames, wanted) && map_insert(&thread->frame_of_location, hash, row) ? row : INDEX_NONE;
}

/* `symbol (in module)`; STRING_NONE when the heap is empty. */
static struct string_index location_of(struct perf_reader *reader, struct slice symbol, struct slice module)
{
    const struct slice in_module[] = {symbol, SLICE(" (in "), module, SLICE(")")};
    size_t parts = module.length > 0 ? 4 : 1;
    reader->location.count = 0;
    for (size_t i = 0; i < parts; i++) {
        size_t count = reader->location.count;
        if (!vec_reserve(&reader->location, count + in_module[i].length + 1))
            return STRING_NONE;
        memcpy(reader->location.items + count, in_module[i].text, in_module[i].length);
        reader->location.count += in_module[i].length;
    }
    return string_table_add(&reader->profile->strings, (struct slice){reader->location.items, reader->location.count});
}

/* Whether a frame is called by the next inner one that is not inlined into it: its address is the one to return to. */
static bool is_caller(const struct perf_reader *reader, uint64_t address)
{
    return reader->stack.count > 0 && reader->stack.items[0].address != address;
}

/* Where the frame is in its file. False when the heap is empty. */
static bool place_frame(struct perf_reader *reader, const struct perf_frame_line *line, uint64_t pid, struct perf_frame *frame)
{
    frame->module = INDEX_NONE;
    if (line->address == UINT64_MAX || line->module.length == 0)
        return true;
    if (!perf_maps_find(&reader->maps, &reader->profile->strings, pid, line->module, line->address, &frame->module,
                        &frame->address))
        return false;
    if (frame->module == INDEX_NONE)
        return true;
    frame->symbol = line->offset <= frame->address ? frame->address - line->offset : UINT64_MAX;
    frame->symbol_location = frame->location;
    frame->address -= is_caller(reader, line->address) && frame->address > 0;
    return true;
}

/* Now that the frame is there that they were inlined into. */
static int place_inlined(struct perf_reader *reader, struct slice module, const struct perf_stack_frame *into)
{
    size_t count = reader->inlined.count, first = reader->stack.count - count;
    for (size_t i = 0; i < count; i++) {
        struct slice symbol = string_table_get(&reader->profile->strings, reader->inlined.items[i]);
        struct string_index location = location_of(reader, symbol, module);
        if (!string_exists(location))
            return error_out_of_memory(reader->error);
        struct perf_stack_frame *inlined = &reader->stack.items[first + i];
        struct string_index file = inlined->frame.file;
        uint32_t line = inlined->frame.line;
        /* One that has another address is not inlined into this frame, but into one that perf calls inlined, too. */
        if (inlined->address == into->address) {
            inlined->frame = into->frame;
            inlined->frame.inline_depth = (uint32_t)(count - i);
        }
        inlined->frame.location = location;
        inlined->frame.file = file;
        inlined->frame.line = line;
    }
    reader->inlined.count = 0;
    return 0;
}

/* Puts it on the stack being read. */
static int push_frame(struct perf_reader *reader, const struct perf_frame_line *line, uint64_t pid)
{
    /* What perf prints where it has no symbol but, say, `(nil)`. */
    if (slice_starts_with(line->symbol, SLICE("(")))
        return 0;
    struct perf_stack_frame pushed = {
        .frame = {.location = location_of(reader, line->symbol, line->module), .file = STRING_NONE, .line = INDEX_NONE},
        .address = line->address,
    };
    if (!string_exists(pushed.frame.location) || !place_frame(reader, line, pid, &pushed.frame))
        return error_out_of_memory(reader->error);
    if (line->module.length > 0 && reader->inlined.count > 0 && place_inlined(reader, line->module, &pushed))
        return reader->error->code;
    if ((line->is_inlined && !vec_push(&reader->inlined, pushed.frame.location)) || !vec_push(&reader->stack, pushed))
        return error_out_of_memory(reader->error);
    return 0;
}

/* Where the frame is that was read last. */
static int take_source_line(struct perf_reader *reader, const struct perf_source_line *source)
{
    struct perf_frame *frame = &reader->stack.items[reader->stack.count - 1].frame;
    if (source->is_inlined && !vec_push(&reader->inlined, frame->location))
        return error_out_of_memory(reader->error);
    if (source->file.length == 0)
        return 0;
    struct string_index file = string_table_add(&reader->profile->strings, source->file);
    if (!string_exists(file))
        return error_out_of_memory(reader->error);
    frame->line = source->line;
    frame->file = file;
    return 0;
}

/* A function has one file: the one that was first seen of it. */
static bool keep_file(struct perf_reader *reader, const struct perf_frame *frame)
{
    if (!string_exists(frame->file) || string_exists(perf_reader_file(reader, frame->location)))
        return true;
    while (reader->file_of_string.count <= frame->location.i)
        if (!vec_push(&reader->file_of_string, STRING_NONE))
            return false;
    reader->file_of_string.items[frame->location.i] = frame->file;
    return true;
}

static int add_sample(struct perf_reader *reader, const struct perf_sample_line *line, struct string_index name, uint32_t event)
{
    if (reader->stack.count == 0) {
        reader->without_frames++;
        return 0;
    }
    struct perf_thread *thread = find_thread(reader, line->tid, event);
    if (!thread)
        return error_out_of_memory(reader->error);
    if (thread->samples.count == 0)
        thread->pid = line->pid;
    thread->name = name;
    perf_events_count(&reader->events, event, line->period);
    struct perf_sample sample = {line->time, INDEX_NONE, (uint32_t)thread->samples.count};
    for (size_t i = reader->stack.count; i-- > 0;) {
        struct perf_frame wanted = reader->stack.items[i].frame;
        uint32_t frame = keep_file(reader, &wanted) ? find_frame(thread, wanted) : INDEX_NONE;
        if (frame != INDEX_NONE)
            sample.stack = stack_builder_add(&thread->stacks, sample.stack, frame);
        if (frame == INDEX_NONE || sample.stack == INDEX_NONE)
            return error_out_of_memory(reader->error);
    }
    return vec_push(&thread->samples, sample) ? 0 : error_out_of_memory(reader->error);
}

/* The lines of its frames, to the blank line after them. */
static int read_stack(struct perf_reader *reader, uint64_t pid)
{
    struct perf_frame_line frame;
    struct perf_source_line source;
    for (struct slice text; line_reader_next(&reader->lines, &text) && !perf_line_is_blank(text);) {
        if (reader->stack.count > 0 && text.text[0] == ' ' && perf_source_line_parse(text, &source)) {
            if (take_source_line(reader, &source))
                break;
        } else if (perf_frame_line_parse(text, &frame) && push_frame(reader, &frame, pid)) {
            break;
        }
    }
    return reader->error->code;
}

/* A sample from its first line on, to the blank line after it. */
static int read_sample(struct perf_reader *reader, const struct perf_sample_line *line)
{
    struct string_index name = string_table_add(&reader->profile->strings, line->name);
    uint32_t event = perf_events_add(&reader->events, &reader->profile->strings, line->event);
    if (!string_exists(name) || event == INDEX_NONE)
        return error_out_of_memory(reader->error);
    if (!reader->has_start_time)
        reader->profile->meta.start_time = line->time;
    reader->has_start_time = true;
    reader->stack.count = reader->inlined.count = 0;
    struct perf_frame_line frame;
    uint64_t pid = line->pid > 0 ? line->pid : line->tid; /* of a main thread both are one */
    if (perf_flat_frame_parse(line->rest, &frame))
        push_frame(reader, &frame, pid);
    else
        read_stack(reader, pid);
    return reader->error->code == 0 ? add_sample(reader, line, name, event) : reader->error->code;
}

static int read_samples(struct perf_reader *reader)
{
    for (struct slice text; line_reader_next(&reader->lines, &text);) {
        struct perf_sample_line line;
        if (slice_starts_with(text, SLICE("#")) && !perf_events_add_header(&reader->events, &reader->profile->strings, text))
            return error_out_of_memory(reader->error);
        bool is_record = !slice_starts_with(text, SLICE("#")) && perf_line_is_record(text);
        if (is_record && !perf_maps_add(&reader->maps, &reader->profile->strings, text))
            return error_out_of_memory(reader->error);
        bool is_sample = !slice_starts_with(text, SLICE("#")) && !is_record && perf_sample_line_parse(text, &line);
        if (is_sample && read_sample(reader, &line))
            break;
    }
    if (reader->error->code == 0 && reader->threads.count == 0)
        error_set(reader->error, -EINVAL, "none of the %" PRIu64 " lines starts a sample that has frames",
                  reader->lines.number);
    return reader->error->code;
}

static void perf_reader_free(struct perf_reader *reader)
{
    for (size_t i = 0; i < reader->threads.count; i++) {
        struct perf_thread *thread = &reader->threads.items[i];
        vec_free(&thread->frames);
        map_free(&thread->frame_of_location);
        stack_builder_free(&thread->stacks);
        vec_free(&thread->samples);
    }
    vec_free(&reader->threads);
    map_free(&reader->thread_of_tid);
    perf_events_free(&reader->events);
    perf_maps_free(&reader->maps);
    map_free(&reader->symbol_rows);
    vec_free(&reader->stack);
    vec_free(&reader->inlined);
    vec_free(&reader->file_of_string);
    vec_free(&reader->location);
    line_reader_free(&reader->lines);
}

int perf_script_import_with(const struct import_options *options, struct byte_source *source, struct profile *profile,
                            struct error *error)
{
    struct perf_reader reader = {.profile = profile, .maps.files = options->files, .error = error};
    line_reader_init(&reader.lines, source, error);
    reader.user = category_list_add(&profile->categories, &profile->strings, SLICE("User"), SLICE("yellow"));
    reader.kernel = category_list_add(&profile->categories, &profile->strings, SLICE("Kernel"), SLICE("orange"));
    if (!category_exists(reader.user) || !category_exists(reader.kernel))
        error_out_of_memory(error);
    if (error->code == 0 && !read_samples(&reader))
        perf_reader_build(&reader, options->event);
    perf_reader_free(&reader);
    return error->code;
}

int perf_script_import(struct byte_source *source, struct profile *profile, struct error *error)
{
    return perf_script_import_with(&(struct import_options){0}, source, profile, error);
}
