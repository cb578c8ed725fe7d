#include "import/gecko_state.h"
#include "import/gecko_versions.h"

#include <math.h>

/* ---- libs ---- */

static struct string_index read_text(struct gecko *gecko, struct json_reader *r)
{
    if (json_peek(r) == JSON_STRING)
        return gecko_read_string(gecko, r);
    json_skip(r);
    return STRING_NONE;
}

static void read_lib(struct gecko *gecko, struct json_reader *r)
{
    struct lib lib = {STRING_NONE, STRING_NONE, STRING_NONE, STRING_NONE, STRING_NONE, STRING_NONE, STRING_NONE};
    uint64_t start = 0, end = 0, offset = 0;
    if (!json_begin_object(r))
        return;
    for (struct slice key; json_next_key(r, &key);) {
        if (slice_is(key, "start"))
            start = (uint64_t)json_integer(r);
        else if (slice_is(key, "end"))
            end = (uint64_t)json_integer(r);
        else if (slice_is(key, "offset"))
            offset = (uint64_t)json_integer_or_null(r, 0);
        else if (slice_is(key, "name"))
            lib.name = read_text(gecko, r);
        else if (slice_is(key, "path"))
            lib.path = read_text(gecko, r);
        else if (slice_is(key, "debugName"))
            lib.debug_name = read_text(gecko, r);
        else if (slice_is(key, "debugPath"))
            lib.debug_path = read_text(gecko, r);
        else if (slice_is(key, "breakpadId"))
            lib.breakpad_id = read_text(gecko, r);
        else if (slice_is(key, "codeId"))
            lib.code_id = read_text(gecko, r);
        else if (slice_is(key, "arch"))
            lib.arch = read_text(gecko, r);
        else
            json_skip(r);
    }
    if (!json_ok(r))
        return;
    if (!string_exists(lib.name))
        json_fail(r, "a library without a name");
    else if (!location_resolver_add_lib(&gecko->locations, start, end, offset, &lib))
        json_fail_out_of_memory(r);
}

void gecko_read_libs(struct gecko *gecko, struct json_reader *r)
{
    if (json_begin_array(r))
        while (json_next_item(r))
            read_lib(gecko, r);
    gecko->process.has_libs = true;
}

/* ---- sources ---- */

enum source_field { SOURCE_ID = 1, SOURCE_FILENAME, SOURCE_START_LINE, SOURCE_START_COLUMN, SOURCE_MAP };

static void read_source_rows(struct json_reader *r, const struct gecko_schema *schema, void *data)
{
    struct gecko *gecko = data;
    if (!json_begin_array(r))
        return;
    while (json_next_item(r)) {
        struct source source = {STRING_NONE, STRING_NONE, 1, 1, STRING_NONE, STRING_NONE};
        json_begin_array(r);
        for (size_t cell = 0; json_next_item(r); cell++)
            switch (gecko_field(schema, cell)) {
            case SOURCE_ID:
                source.id = read_text(gecko, r);
                break;
            case SOURCE_FILENAME:
                source.filename = read_text(gecko, r);
                break;
            case SOURCE_START_LINE:
                source.start_line = gecko_index(r);
                break;
            case SOURCE_START_COLUMN:
                source.start_column = gecko_index(r);
                break;
            case SOURCE_MAP:
                source.source_map_url = read_text(gecko, r);
                break;
            default:
                json_skip(r);
            }
        if (!json_ok(r))
            return;
        if (!string_exists(source.filename))
            json_fail(r, "a source without a file name");
        else if (!location_resolver_add_source(&gecko->locations, &source))
            json_fail_out_of_memory(r);
    }
}

void gecko_read_sources(struct gecko *gecko, struct json_reader *r)
{
    const char *names[] = {
        gecko_source_id_column(gecko->process.version), "filename", "startLine", "startColumn", "sourceMapURL", NULL};
    gecko_table_read(r, names, read_source_rows, gecko);
    gecko->process.has_sources = true;
}

/* ---- counters ---- */

enum counter_field { COUNTER_TIME = 1, COUNTER_NUMBER, COUNTER_COUNT };
static const char *const counter_names[] = {"time", "number", "count", NULL};

struct counter_rows {
    struct gecko *gecko;
    struct counter *counter;
};

static void read_counter_rows(struct json_reader *r, const struct gecko_schema *schema, void *data)
{
    const struct counter_rows *rows = data;
    struct counter *counter = rows->counter;
    bool has_number = gecko_schema_has(schema, COUNTER_NUMBER);
    double last = 0, shift = rows->gecko->process.shift;
    if (!json_begin_array(r))
        return;
    while (json_next_item(r)) {
        double nanoseconds = 0, number = NAN, count = NAN;
        json_begin_array(r);
        for (size_t cell = 0; json_next_item(r); cell++)
            switch (gecko_field(schema, cell)) {
            case COUNTER_TIME:
                nanoseconds = gecko_read_nanoseconds(r);
                break;
            case COUNTER_NUMBER:
                number = json_number_or_null(r, NAN);
                break;
            case COUNTER_COUNT:
                count = json_number_or_null(r, NAN);
                break;
            default:
                json_skip(r);
            }
        column_append_number(&counter->time, (nanoseconds - last) / 1e6 + shift);
        column_append_number(&counter->count, count);
        if (has_number)
            column_append_number(&counter->number, number);
        last = nanoseconds;
        shift = 0;
    }
}

