#include "support/same_profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct pair {
    const struct profile *actual, *expected;
};

static void assert_same_count(size_t actual, size_t expected, const char *what)
{
    if (actual != expected)
        fail_msg("%s: %zu rows instead of %zu", what, actual, expected);
}

static bool same_text(const struct pair *pair, struct string_index actual, struct string_index expected)
{
    return string_exists(actual) == string_exists(expected) &&
           slice_equal(profile_text(pair->actual, actual), profile_text(pair->expected, expected));
}

static void assert_same_text(const struct pair *pair, struct string_index actual, struct string_index expected,
                             const char *what, size_t row)
{
    if (same_text(pair, actual, expected))
        return;
    struct slice a = profile_text(pair->actual, actual), b = profile_text(pair->expected, expected);
    fail_msg("%s, row %zu: '%.*s'%s instead of '%.*s'%s", what, row, (int)a.length, a.text,
             string_exists(actual) ? "" : " (none)", (int)b.length, b.text, string_exists(expected) ? "" : " (none)");
}

static void assert_same_integers(const struct column *actual, const struct column *expected, const char *what)
{
    assert_same_count(column_count(actual), column_count(expected), what);
    for (size_t i = 0; i < column_count(actual); i++)
        if (column_get(actual, i) != column_get(expected, i))
            fail_msg("%s, row %zu: %lld instead of %lld", what, i, (long long)column_get(actual, i),
                     (long long)column_get(expected, i));
}

static void assert_same_strings(const struct pair *pair, const struct column *actual, const struct column *expected,
                                const char *what)
{
    assert_same_count(column_count(actual), column_count(expected), what);
    for (size_t i = 0; i < column_count(actual); i++)
        assert_same_text(pair, string_at(column_get_index(actual, i)), string_at(column_get_index(expected, i)), what, i);
}

static void assert_same_number(double actual, double expected, const char *what, size_t row)
{
    if (actual != expected && !(isnan(actual) && isnan(expected)))
        fail_msg("%s, row %zu: %.17g instead of %.17g", what, row, actual, expected);
}

static void assert_same_numbers(const struct column *actual, const struct column *expected, const char *what)
{
    assert_same_count(column_count(actual), column_count(expected), what);
    for (size_t i = 0; i < column_count(actual); i++)
        assert_same_number(column_get_number(actual, i), column_get_number(expected, i), what, i);
}

/* ---- packed values ---- */

static const uint8_t *find_by_text(const struct profile *profile, const uint8_t *object, struct slice key)
{
    return value_find(object, string_table_find(&profile->strings, key));
}

static bool same_object(const struct profile *a, struct value object, const struct profile *b, const uint8_t *other)
{
    const uint8_t *at = object.rest;
    for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
        struct slice key = profile_text(a, value_read_key(&at));
        const uint8_t *found = find_by_text(b, other, key);
        if (!found || !same_value(a, at, b, found))
            return false;
    }
    return true;
}

static bool same_array(const struct profile *a, struct value x, const struct profile *b, struct value y)
{
    const uint8_t *at_a = x.rest, *at_b = y.rest;
    for (uint32_t i = 0; i < x.count; i++, at_a = value_skip(at_a), at_b = value_skip(at_b))
        if (!same_value(a, at_a, b, at_b))
            return false;
    return true;
}

bool same_value(const struct profile *a, const uint8_t *at_a, const struct profile *b, const uint8_t *at_b)
{
    struct value x = value_read(at_a), y = value_read(at_b);
    if (x.kind != y.kind)
        return false;
    switch (x.kind) {
    case VALUE_INTEGER:
        return x.integer == y.integer;
    case VALUE_NUMBER:
        return x.number == y.number;
    case VALUE_STRING:
        return slice_equal(profile_text(a, x.string), profile_text(b, y.string));
    case VALUE_ARRAY:
        return x.count == y.count && same_array(a, x, b, y);
    case VALUE_OBJECT:
        return x.count == y.count && same_object(a, x, b, at_b);
    default:
        return true;
    }
}

