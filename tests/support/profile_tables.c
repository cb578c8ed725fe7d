#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/profile_tables.h"

/* ---- writing a profile as the vectors do ---- */

static void write_string(struct json_writer *w, const struct profile *profile, struct string_index string)
{
    if (string_exists(string))
        json_write_string(w, profile_text(profile, string));
    else
        json_write_null(w);
}

static void write_index(struct json_writer *w, uint32_t index)
{
    json_write_integer(w, index == INDEX_NONE ? -1 : (int64_t)index);
}

static void write_index_or_null(struct json_writer *w, uint32_t index)
{
    if (index == INDEX_NONE)
        json_write_null(w);
    else
        json_write_integer(w, (int64_t)index);
}

static void write_categories(struct json_writer *w, const struct profile *profile)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < profile->categories.rows.count; i++) {
        json_write_begin_array(w);
        write_string(w, profile, profile->categories.rows.items[i].name);
        write_string(w, profile, profile->categories.rows.items[i].color);
        json_write_end_array(w);
    }
    json_write_end_array(w);
}

static void write_libs(struct json_writer *w, const struct profile *profile)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < profile->libs.rows.count; i++) {
        const struct lib *lib = &profile->libs.rows.items[i];
        json_write_begin_array(w);
        write_string(w, profile, lib->name);
        write_string(w, profile, lib->debug_name);
        write_string(w, profile, lib->breakpad_id);
        json_write_end_array(w);
    }
    json_write_end_array(w);
}

static void write_resources(struct json_writer *w, const struct profile *profile)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < profile->resources.rows.count; i++) {
        const struct resource *resource = &profile->resources.rows.items[i];
        json_write_begin_array(w);
        write_string(w, profile, resource->name);
        json_write_integer(w, resource->type);
        write_string(w, profile, resource->host);
        json_write_end_array(w);
    }
    json_write_end_array(w);
}

static void write_funcs(struct json_writer *w, const struct profile *profile)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < func_count(&profile->funcs); i++) {
        struct func func = func_table_get(&profile->funcs, func_at(i));
        json_write_begin_object(w);
        json_write_key(w, "name");
        write_string(w, profile, func.name);
        json_write_key(w, "isJS");
        json_write_boolean(w, func.is_js);
        json_write_key(w, "relevantForJS");
        json_write_boolean(w, func.relevant_for_js);
        json_write_key(w, "resource");
        write_index(w, func.resource.i);
        json_write_key(w, "file");
        write_string(w, profile,
                     source_exists(func.source) ? profile->sources.rows.items[func.source.i].filename : STRING_NONE);
        json_write_key(w, "line");
        write_index_or_null(w, func.line);
        json_write_key(w, "column");
        write_index_or_null(w, func.column);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

static void write_frames(struct json_writer *w, const struct profile *profile)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < frame_count(&profile->frames); i++) {
        struct frame frame = frame_table_get(&profile->frames, frame_at(i));
        json_write_begin_object(w);
        json_write_key(w, "func");
        write_index(w, frame.func.i);
        json_write_key(w, "address");
        json_write_integer(w, frame.address == COLUMN_ABSENT ? -1 : frame.address);
        json_write_key(w, "lib");
        write_index(w, frame.lib.i);
        json_write_key(w, "category");
        write_index_or_null(w, frame.category.i);
        json_write_key(w, "subcategory");
        write_index_or_null(w, frame.subcategory);
        json_write_key(w, "line");
        write_index_or_null(w, frame.line);
        json_write_key(w, "column");
        write_index_or_null(w, frame.column);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

static void write_tid(struct json_writer *w, const struct profile *profile, const struct thread *thread)
{
    if (thread->tid_is_text)
        write_string(w, profile, thread->tid);
    else
        json_write_raw(w, profile_text(profile, thread->tid));
}

static void write_times(struct json_writer *w, const struct sample_table *samples)
{
    size_t count = sample_count(samples);
    double *times = memory_array(count + 1, sizeof *times);
    assert_non_null(times);
    sample_table_read_times(samples, times);
    json_write_begin_array(w);
    for (size_t i = 0; i < count; i++)
        json_write_number(w, times[i]);
    json_write_end_array(w);
    memory_release(times);
}

static void write_threads(struct json_writer *w, const struct profile *profile)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < profile->threads.count; i++) {
        const struct thread *thread = &profile->threads.items[i];
        json_write_begin_object(w);
        json_write_key(w, "name");
        write_string(w, profile, thread->name);
        json_write_key(w, "processName");
        write_string(w, profile, thread->process_name);
        json_write_key(w, "processType");
        write_string(w, profile, thread->process_type);
        json_write_key(w, "pid");
        write_string(w, profile, thread->pid);
        json_write_key(w, "tid");
        write_tid(w, profile, thread);
        json_write_key(w, "isMainThread");
        json_write_boolean(w, thread->is_main_thread);
        json_write_key(w, "times");
        write_times(w, &thread->samples);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

static void write_meta(struct json_writer *w, const struct profile *profile)
{
    json_write_key(w, "interval");
    json_write_number(w, profile->meta.interval);
    json_write_key(w, "startTime");
    json_write_number(w, profile->meta.start_time);
    json_write_key(w, "symbolicated");
    json_write_boolean(w, profile->meta.symbolicated);
}

static void read_tables(const struct profile *profile, struct json_document *tables)
{
    static const struct {
        const char *name;
        void (*write)(struct json_writer *w, const struct profile *profile);
    } parts[] = {{"categories", write_categories}, {"libs", write_libs},     {"resources", write_resources},
                 {"funcs", write_funcs},           {"frames", write_frames}, {"threads", write_threads}};
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_non_null(sink);
    struct json_writer *w = json_writer_open(sink, 0, &error);
    assert_non_null(w);
    json_write_begin_object(w);
    write_meta(w, profile);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        json_write_key(w, parts[i].name);
        parts[i].write(w, profile);
    }
    json_write_end_object(w);
    assert_int_equal(json_writer_close(w), 0);
    json_document_parse(tables, byte_sink_memory_bytes(sink));
    byte_sink_close(sink, true, &error);
}

