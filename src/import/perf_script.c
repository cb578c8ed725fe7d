#include "import/perf_script.h"

#include "import/line_reader.h"
#include "import/location.h"
#include "import/perf_events.h"
#include "import/perf_line.h"
#include "import/stack_builder.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct perf_sample {
    double time;
    uint32_t stack;
    uint32_t order; /* in the file, of samples of one time */
};

struct perf_frame {
    struct string_index location, file; /* STRING_NONE = unknown */
    uint32_t line;                      /* INDEX_NONE = unknown */
};

/* Threads take turns in the file, but each wants its rows of the frame and stack tables in one piece: they are gathered here
 * first, those of each event by themselves. */
struct perf_thread {
    uint64_t pid, tid;
    uint32_t event;
    struct string_index name;
    VEC(struct perf_frame) frames;
    struct map frame_of_location;
    struct stack_builder stacks;
    VEC(struct perf_sample) samples;
};

struct perf_reader {
    struct profile *profile;
    struct line_reader lines;
    VEC(struct perf_thread) threads;
    struct map thread_of_tid; /* and of its event */
    struct perf_events events;
    uint64_t without_frames;                 /* samples */
    VEC(struct perf_frame) stack;            /* of the sample being read, innermost first */
    VEC(struct string_index) inlined;        /* names at the end of `stack` whose module is that of the next frame */
    VEC(char) location;                      /* being put together */
    VEC(struct string_index) file_of_string; /* by location: the source file that was first seen of it */
    struct category_index user, kernel;
    bool has_start_time;
    struct error *error;
};

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
    uint32_t row;
    for (struct map_probe probe = map_probe(&thread->frame_of_location, hash); map_probe_next(&probe, &row);) {
        struct perf_frame frame = thread->frames.items[row];
        if (string_same(frame.location, wanted.location) && frame.line == wanted.line)
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

/* Now that the frame is there that they were inlined into. */
static int place_inlined(struct perf_reader *reader, struct slice module)
{
    size_t count = reader->inlined.count, first = reader->stack.count - count;
    for (size_t i = 0; i < count; i++) {
        struct slice symbol = string_table_get(&reader->profile->strings, reader->inlined.items[i]);
        struct string_index location = location_of(reader, symbol, module);
        if (!string_exists(location))
            return error_out_of_memory(reader->error);
        reader->stack.items[first + i].location = location;
    }
    reader->inlined.count = 0;
    return 0;
}

/* Puts it on the stack being read. */
static int push_frame(struct perf_reader *reader, const struct perf_frame_line *line)
{
    /* What perf prints where it has no symbol but, say, `(nil)`. */
    if (slice_starts_with(line->symbol, SLICE("(")))
        return 0;
    if (line->module.length > 0 && reader->inlined.count > 0 && place_inlined(reader, line->module))
        return reader->error->code;
    struct perf_frame frame = {location_of(reader, line->symbol, line->module), STRING_NONE, INDEX_NONE};
    if (!string_exists(frame.location) || (line->is_inlined && !vec_push(&reader->inlined, frame.location)) ||
        !vec_push(&reader->stack, frame))
        return error_out_of_memory(reader->error);
    return 0;
}

static struct string_index file_of(const struct perf_reader *reader, struct string_index location)
{
    return location.i < reader->file_of_string.count ? reader->file_of_string.items[location.i] : STRING_NONE;
}

/* Where the frame is that was read last. */
static int take_source_line(struct perf_reader *reader, const struct perf_source_line *source)
{
    struct perf_frame *frame = &reader->stack.items[reader->stack.count - 1];
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
    if (!string_exists(frame->file) || string_exists(file_of(reader, frame->location)))
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
        uint32_t frame = keep_file(reader, &reader->stack.items[i]) ? find_frame(thread, reader->stack.items[i]) : INDEX_NONE;
        if (frame != INDEX_NONE)
            sample.stack = stack_builder_add(&thread->stacks, sample.stack, frame);
        if (frame == INDEX_NONE || sample.stack == INDEX_NONE)
            return error_out_of_memory(reader->error);
    }
    return vec_push(&thread->samples, sample) ? 0 : error_out_of_memory(reader->error);
}

