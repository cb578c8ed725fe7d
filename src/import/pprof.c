#include "import/pprof.h"

#include "common/text_buffer.h"
#include "import/file_lib.h"
#include "import/location.h"
#include "import/own_meta.h"
#include "import/pprof_file.h"
#include "import/pprof_labels.h"
#include "import/stack_builder.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* What a unit means: its factor makes it milliseconds, bytes or a number. */
struct unit {
    enum weight_type type;
    double factor;
};

/* The frames of a location stand one after the other, outermost first. */
struct location_frames {
    uint32_t first, count; /* none until a sample has it */
};

struct pprof_thread {
    struct pprof_origin origin;
    double end; /* of its last row, ms */
};

struct pprof_reader {
    struct profile *profile;
    struct pprof_file file;
    struct pprof_sample sample;
    VEC(struct lib_index) libs;         /* by mapping */
    VEC(struct location_frames) frames; /* by location */
    VEC(double) totals;                 /* by type */
    VEC(struct pprof_thread) threads;   /* those of the profile */
    struct map thread_rows;
    struct stack_builder stacks;
    struct pprof_other_labels other_labels;
    struct category_index user, kernel;
    size_t type; /* the one that is read */
    struct unit unit;
    struct error *error;
};

static struct slice text_of(const struct pprof_reader *reader, uint32_t text)
{
    return reader->file.texts.items[text];
}

/* ---- types ---- */

static struct unit unit_of(struct slice name)
{
    static const struct {
        struct slice name;
        struct unit unit;
    } units[] = {
        {{"nanoseconds", 11}, {WEIGHT_TRACING_MS, 1e-6}},
        {{"ns", 2}, {WEIGHT_TRACING_MS, 1e-6}},
        {{"microseconds", 12}, {WEIGHT_TRACING_MS, 1e-3}},
        {{"us", 2}, {WEIGHT_TRACING_MS, 1e-3}},
        {{"milliseconds", 12}, {WEIGHT_TRACING_MS, 1}},
        {{"ms", 2}, {WEIGHT_TRACING_MS, 1}},
        {{"seconds", 7}, {WEIGHT_TRACING_MS, 1e3}},
        {{"s", 1}, {WEIGHT_TRACING_MS, 1e3}},
        {{"bytes", 5}, {WEIGHT_BYTES, 1}},
        {{"byte", 4}, {WEIGHT_BYTES, 1}},
        {{"kilobytes", 9}, {WEIGHT_BYTES, 1 << 10}},
        {{"megabytes", 9}, {WEIGHT_BYTES, 1 << 20}},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (slice_equal(name, units[i].name))
            return units[i].unit;
    return (struct unit){WEIGHT_SAMPLES, 1};
}

/* `cpu/nanoseconds`; to be freed. */
static struct text_buffer type_name(const struct pprof_reader *reader, size_t type)
{
    struct text_buffer name = {0};
    text_add(&name, text_of(reader, reader->file.types.items[type].name));
    text_add(&name, SLICE("/"));
    text_add(&name, text_of(reader, reader->file.types.items[type].unit));
    return name;
}

static bool type_is_called(const struct pprof_reader *reader, size_t type, const char *wanted)
{
    struct text_buffer whole = type_name(reader, type);
    bool is = slice_equal(text_of(reader, reader->file.types.items[type].name), slice_of(wanted)) ||
              slice_equal(text_slice(&whole), slice_of(wanted));
    text_free(&whole);
    return is;
}

static int refuse_type(const struct pprof_reader *reader, const char *wanted)
{
    struct text_buffer there = {0};
    for (size_t i = 0; i < reader->file.types.count; i++) {
        struct text_buffer name = type_name(reader, i);
        text_add(&there, i > 0 ? SLICE(", ") : SLICE(""));
        text_add(&there, text_slice(&name));
        text_free(&name);
    }
    struct slice text = text_slice(&there);
    int failed = there.failed ? error_out_of_memory(reader->error)
                              : error_set(reader->error, -EINVAL, "no samples of a type '%s': there are %.*s", wanted,
                                          (int)text.length, text.text);
    text_free(&there);
    return failed;
}

static int choose_type(struct pprof_reader *reader, const char *wanted)
{
    const struct pprof_file *file = &reader->file;
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < file->types.count && found == SIZE_MAX; i++)
        if (wanted ? type_is_called(reader, i, wanted)
                   : file->default_type != 0 && file->types.items[i].name == file->default_type)
            found = i;
    if (found == SIZE_MAX && wanted)
        return refuse_type(reader, wanted);
    reader->type = found == SIZE_MAX ? file->types.count - 1 : found;
    struct pprof_type type = file->types.items[reader->type];
    reader->unit = unit_of(text_of(reader, type.unit));
    return 0;
}

