#include "support/profile_dump.h"

#include "common/byte_sink.h"
#include "common/json_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

struct dump {
    const struct profile *profile;
    struct json_writer *w;
};

static void text(struct dump *d, const char *key, struct string_index string)
{
    json_write_key(d->w, key);
    if (string_exists(string))
        json_write_string(d->w, profile_text(d->profile, string));
    else
        json_write_null(d->w);
}

static void number(struct dump *d, const char *key, double value)
{
    json_write_key(d->w, key);
    json_write_number(d->w, value);
}

static void row_of(struct dump *d, const char *key, uint32_t row)
{
    json_write_key(d->w, key);
    if (row == INDEX_NONE)
        json_write_null(d->w);
    else
        json_write_integer(d->w, row);
}

static void packed(struct dump *d, const char *key, const struct value_bytes *value)
{
    json_write_key(d->w, key);
    if (value->bytes.count > 0)
        value_to_json(value->bytes.items, &d->profile->strings, d->w);
    else
        json_write_null(d->w);
}

static void begin(struct dump *d, const char *key)
{
    json_write_key(d->w, key);
    json_write_begin_array(d->w);
}

static void column(struct dump *d, const char *key, const struct column *column)
{
    begin(d, key);
    for (size_t i = 0; i < column_count(column); i++) {
        if (column->kind == COLUMN_NUMBERS)
            json_write_number(d->w, column_get_number(column, i));
        else if (column_get(column, i) == COLUMN_ABSENT)
            json_write_null(d->w);
        else
            json_write_integer(d->w, column_get(column, i));
    }
    json_write_end_array(d->w);
}

static void texts(struct dump *d, const char *key, const struct column *column)
{
    begin(d, key);
    for (size_t i = 0; i < column_count(column); i++) {
        struct string_index string = string_at(column_get_index(column, i));
        if (string_exists(string))
            json_write_string(d->w, profile_text(d->profile, string));
        else
            json_write_null(d->w);
    }
    json_write_end_array(d->w);
}

static void dump_meta(struct dump *d)
{
    const struct meta *meta = &d->profile->meta;
    number(d, "interval", meta->interval);
    number(d, "start time", meta->start_time);
    number(d, "profiling start", meta->profiling_start_time);
    number(d, "profiling end", meta->profiling_end_time);
    text(d, "product", meta->product);
    row_of(d, "symbolicated", meta->symbolicated);
    row_of(d, "cpu unit", meta->cpu_unit);
    packed(d, "meta", &meta->whole);
    begin(d, "categories");
    for (size_t i = 0; i < d->profile->categories.rows.count; i++) {
        const struct category *category = &d->profile->categories.rows.items[i];
        json_write_begin_object(d->w);
        text(d, "name", category->name);
        text(d, "color", category->color);
        for (size_t s = 0; s < category->subcategories.count; s++)
            text(d, "subcategory", category->subcategories.items[s]);
        json_write_end_object(d->w);
    }
    json_write_end_array(d->w);
    begin(d, "schemas");
    for (size_t i = 0; i < d->profile->schemas.rows.count; i++)
        value_to_json(d->profile->schemas.rows.items[i].whole.bytes.items, &d->profile->strings, d->w);
    json_write_end_array(d->w);
}

static void dump_small_tables(struct dump *d)
{
    const struct profile *profile = d->profile;
    begin(d, "libs");
    for (size_t i = 0; i < profile->libs.rows.count; i++) {
        const struct lib *lib = &profile->libs.rows.items[i];
        json_write_begin_object(d->w);
        text(d, "name", lib->name);
        text(d, "path", lib->path);
        text(d, "debug name", lib->debug_name);
        text(d, "debug path", lib->debug_path);
        text(d, "breakpad id", lib->breakpad_id);
        text(d, "code id", lib->code_id);
        text(d, "arch", lib->arch);
        json_write_end_object(d->w);
    }
    json_write_end_array(d->w);
    begin(d, "resources");
    for (size_t i = 0; i < profile->resources.rows.count; i++) {
        const struct resource *resource = &profile->resources.rows.items[i];
        json_write_begin_object(d->w);
        text(d, "name", resource->name);
        text(d, "host", resource->host);
        row_of(d, "type", resource->type);
        json_write_end_object(d->w);
    }
    json_write_end_array(d->w);
    begin(d, "sources");
    for (size_t i = 0; i < profile->sources.rows.count; i++) {
        const struct source *source = &profile->sources.rows.items[i];
        json_write_begin_object(d->w);
        text(d, "id", source->id);
        text(d, "filename", source->filename);
        row_of(d, "line", source->start_line);
        row_of(d, "column", source->start_column);
        text(d, "map", source->source_map_url);
        text(d, "content", source->content);
        json_write_end_object(d->w);
    }
    json_write_end_array(d->w);
    begin(d, "locations");
    for (size_t i = 0; i < profile->locations.rows.count; i++) {
        const struct location *location = &profile->locations.rows.items[i];
        json_write_begin_object(d->w);
        row_of(d, "source", location->source.i);
        row_of(d, "line", location->line);
        row_of(d, "column", location->column);
        json_write_end_object(d->w);
    }
    json_write_end_array(d->w);
}