/* The value as JSON, cut, to be given to free(). */
static char *shown(const struct profile *profile, const uint8_t *at)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    struct json_writer *w = json_writer_open(sink, 0, &error);
    value_to_json(at, &profile->strings, w);
    json_writer_close(w);
    struct slice text = byte_sink_memory_bytes(sink);
    char *copy = strndup(text.text, text.length < 1500 ? text.length : 1500);
    byte_sink_close(sink, true, &error);
    return copy;
}

static void assert_same_value(const struct pair *pair, const uint8_t *actual, const uint8_t *expected, const char *what,
                              size_t row)
{
    if (!actual && !expected)
        return;
    if (!actual || !expected)
        fail_msg("%s, row %zu: %s", what, row, actual ? "a value instead of none" : "none instead of a value");
    if (!same_value(pair->actual, actual, pair->expected, expected))
        fail_msg("%s, row %zu:\n%s instead of\n%s", what, row, shown(pair->actual, actual), shown(pair->expected, expected));
}

/* ---- tables ---- */

static void assert_same_meta(const struct pair *pair)
{
    const struct meta *actual = &pair->actual->meta, *expected = &pair->expected->meta;
    assert_same_number(actual->interval, expected->interval, "interval", 0);
    assert_same_number(actual->start_time, expected->start_time, "start time", 0);
    assert_same_number(actual->profiling_start_time, expected->profiling_start_time, "profiling start time", 0);
    assert_same_number(actual->profiling_end_time, expected->profiling_end_time, "profiling end time", 0);
    assert_same_text(pair, actual->product, expected->product, "product", 0);
    assert_int_equal(actual->symbolicated, expected->symbolicated);
    assert_int_equal(actual->cpu_unit, expected->cpu_unit);
}

static void assert_same_categories(const struct pair *pair)
{
    size_t count = pair->actual->categories.rows.count;
    assert_same_count(count, pair->expected->categories.rows.count, "categories");
    for (size_t i = 0; i < count; i++) {
        const struct category *a = &pair->actual->categories.rows.items[i], *b = &pair->expected->categories.rows.items[i];
        assert_same_text(pair, a->name, b->name, "category", i);
        assert_same_text(pair, a->color, b->color, "color of category", i);
        assert_same_count(a->subcategories.count, b->subcategories.count, "subcategories");
        for (size_t j = 0; j < a->subcategories.count; j++)
            assert_same_text(pair, a->subcategories.items[j], b->subcategories.items[j], "subcategory", j);
    }
}

static void assert_same_schemas(const struct pair *pair)
{
    size_t count = pair->actual->schemas.rows.count;
    assert_same_count(count, pair->expected->schemas.rows.count, "marker schemas");
    for (size_t i = 0; i < count; i++)
        assert_same_value(pair, pair->actual->schemas.rows.items[i].whole.bytes.items,
                          pair->expected->schemas.rows.items[i].whole.bytes.items, "marker schema", i);
}

static void assert_same_libs(const struct pair *pair)
{
    size_t count = pair->actual->libs.rows.count;
    assert_same_count(count, pair->expected->libs.rows.count, "libs");
    for (size_t i = 0; i < count; i++) {
        const struct lib *a = &pair->actual->libs.rows.items[i], *b = &pair->expected->libs.rows.items[i];
        assert_same_text(pair, a->name, b->name, "lib name", i);
        assert_same_text(pair, a->path, b->path, "lib path", i);
        assert_same_text(pair, a->debug_name, b->debug_name, "lib debug name", i);
        assert_same_text(pair, a->debug_path, b->debug_path, "lib debug path", i);
        assert_same_text(pair, a->breakpad_id, b->breakpad_id, "lib breakpad id", i);
        assert_same_text(pair, a->code_id, b->code_id, "lib code id", i);
        assert_same_text(pair, a->arch, b->arch, "lib arch", i);
    }
}