/* ---- modules and frames ---- */

/* Build ids are texts of hexadecimal digits, as code ids are. */
static int add_libs(struct pprof_reader *reader)
{
    for (size_t i = 0; i < reader->file.mappings.count; i++) {
        struct pprof_mapping mapping = reader->file.mappings.items[i];
        struct slice path = text_of(reader, mapping.file);
        struct lib_index row = lib_none();
        struct lib lib;
        if (path.length > 0 && file_lib_describe(reader->profile, path, text_of(reader, mapping.build_id), &lib))
            row = lib_table_add(&reader->profile->libs, &lib);
        if ((path.length > 0 && !lib_exists(row)) || !vec_push(&reader->libs, row))
            return error_out_of_memory(reader->error);
    }
    return 0;
}

static bool is_kernel(struct slice path)
{
    return slice_starts_with(path, SLICE("[kernel")) || slice_starts_with(path, SLICE("[guest.kernel")) ||
           slice_ends_with(path, SLICE(".ko")) || slice_ends_with(path, SLICE("/vmlinux"));
}

static uint32_t line_number(int64_t number)
{
    return number > 0 && number < INDEX_NONE ? (uint32_t)number : INDEX_NONE;
}

/* The library of a location, its address in it, and what is the same for all of its frames. */
static bool begin_frame(struct pprof_reader *reader, const struct pprof_location *location, struct frame *frame,
                        struct func *func)
{
    struct profile *profile = reader->profile;
    *func = (struct func){
        .resource = resource_none(),
        .source = source_none(),
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
    *frame = (struct frame){
        .address = COLUMN_ABSENT,
        .lib = lib_none(),
        .category = reader->user,
        .subcategory = INDEX_NONE,
        .native_symbol = native_symbol_none(),
        .implementation = STRING_NONE,
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
    if (location->mapping == INDEX_NONE || !lib_exists(reader->libs.items[location->mapping]))
        return true;
    const struct pprof_mapping *mapping = &reader->file.mappings.items[location->mapping];
    frame->lib = reader->libs.items[location->mapping];
    if (location->address > 0 && location->address >= mapping->start &&
        location->address - mapping->start + mapping->offset <= INT64_MAX)
        frame->address = (int64_t)(location->address - mapping->start + mapping->offset);
    if (is_kernel(text_of(reader, mapping->file)))
        frame->category = reader->kernel;
    func->resource = location_library(profile, profile->libs.rows.items[frame->lib.i].name);
    return resource_exists(func->resource);
}

static bool append_frame(struct pprof_reader *reader, struct frame *frame, const struct func *func)
{
    frame->func = func_table_add(&reader->profile->funcs, func);
    if (func_exists(frame->func))
        frame_table_append(&reader->profile->frames, frame);
    return func_exists(frame->func);
}

static bool describe_function(struct pprof_reader *reader, const struct pprof_function *function, struct func *func)
{
    struct profile *profile = reader->profile;
    uint32_t name = text_of(reader, function->name).length > 0 ? function->name : function->system_name;
    func->name = string_table_add(&profile->strings, text_of(reader, name));
    func->line = line_number(function->start_line);
    func->source = source_none();
    if (!string_exists(func->name))
        return false;
    if (text_of(reader, function->file).length == 0)
        return true;
    struct source source = {
        STRING_NONE, string_table_add(&profile->strings, text_of(reader, function->file)), 1, 1, STRING_NONE, STRING_NONE,
    };
    func->source = string_exists(source.filename) ? source_table_add(&profile->sources, &source) : source_none();
    return source_exists(func->source);
}

/* What has no symbols is called by its address. */
static bool append_address(struct pprof_reader *reader, const struct pprof_location *location, struct frame *frame,
                           struct func *func)
{
    char text[24];
    uint64_t address = frame->address == COLUMN_ABSENT ? location->address : (uint64_t)frame->address;
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    func->name = string_table_add(&reader->profile->strings, slice_of(text));
    return string_exists(func->name) && append_frame(reader, frame, func);
}

static bool append_location(struct pprof_reader *reader, const struct pprof_location *location)
{
    struct frame frame;
    struct func func;
    if (!begin_frame(reader, location, &frame, &func))
        return false;
    if (location->line_count == 0)
        return append_address(reader, location, &frame, &func);
    for (uint32_t depth = 0; depth < location->line_count; depth++) {
        const struct pprof_line *line = &reader->file.lines.items[location->first_line + location->line_count - 1 - depth];
        if (!describe_function(reader, &reader->file.functions.items[line->function], &func))
            return false;
        frame.inline_depth = depth;
        frame.line = line_number(line->line);
        frame.column = line_number(line->column);
        if (!append_frame(reader, &frame, &func))
            return false;
    }
    return true;
}

static bool find_frames(struct pprof_reader *reader, uint32_t location, struct location_frames *frames)
{
    struct location_frames *known = &reader->frames.items[location];
    if (known->count == 0) {
        size_t first = frame_count(&reader->profile->frames);
        if (!append_location(reader, &reader->file.locations.items[location]))
            return false;
        *known = (struct location_frames){(uint32_t)first, (uint32_t)(frame_count(&reader->profile->frames) - first)};
    }
    *frames = *known;
    return true;
}

/* ---- samples ---- */

static bool same_origin(const struct pprof_origin *a, const struct pprof_origin *b)
{
    return string_same(a->process, b->process) && string_same(a->pid, b->pid) && string_same(a->thread, b->thread) &&
           string_same(a->tid, b->tid);
}

/* The program, as far as it is known: its mapping comes first. */
static struct string_index program_name(struct pprof_reader *reader)
{
    struct slice name = SLICE("");
    if (reader->file.mappings.count > 0)
        name = file_lib_name(text_of(reader, reader->file.mappings.items[0].file));
    return string_table_add(&reader->profile->strings, name.length > 0 ? name : SLICE("Program"));
}

static uint32_t add_thread(struct pprof_reader *reader, const struct pprof_origin *origin)
{
    struct string_table *strings = &reader->profile->strings;
    struct thread *thread = profile_add_thread(reader->profile);
    struct pprof_thread row = {*origin, 0};
    if (!thread || !vec_push(&reader->threads, row))
        return INDEX_NONE;
    struct string_index zero = string_table_add(strings, SLICE("0"));
    thread->process_name = string_exists(origin->process) ? origin->process : program_name(reader);
    thread->name = string_exists(origin->thread) ? origin->thread : thread->process_name;
    thread->pid = string_exists(origin->pid) ? origin->pid : zero;
    thread->tid = string_exists(origin->tid) ? origin->tid : zero;
    thread->process_type = string_table_add(strings, SLICE("default"));
    thread->process_startup_time = thread->register_time = NAN;
    thread->samples.weight_type = reader->unit.type;
    bool ok = string_exists(zero) && string_exists(thread->process_name) && string_exists(thread->process_type);
    return ok ? (uint32_t)reader->threads.count - 1 : INDEX_NONE;
}

static uint32_t find_thread(struct pprof_reader *reader, const struct pprof_origin *origin)
{
    uint64_t hash = hash_combine(hash_combine(origin->process.i, origin->pid.i), hash_combine(origin->thread.i, origin->tid.i));
    uint32_t row;
    for (struct map_probe probe = map_probe(&reader->thread_rows, hash); map_probe_next(&probe, &row);)
        if (same_origin(&reader->threads.items[row].origin, origin))
            return row;
    row = add_thread(reader, origin);
    return row != INDEX_NONE && map_insert(&reader->thread_rows, hash, row) ? row : INDEX_NONE;
}

/* INDEX_NONE for a sample without locations. False when the heap is empty. */
static bool find_stack(struct pprof_reader *reader, uint32_t *stack)
{
    *stack = INDEX_NONE;
    for (size_t i = reader->sample.locations.count; i-- > 0;) {
        struct location_frames frames;
        if (!find_frames(reader, reader->sample.locations.items[i], &frames))
            return false;
        for (uint32_t k = 0; k < frames.count; k++)
            if ((*stack = stack_builder_add(&reader->stacks, *stack, frames.first + k)) == INDEX_NONE)
                return false;
    }
    return true;
}

/* Rows stand for what comes after them. */
static void append_row(struct pprof_reader *reader, uint32_t thread, uint32_t stack, double weight)
{
    struct sample_table *samples = &reader->profile->threads.items[thread].samples;
    double *end = &reader->threads.items[thread].end;
    column_append_index(&samples->stack, stack);
    column_append_number(&samples->time, *end);
    column_append_number(&samples->weight, weight);
    *end += reader->unit.type == WEIGHT_BYTES ? 1 : fabs(weight);
}

static int read_sample(struct pprof_reader *reader, size_t row)
{
    struct pprof_origin origin;
    uint32_t thread, stack;
    if (pprof_file_sample(&reader->file, row, &reader->sample, reader->error))
        return reader->error->code;
    for (size_t i = 0; i < reader->sample.values.count; i++)
        reader->totals.items[i] += (double)reader->sample.values.items[i];
    int64_t value = reader->sample.values.items[reader->type];
    if (value == 0)
        return 0;
    if (!pprof_read_labels(&reader->file, &reader->sample, &reader->profile->strings, &origin, &reader->other_labels) ||
        (thread = find_thread(reader, &origin)) == INDEX_NONE || !find_stack(reader, &stack))
        return error_out_of_memory(reader->error);
    append_row(reader, thread, stack, (double)value * reader->unit.factor);
    return 0;
}

/* ---- the profile ---- */

static bool put_types(struct pprof_reader *reader, struct value_bytes *meta)
{
    bool ok = own_meta_put_key(reader->profile, "event");
    struct string_index names[2];
    for (size_t round = 0; ok && round < 2; round++) {
        size_t count = round == 0 ? 1 : reader->file.types.count;
        if (round == 1)
            ok = own_meta_put_key(reader->profile, "events") && value_put_object(meta, (uint32_t)count);
        for (size_t i = 0; ok && i < count; i++) {
            struct text_buffer name = type_name(reader, round == 0 ? reader->type : i);
            names[round] = name.failed ? STRING_NONE : string_table_add(&reader->profile->strings, text_slice(&name));
            text_free(&name);
            ok = string_exists(names[round]);
            if (ok && round == 0)
                ok = value_put_string(meta, names[round]);
            else if (ok)
                ok = value_put_key(meta, names[round]) && value_put_number(meta, reader->totals.items[i]);
        }
    }
    return ok;
}

static bool put_notes(struct pprof_reader *reader)
{
    const char *notes[3] = {"pprof profiles do not say when: stacks stand one after the other"};
    uint32_t count = 1;
    char duration[80];
    snprintf(duration, sizeof duration, "the recording took %.3f s", (double)reader->file.duration_ns / 1e9);
    if (reader->file.duration_ns > 0)
        notes[count++] = duration;
    struct text_buffer labels = {0};
    text_add(&labels, SLICE("labels are left out: "));
    for (size_t i = 0; i < reader->other_labels.keys.count; i++) {
        text_add(&labels, i > 0 ? SLICE(", ") : SLICE(""));
        text_add(&labels, text_of(reader, reader->other_labels.keys.items[i]));
    }
    text_add(&labels, (struct slice){"", 1});
    if (reader->other_labels.keys.count > 0)
        notes[count++] = text_slice(&labels).text;
    bool ok = !labels.failed && own_meta_put_notes(reader->profile, notes, count);
    text_free(&labels);
    return ok;
}

static bool put_meta(struct pprof_reader *reader)
{
    struct profile *profile = reader->profile;
    const struct pprof_file *file = &reader->file;
    struct unit period = unit_of(text_of(reader, file->period_type.unit));
    double end = (double)file->duration_ns / 1e6;
    for (size_t i = 0; i < reader->threads.count; i++)
        end = fmax(end, reader->threads.items[i].end);
    if (file->period > 0 && period.type == WEIGHT_TRACING_MS)
        profile->meta.interval = (double)file->period * period.factor;
    profile->meta.start_time = (double)file->time_ns / 1e6;
    profile->meta.profiling_start_time = 0;
    profile->meta.profiling_end_time = end;
    profile->meta.symbolicated = file->locations.count == 0 || file->lines.count > 0;
    profile->meta.product = string_table_add(&profile->strings, SLICE("pprof"));
    return string_exists(profile->meta.product) && own_meta_begin(profile, 3) && put_types(reader, &profile->meta.whole) &&
           put_notes(reader);
}

static int build_profile(struct pprof_reader *reader)
{
    struct profile *profile = reader->profile;
    static const struct pprof_origin nobody = {{INDEX_NONE}, {INDEX_NONE}, {INDEX_NONE}, {INDEX_NONE}};
    if (reader->threads.count == 0 && find_thread(reader, &nobody) == INDEX_NONE)
        return error_out_of_memory(reader->error);
    if (!put_meta(reader))
        return error_out_of_memory(reader->error);
    stack_builder_append_to(&reader->stacks, 0, &profile->stacks);
    return profile_finish(profile, reader->error);
}

static int read_samples(struct pprof_reader *reader)
{
    for (size_t i = 0; i < reader->file.types.count; i++)
        if (!vec_push(&reader->totals, 0))
            return error_out_of_memory(reader->error);
    for (size_t i = 0; i < reader->file.locations.count; i++)
        if (!vec_push(&reader->frames, (struct location_frames){0}))
            return error_out_of_memory(reader->error);
    for (size_t i = 0; i < reader->file.samples.count; i++)
        if (read_sample(reader, i))
            return reader->error->code;
    return 0;
}

static void pprof_reader_free(struct pprof_reader *reader)
{
    pprof_file_free(&reader->file);
    pprof_sample_free(&reader->sample);
    vec_free(&reader->libs);
    vec_free(&reader->frames);
    vec_free(&reader->totals);
    vec_free(&reader->threads);
    map_free(&reader->thread_rows);
    stack_builder_free(&reader->stacks);
    vec_free(&reader->other_labels.keys);
}

int pprof_import_event(const char *type, struct byte_source *source, struct profile *profile, struct error *error)
{
    struct pprof_reader reader = {.profile = profile, .error = error};
    reader.user = category_list_add(&profile->categories, &profile->strings, SLICE("User"), SLICE("yellow"));
    reader.kernel = category_list_add(&profile->categories, &profile->strings, SLICE("Kernel"), SLICE("orange"));
    if (!category_exists(reader.user) || !category_exists(reader.kernel))
        error_out_of_memory(error);
    if (error->code == 0 && !pprof_file_read(&reader.file, source, error) && !choose_type(&reader, type) &&
        !add_libs(&reader) && !read_samples(&reader))
        build_profile(&reader);
    pprof_reader_free(&reader);
    return error->code;
}

int pprof_import(struct byte_source *source, struct profile *profile, struct error *error)
{
    return pprof_import_event(NULL, source, profile, error);
}