static void dump_columns(struct dump *d, unsigned omissions)
{
    const struct profile *profile = d->profile;
    column(d, "symbol lib", &profile->native_symbols.lib);
    column(d, "symbol address", &profile->native_symbols.address);
    texts(d, "symbol name", &profile->native_symbols.name);
    column(d, "symbol size", &profile->native_symbols.size);
    texts(d, "func name", &profile->funcs.name);
    column(d, "func flags", &profile->funcs.flags);
    column(d, "func resource", &profile->funcs.resource);
    column(d, "func source", &profile->funcs.source);
    column(d, "func line", &profile->funcs.line);
    column(d, "func column", &profile->funcs.column);
    column(d, "func original location", &profile->funcs.original_location);
    column(d, "frame address", &profile->frames.address);
    column(d, "frame lib", &profile->frames.lib);
    column(d, "frame inline depth", &profile->frames.inline_depth);
    column(d, "frame category", &profile->frames.category);
    column(d, "frame subcategory", &profile->frames.subcategory);
    column(d, "frame func", &profile->frames.func);
    column(d, "frame native symbol", &profile->frames.native_symbol);
    if (!(omissions & DUMP_NO_IMPLEMENTATION))
        texts(d, "frame implementation", &profile->frames.implementation);
    column(d, "frame window", &profile->frames.inner_window_id);
    column(d, "frame line", &profile->frames.line);
    column(d, "frame column", &profile->frames.column);
    column(d, "frame original location", &profile->frames.original_location);
    column(d, "stack up", &profile->stacks.up);
    column(d, "stack frame", &profile->stacks.frame);
}

static void dump_markers(struct dump *d, const struct marker_table *markers)
{
    begin(d, "markers");
    for (size_t i = 0; i < marker_count(markers); i++) {
        struct raw_marker marker = marker_table_get(markers, marker_at(i));
        json_write_begin_object(d->w);
        text(d, "name", marker.name);
        number(d, "start", marker.start);
        number(d, "end", marker.end);
        row_of(d, "phase", marker.phase);
        row_of(d, "category", marker.category.i);
        row_of(d, "cause stack", marker.cause_stack.i);
        number(d, "cause time", marker.cause_time);
        text(d, "cause tid", marker.cause_tid);
        text(d, "thread id", marker.thread_id);
        json_write_key(d->w, "data");
        if (marker.data)
            value_to_json(marker.data, &d->profile->strings, d->w);
        else
            json_write_null(d->w);
        json_write_end_object(d->w);
    }
    json_write_end_array(d->w);
}

static void dump_allocations(struct dump *d, const char *key, const struct allocation_table *table)
{
    json_write_key(d->w, key);
    json_write_begin_object(d->w);
    row_of(d, "present", table->present);
    column(d, "stack", &table->stack);
    column(d, "time", &table->time);
    column(d, "weight", &table->weight);
    column(d, "memory address", &table->memory_address);
    column(d, "thread id", &table->thread_id);
    column(d, "size", &table->size);
    texts(d, "class", &table->class_name);
    texts(d, "type", &table->type_name);
    texts(d, "coarse type", &table->coarse_type);
    column(d, "in nursery", &table->in_nursery);
    json_write_end_object(d->w);
}