/* Only the first group was ever written. */
static void read_sample_groups(struct json_reader *r, struct counter_rows *rows)
{
    bool first = true;
    if (!json_begin_array(r))
        return;
    while (json_next_item(r)) {
        if (!first || !json_begin_object(r)) {
            json_skip(r);
            continue;
        }
        for (struct slice key; json_next_key(r, &key);)
            if (slice_is(key, "samples"))
                gecko_table_read(r, counter_names, read_counter_rows, rows);
            else
                json_skip(r);
        first = false;
    }
}

static void drop_counter(struct counter *counter)
{
    column_free(&counter->time);
    column_free(&counter->count);
    column_free(&counter->number);
}

static void read_counter(struct gecko *gecko, struct json_reader *r)
{
    struct counter_list *counters = &gecko->profile->counters;
    struct counter *counter = vec_reserve(&gecko->counter_processes, gecko->counter_processes.count + 1)
                                  ? counter_list_add(counters, &gecko->profile->arena)
                                  : NULL;
    if (!counter) {
        json_fail_out_of_memory(r);
        return;
    }
    vec_push(&gecko->counter_processes, gecko->process.number);
    struct counter_rows rows = {gecko, counter};
    bool groups = gecko_has_sample_groups(gecko->process.version);
    counter->time_is_deltas = true;
    if (!json_begin_object(r))
        return;
    for (struct slice key; json_next_key(r, &key);) {
        if (slice_is(key, "name"))
            counter->name = read_text(gecko, r);
        else if (slice_is(key, "category"))
            counter->category = read_text(gecko, r);
        else if (slice_is(key, "description"))
            counter->description = read_text(gecko, r);
        else if (!groups && slice_is(key, "samples"))
            gecko_table_read(r, counter_names, read_counter_rows, &rows);
        else if (groups && slice_is(key, "sample_groups"))
            read_sample_groups(r, &rows);
        else
            json_skip(r);
    }
    if (!json_ok(r) || column_count(&counter->time) > 0)
        return;
    drop_counter(counter);
    counters->rows.count--;
    gecko->counter_processes.count--;
}

void gecko_read_counters(struct gecko *gecko, struct json_reader *r)
{
    if (json_begin_array(r))
        while (json_next_item(r))
            read_counter(gecko, r);
}

/* ---- the end of a process ---- */

/* What is said of the process once is kept with each of its threads. */
static bool add_paused_ranges(struct gecko *gecko, struct thread *thread)
{
    const struct value_bytes *paused = &gecko->process.paused_ranges;
    struct string_index key = string_table_add(&gecko->profile->strings, SLICE("pausedRanges"));
    struct value_bytes other = {0};
    struct value known = value_read(thread->other.bytes.items);
    const uint8_t *end = thread->other.bytes.items + thread->other.bytes.count;
    bool done = string_exists(key) && value_put_object(&other, known.count + 1) && value_put_key(&other, key);
    done = done && (paused->bytes.count > 0 ? value_put_copy(&other, paused->bytes.items) : value_put_array(&other, 0));
    done = done && value_put_bytes(&other, known.rest, (size_t)(end - known.rest));
    value_bytes_free(&thread->other);
    thread->other = other;
    return done;
}

bool gecko_finish_process(struct gecko *gecko)
{
    const struct gecko_process *process = &gecko->process;
    struct profile *profile = gecko->profile;
    struct thread_index main = thread_none();
    for (size_t i = process->first_thread; i < process->end_thread; i++) {
        if (!add_paused_ranges(gecko, &profile->threads.items[i]))
            return false;
        if (!thread_exists(main) && profile->threads.items[i].is_main_thread)
            main = thread_at(i);
    }
    if (!vec_reserve(&gecko->main_threads, process->number + 1u))
        return false;
    while (gecko->main_threads.count <= process->number)
        gecko->main_threads.items[gecko->main_threads.count++] = thread_none();
    gecko->main_threads.items[process->number] = main;
    return true;
}

/* A counter stands for the main thread of its process; those of processes without one are left out. */
void gecko_finish_counters(struct gecko *gecko)
{
    struct counter_list *counters = &gecko->profile->counters;
    size_t kept = 0;
    for (size_t i = 0; i < counters->rows.count; i++) {
        struct counter counter = counters->rows.items[i];
        counter.main_thread = gecko->main_threads.items[gecko->counter_processes.items[i]];
        if (!thread_exists(counter.main_thread)) {
            drop_counter(&counter);
            continue;
        }
        counter.pid = gecko->profile->threads.items[counter.main_thread.i].pid;
        counters->rows.items[kept++] = counter;
    }
    counters->rows.count = kept;
}