static void assert_same_resources_and_sources(const struct pair *pair)
{
    size_t count = pair->actual->resources.rows.count;
    assert_same_count(count, pair->expected->resources.rows.count, "resources");
    for (size_t i = 0; i < count; i++) {
        const struct resource *a = &pair->actual->resources.rows.items[i], *b = &pair->expected->resources.rows.items[i];
        assert_same_text(pair, a->name, b->name, "resource", i);
        assert_same_text(pair, a->host, b->host, "resource host", i);
        assert_int_equal(a->type, b->type);
    }
    count = pair->actual->sources.rows.count;
    assert_same_count(count, pair->expected->sources.rows.count, "sources");
    for (size_t i = 0; i < count; i++) {
        const struct source *a = &pair->actual->sources.rows.items[i], *b = &pair->expected->sources.rows.items[i];
        assert_same_text(pair, a->id, b->id, "source id", i);
        assert_same_text(pair, a->filename, b->filename, "source file name", i);
        assert_same_text(pair, a->source_map_url, b->source_map_url, "source map", i);
        assert_int_equal(a->start_line, b->start_line);
        assert_int_equal(a->start_column, b->start_column);
    }
}

static void assert_same_code(const struct pair *pair)
{
    const struct func_table *funcs = &pair->actual->funcs, *expected_funcs = &pair->expected->funcs;
    assert_same_strings(pair, &funcs->name, &expected_funcs->name, "func name");
    static const char *const func_columns[] = {"", "flags", "resource", "source", "line", "column", "original location"};
    for (size_t i = 1; i < sizeof funcs->columns / sizeof *funcs->columns; i++)
        assert_same_integers(&funcs->columns[i], &expected_funcs->columns[i], func_columns[i]);
    const struct frame_table *frames = &pair->actual->frames, *expected_frames = &pair->expected->frames;
    static const char *const frame_columns[] = {
        "frame address",         "frame lib",  "frame inline depth",  "frame category",
        "frame subcategory",     "frame func", "frame native symbol", "frame implementation",
        "frame inner window id", "frame line", "frame column",        "frame location"};
    for (size_t i = 0; i < sizeof frames->columns / sizeof *frames->columns; i++)
        if (&frames->columns[i] == &frames->implementation)
            assert_same_strings(pair, &frames->columns[i], &expected_frames->columns[i], frame_columns[i]);
        else
            assert_same_integers(&frames->columns[i], &expected_frames->columns[i], frame_columns[i]);
    assert_same_integers(&pair->actual->stacks.up, &pair->expected->stacks.up, "stack prefix");
    assert_same_integers(&pair->actual->stacks.frame, &pair->expected->stacks.frame, "stack frame");
}

static void assert_same_samples(const struct sample_table *a, const struct sample_table *b)
{
    assert_same_integers(&a->stack, &b->stack, "sample stack");
    assert_int_equal(a->time_is_deltas, b->time_is_deltas);
    assert_int_equal(a->weight_type, b->weight_type);
    assert_same_numbers(&a->time, &b->time, "sample time");
    assert_same_numbers(&a->weight, &b->weight, "sample weight");
    assert_same_numbers(&a->cpu_delta, &b->cpu_delta, "sample CPU delta");
    assert_same_numbers(&a->event_delay, &b->event_delay, "sample event delay");
    assert_same_integers(&a->argument_values, &b->argument_values, "sample argument values");
}

static void assert_same_markers(const struct pair *pair, const struct marker_table *a, const struct marker_table *b)
{
    assert_same_strings(pair, &a->name, &b->name, "marker name");
    assert_same_numbers(&a->start, &b->start, "marker start");
    assert_same_numbers(&a->end, &b->end, "marker end");
    assert_same_integers(&a->phase, &b->phase, "marker phase");
    assert_same_integers(&a->category, &b->category, "marker category");
    assert_same_integers(&a->cause_stack, &b->cause_stack, "marker cause stack");
    assert_same_numbers(&a->cause_time, &b->cause_time, "marker cause time");
    assert_same_strings(pair, &a->cause_tid, &b->cause_tid, "marker cause tid");
    for (size_t i = 0; i < marker_count(a); i++)
        assert_same_value(pair, marker_table_get(a, marker_at(i)).data, marker_table_get(b, marker_at(i)).data, "marker data",
                          i);
}