static void dump_thread(struct dump *d, const struct thread *thread)
{
    const struct sample_table *samples = &thread->samples;
    json_write_begin_object(d->w);
    text(d, "name", thread->name);
    text(d, "process type", thread->process_type);
    text(d, "process name", thread->process_name);
    text(d, "pid", thread->pid);
    text(d, "tid", thread->tid);
    row_of(d, "tid is text", thread->tid_is_text);
    row_of(d, "is main thread", thread->is_main_thread);
    number(d, "process startup", thread->process_startup_time);
    number(d, "process shutdown", thread->process_shutdown_time);
    number(d, "register", thread->register_time);
    number(d, "unregister", thread->unregister_time);
    column(d, "sample stack", &samples->stack);
    column(d, samples->time_is_deltas ? "sample deltas" : "sample time", &samples->time);
    column(d, "sample weight", &samples->weight);
    column(d, "sample cpu", &samples->cpu_delta);
    column(d, samples->event_delay_is_responsiveness ? "responsiveness" : "event delay", &samples->event_delay);
    column(d, "sample arguments", &samples->argument_values);
    row_of(d, "weight type", samples->weight_type);
    dump_markers(d, &thread->markers);
    dump_allocations(d, "js allocations", &thread->js_allocations);
    dump_allocations(d, "native allocations", &thread->native_allocations);
    packed(d, "other", &thread->other);
    json_write_end_object(d->w);
}

static void dump_counters(struct dump *d, unsigned omissions)
{
    begin(d, "counters");
    for (size_t i = 0; i < d->profile->counters.rows.count; i++) {
        const struct counter *counter = &d->profile->counters.rows.items[i];
        json_write_begin_object(d->w);
        text(d, "name", counter->name);
        text(d, "category", counter->category);
        text(d, "description", counter->description);
        text(d, "pid", counter->pid);
        row_of(d, "main thread", counter->main_thread.i);
        column(d, counter->time_is_deltas ? "deltas" : "time", &counter->time);
        column(d, "count", &counter->count);
        column(d, "number", &counter->number);
        if (!(omissions & DUMP_NO_DISPLAY))
            packed(d, "display", &counter->display);
        json_write_end_object(d->w);
    }
    json_write_end_array(d->w);
}

static void dump_profile(struct dump *d, unsigned omissions)
{
    json_write_begin_object(d->w);
    dump_meta(d);
    dump_small_tables(d);
    dump_columns(d, omissions);
    begin(d, "threads");
    for (size_t i = 0; i < d->profile->threads.count; i++)
        dump_thread(d, &d->profile->threads.items[i]);
    json_write_end_array(d->w);
    dump_counters(d, omissions);
    packed(d, "pages", &d->profile->pages);
    packed(d, "other", &d->profile->other);
    json_write_end_object(d->w);
}

char *profile_dump(const struct profile *profile, unsigned omissions)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_non_null(sink);
    struct dump dump = {profile, json_writer_open(sink, 1, &error)};
    assert_non_null(dump.w);
    dump_profile(&dump, omissions);
    assert_int_equal(json_writer_close(dump.w), 0);
    struct slice bytes = byte_sink_memory_bytes(sink);
    char *copy = memory_array(bytes.length + 1, 1);
    assert_non_null(copy);
    memcpy(copy, bytes.text, bytes.length);
    copy[bytes.length] = '\0';
    byte_sink_close(sink, false, &error);
    return copy;
}

/* The line that `at` is in, and one before it. */
static void print_around(const char *what, const char *start, const char *at)
{
    for (int lines = 0; at > start && lines < 2; at--)
        lines += at[-1] == '\n';
    print_error("%s: …%.300s…\n", what, at);
}

void assert_same_dump(const char *actual, const char *expected)
{
    size_t i = 0;
    while (actual[i] == expected[i] && actual[i] != '\0')
        i++;
    if (actual[i] == expected[i])
        return;
    print_around("expected", expected, expected + i);
    print_around("actual", actual, actual + i);
    fail_msg("the profiles differ");
}

void assert_same_tables(const struct profile *actual, const struct profile *expected, unsigned omissions)
{
    char *actual_text = profile_dump(actual, omissions), *expected_text = profile_dump(expected, omissions);
    assert_same_dump(actual_text, expected_text);
    memory_release(actual_text);
    memory_release(expected_text);
}
