#include "import/perf_reader.h"

#include "import/location.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    if (!string_exists(perf_reader_file(reader, location)))
        return location_resolve(resolver, location, false, located);
    *located =
        (struct located){add_func(reader->profile, location, perf_reader_file(reader, location)), lib_none(), COLUMN_ABSENT};
    return func_exists(located->func);
}

/* The symbol of a module that begins at an address; of two names the first. False when the heap is empty. */
static bool find_symbol(struct perf_reader *reader, const struct perf_frame *frame, struct lib_index lib,
                        struct native_symbol_index *symbol)
{
    struct profile *profile = reader->profile;
    uint64_t hash = hash_combine(lib.i, frame->symbol);
    uint32_t row;
    for (struct map_probe probe = map_probe(&reader->symbol_rows, hash); map_probe_next(&probe, &row);) {
        *symbol = native_symbol_at(row);
        struct native_symbol known = native_symbol_get(&profile->native_symbols, *symbol);
        if (lib_same(known.lib, lib) && known.address == frame->symbol)
            return true;
    }
    struct location_parts parts = location_parse(profile_text(profile, frame->symbol_location));
    struct native_symbol added = {lib, frame->symbol, string_table_add(&profile->strings, parts.name), COLUMN_ABSENT};
    *symbol = native_symbol_append(&profile->native_symbols, &added);
    return string_exists(added.name) && map_insert(&reader->symbol_rows, hash, symbol->i);
}

/* What is known of its place in a file. False when the heap is empty. */
static bool describe_place(struct perf_reader *reader, const struct perf_frame *gathered, struct frame *frame)
{
    if (gathered->module == INDEX_NONE)
        return true;
    frame->lib = perf_maps_lib(&reader->maps, reader->profile, gathered->module);
    frame->address = (int64_t)gathered->address;
    frame->inline_depth = gathered->inline_depth;
    return lib_exists(frame->lib) &&
           (gathered->symbol == UINT64_MAX || find_symbol(reader, gathered, frame->lib, &frame->native_symbol));
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
        if (!describe_place(reader, &gathered->frames.items[i], &frame))
            return error_out_of_memory(reader->error);
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

int perf_reader_build(struct perf_reader *reader, const char *wanted)
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