static void assert_same_allocations(const struct pair *pair, const struct allocation_table *a, const struct allocation_table *b)
{
    assert_int_equal(a->present, b->present);
    assert_same_integers(&a->stack, &b->stack, "allocation stack");
    assert_same_numbers(&a->time, &b->time, "allocation time");
    assert_same_numbers(&a->weight, &b->weight, "allocation weight");
    assert_same_numbers(&a->memory_address, &b->memory_address, "allocation address");
    assert_same_integers(&a->thread_id, &b->thread_id, "allocation thread");
    assert_same_numbers(&a->size, &b->size, "allocation size");
    assert_same_strings(pair, &a->class_name, &b->class_name, "allocation class");
    assert_same_strings(pair, &a->type_name, &b->type_name, "allocation type");
    assert_same_strings(pair, &a->coarse_type, &b->coarse_type, "allocation coarse type");
    assert_same_integers(&a->in_nursery, &b->in_nursery, "allocation in nursery");
}

static void assert_same_thread(const struct pair *pair, const struct thread *a, const struct thread *b, size_t row)
{
    assert_same_text(pair, a->name, b->name, "thread name", row);
    assert_same_text(pair, a->process_type, b->process_type, "thread process type", row);
    assert_same_text(pair, a->process_name, b->process_name, "thread process name", row);
    assert_same_text(pair, a->pid, b->pid, "thread pid", row);
    assert_same_text(pair, a->tid, b->tid, "thread tid", row);
    assert_int_equal(a->tid_is_text, b->tid_is_text);
    assert_int_equal(a->is_main_thread, b->is_main_thread);
    assert_same_number(a->process_startup_time, b->process_startup_time, "process startup time", row);
    assert_same_number(a->process_shutdown_time, b->process_shutdown_time, "process shutdown time", row);
    assert_same_number(a->register_time, b->register_time, "register time", row);
    assert_same_number(a->unregister_time, b->unregister_time, "unregister time", row);
    assert_same_samples(&a->samples, &b->samples);
    assert_same_markers(pair, &a->markers, &b->markers);
    assert_same_allocations(pair, &a->js_allocations, &b->js_allocations);
    assert_same_allocations(pair, &a->native_allocations, &b->native_allocations);
    assert_same_allocations(pair, &a->page_faults, &b->page_faults);
}

static void assert_same_counters(const struct pair *pair)
{
    size_t count = pair->actual->counters.rows.count;
    assert_same_count(count, pair->expected->counters.rows.count, "counters");
    for (size_t i = 0; i < count; i++) {
        const struct counter *a = &pair->actual->counters.rows.items[i], *b = &pair->expected->counters.rows.items[i];
        assert_same_text(pair, a->name, b->name, "counter name", i);
        assert_same_text(pair, a->category, b->category, "counter category", i);
        assert_same_text(pair, a->description, b->description, "counter description", i);
        assert_same_text(pair, a->pid, b->pid, "counter pid", i);
        assert_int_equal(a->main_thread.i, b->main_thread.i);
        assert_int_equal(a->time_is_deltas, b->time_is_deltas);
        assert_same_numbers(&a->time, &b->time, "counter time");
        assert_same_numbers(&a->count, &b->count, "counter count");
        assert_same_numbers(&a->number, &b->number, "counter number");
    }
}

void assert_same_profile(const struct profile *actual, const struct profile *expected)
{
    struct pair pair = {actual, expected};
    assert_same_meta(&pair);
    assert_same_categories(&pair);
    assert_same_schemas(&pair);
    assert_same_libs(&pair);
    assert_same_resources_and_sources(&pair);
    assert_same_code(&pair);
    assert_same_count(actual->threads.count, expected->threads.count, "threads");
    for (size_t i = 0; i < actual->threads.count; i++)
        assert_same_thread(&pair, &actual->threads.items[i], &expected->threads.items[i], i);
    assert_same_counters(&pair);
    assert_same_value(&pair, actual->pages.bytes.items, expected->pages.bytes.items, "pages", 0);
}