/* The lines of its frames, to the blank line after them. */
static int read_stack(struct perf_reader *reader)
{
    struct perf_frame_line frame;
    struct perf_source_line source;
    for (struct slice text; line_reader_next(&reader->lines, &text) && !perf_line_is_blank(text);) {
        if (reader->stack.count > 0 && text.text[0] == ' ' && perf_source_line_parse(text, &source)) {
            if (take_source_line(reader, &source))
                break;
        } else if (perf_frame_line_parse(text, &frame) && push_frame(reader, &frame)) {
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
    if (perf_flat_frame_parse(line->rest, &frame))
        push_frame(reader, &frame);
    else
        read_stack(reader);
    return reader->error->code == 0 ? add_sample(reader, line, name, event) : reader->error->code;
}

static int read_samples(struct perf_reader *reader)
{
    for (struct slice text; line_reader_next(&reader->lines, &text);) {
        struct perf_sample_line line;
        if (slice_starts_with(text, SLICE("#")) && !perf_events_add_header(&reader->events, &reader->profile->strings, text))
            return error_out_of_memory(reader->error);
        bool is_sample =
            !slice_starts_with(text, SLICE("#")) && !perf_line_is_record(text) && perf_sample_line_parse(text, &line);
        if (is_sample && read_sample(reader, &line))
            break;
    }
    if (reader->error->code == 0 && reader->threads.count == 0)
        error_set(reader->error, -EINVAL, "none of the %" PRIu64 " lines starts a sample that has frames",
                  reader->lines.number);
    return reader->error->code;
}

/* ---- the profile ---- */

static bool is_kernel(struct slice location)
{
    return memmem(location.text, location.length, "kallsyms", 8) || memmem(location.text, location.length, "/vmlinux)", 9) ||
           slice_ends_with(location, SLICE(".ko)"));
}

/* A function of which the file is known. */
static struct func_index add_func(struct profile *profile, struct string_index location, struct string_index file)
{
    struct location_parts parts = location_parse(profile_text(profile, location));
    struct source source = {STRING_NONE, file, 1, 1, STRING_NONE, STRING_NONE};
    bool is_native = parts.kind == LOCATION_NATIVE;
    struct func func = {
        .name = is_native ? string_table_add(&profile->strings, parts.name) : location,
        .resource = is_native ? location_library(profile, string_table_add(&profile->strings, parts.where)) : resource_none(),
        .source = source_table_add(&profile->sources, &source),
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
    bool ok = string_exists(func.name) && source_exists(func.source) && (!is_native || resource_exists(func.resource));
    return ok ? func_table_add(&profile->funcs, &func) : func_none();
}

static bool find_func(struct perf_reader *reader, struct string_index location, struct location_resolver *resolver,
                      struct located *located)
{
    if (!string_exists(file_of(reader, location)))
        return location_resolve(resolver, location, false, located);
    *located = (struct located){add_func(reader->profile, location, file_of(reader, location)), lib_none(), COLUMN_ABSENT};
    return func_exists(located->func);
}

static int append_frames(struct perf_reader *reader, const struct perf_thread *gathered, struct location_resolver *resolver)
{
    struct profile *profile = reader->profile;
    location_resolver_begin_thread(resolver);
    for (size_t i = 0; i < gathered->frames.count; i++) {
        struct string_index location = gathered->frames.items[i].location;
        struct located located;
        if (!find_func(reader, location, resolver, &located))
            return error_out_of_memory(reader->error);
        struct frame frame = {
            .address = located.address,
            .lib = located.lib,
            .category = is_kernel(profile_text(profile, location)) ? reader->kernel : reader->user,
            .subcategory = INDEX_NONE,
            .func = located.func,
            .native_symbol = native_symbol_none(),
            .implementation = STRING_NONE,
            .line = gathered->frames.items[i].line,
            .column = INDEX_NONE,
            .original_location = location_none(),
        };
        frame_table_append(&profile->frames, &frame);
    }
    return 0;
}

static int compare_samples(const void *a, const void *b)
{
    const struct perf_sample *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Halves go up. Adding a half first would be wrong for times of some weeks, which have no halves any more. */
static double whole_nanoseconds(double milliseconds)
{
    double nanoseconds = milliseconds * 1e6, whole = floor(nanoseconds);
    return nanoseconds - whole >= 0.5 ? whole + 1 : whole;
}

static void append_samples(struct perf_thread *gathered, size_t first_stack, struct sample_table *samples)
{
    qsort(gathered->samples.items, gathered->samples.count, sizeof *gathered->samples.items, compare_samples);
    double previous = 0;
    for (size_t i = 0; i < gathered->samples.count; i++) {
        struct perf_sample sample = gathered->samples.items[i];
        double nanoseconds = whole_nanoseconds(sample.time);
        column_append_index(&samples->stack, (uint32_t)first_stack + sample.stack);
        column_append_number(&samples->time, (nanoseconds - previous) / 1e6);
        previous = nanoseconds;
    }
    samples->time_is_deltas = true;
}

static struct string_index number_string(struct string_table *strings, uint64_t number)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%" PRIu64, number);
    return string_table_add(strings, (struct slice){text, (size_t)length});
}

/* That of its main thread, where that has samples of any event. */
static struct string_index process_name(struct perf_reader *reader, uint64_t pid)
{
    for (size_t i = 0; pid > 0 && i < reader->threads.count; i++)
        if (reader->threads.items[i].tid == pid && reader->threads.items[i].pid == pid)
            return reader->threads.items[i].name;
    return string_table_add(&reader->profile->strings, SLICE(""));
}

static int build_thread(struct perf_reader *reader, struct perf_thread *gathered, struct location_resolver *resolver)
{
    struct profile *profile = reader->profile;
    struct thread *thread = profile_add_thread(profile);
    if (!thread)
        return error_out_of_memory(reader->error);
    thread->name = gathered->name;
    thread->process_startup_time = thread->register_time = NAN;
    thread->is_main_thread = slice_is(profile_text(profile, gathered->name), "GeckoMain");
    thread->process_type = string_table_add(&profile->strings, SLICE("default"));
    thread->process_name = process_name(reader, gathered->pid);
    thread->pid = number_string(&profile->strings, gathered->pid);
    thread->tid = number_string(&profile->strings, gathered->tid);
    if (!string_exists(thread->process_type) || !string_exists(thread->process_name) || !string_exists(thread->pid) ||
        !string_exists(thread->tid))
        return error_out_of_memory(reader->error);
    size_t first_frame = frame_count(&profile->frames), first_stack = stack_count(&profile->stacks);
    if (first_stack + gathered->stacks.rows.count >= INDEX_NONE)
        return error_set(reader->error, -EOVERFLOW, "more than %u different stacks", INDEX_NONE);
    if (append_frames(reader, gathered, resolver))
        return reader->error->code;
    stack_builder_append_to(&gathered->stacks, (uint32_t)first_frame, &profile->stacks);
    append_samples(gathered, first_stack, &thread->samples);
    /* There may be thousands of threads with a few samples each: give their half-empty buffers back at once. */
    return sample_table_seal(&thread->samples) ? 0 : error_out_of_memory(reader->error);
}

static int build_profile(struct perf_reader *reader, const char *wanted)
{
    struct profile *profile = reader->profile;
    uint32_t event;
    if (perf_events_choose(&reader->events, &profile->strings, wanted, &event, reader->error))
        return reader->error->code;
    if (!perf_events_put_meta(&reader->events, event, reader->without_frames, profile))
        return error_out_of_memory(reader->error);
    profile->meta.symbolicated = true;
    profile->meta.product = string_table_add(&profile->strings, SLICE("perf"));
    if (!string_exists(profile->meta.product))
        return error_out_of_memory(reader->error);
    struct location_resolver resolver;
    location_resolver_init(&resolver, profile);
    for (size_t i = 0; i < reader->threads.count && reader->error->code == 0; i++)
        if (reader->threads.items[i].event == event)
            build_thread(reader, &reader->threads.items[i], &resolver);
    location_resolver_free(&resolver);
    return reader->error->code == 0 ? profile_finish(profile, reader->error) : reader->error->code;
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
    vec_free(&reader->stack);
    vec_free(&reader->inlined);
    vec_free(&reader->file_of_string);
    vec_free(&reader->location);
    line_reader_free(&reader->lines);
}

int perf_script_import_event(const char *event, struct byte_source *source, struct profile *profile, struct error *error)
{
    struct perf_reader reader = {.profile = profile, .error = error};
    line_reader_init(&reader.lines, source, error);
    reader.user = category_list_add(&profile->categories, &profile->strings, SLICE("User"), SLICE("yellow"));
    reader.kernel = category_list_add(&profile->categories, &profile->strings, SLICE("Kernel"), SLICE("orange"));
    if (!category_exists(reader.user) || !category_exists(reader.kernel))
        error_out_of_memory(error);
    if (error->code == 0 && !read_samples(&reader))
        build_profile(&reader, event);
    perf_reader_free(&reader);
    return error->code;
}

int perf_script_import(struct byte_source *source, struct profile *profile, struct error *error)
{
    return perf_script_import_event(NULL, source, profile, error);
}