/* ---- comparing ---- */

static void assert_same(const struct json_document *a, const uint8_t *x, const struct json_document *b, const uint8_t *y,
                        const char *what)
{
    char *found = json_dump(a, x, 0), *wanted = json_dump(b, y, 0);
    if (strcmp(found, wanted) != 0)
        print_error("%s differ\n", what);
    assert_string_equal(found, wanted);
    memory_release(found);
    memory_release(wanted);
}

static bool is_empty_array(const uint8_t *value)
{
    return value_read(value).kind == VALUE_ARRAY && value_read(value).count == 0;
}

/* Where a child process has a thread without samples, the Firefox Profiler shifts the time of a sample that is not there. */
static bool is_shifted_nothing(const uint8_t *value)
{
    return value_read(value).kind == VALUE_ARRAY && value_read(value).count == 1 && json_is_null(json_item(value, 0));
}

static void assert_same_threads(const struct json_document *a, const uint8_t *found, const struct json_document *b,
                                const uint8_t *wanted)
{
    static const char *const columns[] = {"name", "processName", "processType", "pid", "tid", "isMainThread", "times"};
    uint32_t found_count, wanted_count;
    found = json_items(found, &found_count);
    wanted = json_items(wanted, &wanted_count);
    assert_int_equal(found_count, wanted_count);
    for (uint32_t i = 0; i < found_count; i++) {
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            const uint8_t *x = json_get(a, found, columns[k]), *y = json_get(b, wanted, columns[k]);
            if (!(strcmp(columns[k], "times") == 0 && is_empty_array(x) && is_shifted_nothing(y)))
                assert_same(a, x, b, y, columns[k]);
        }
        found = value_skip(found);
        wanted = value_skip(wanted);
    }
}

void assert_profile_tables(const struct profile *profile, const struct json_document *document, const uint8_t *expected)
{
    static const char *const names[] = {"interval", "startTime", "symbolicated", "categories",
                                        "libs",     "resources", "funcs",        "frames"};
    struct json_document tables;
    read_tables(profile, &tables);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_same(&tables, json_get(&tables, json_root(&tables), names[i]), document, json_get(document, expected, names[i]),
                    names[i]);
    assert_same_threads(&tables, json_get(&tables, json_root(&tables), "threads"), document,
                        json_get(document, expected, "threads"));
    json_document_close(&tables);
}
