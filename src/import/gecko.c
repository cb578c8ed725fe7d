#include "import/gecko.h"

#include "import/gecko_state.h"
#include "import/gecko_versions.h"

#include <math.h>
#include <stdio.h>

/* ---- small values ---- */

struct string_index gecko_add_number(struct gecko *gecko, int64_t number)
{
    if (number == gecko->last_tid && string_exists(gecko->last_tid_text))
        return gecko->last_tid_text;
    char text[32];
    int length = snprintf(text, sizeof text, "%lld", (long long)number);
    gecko->last_tid = number;
    gecko->last_tid_text = string_table_add(&gecko->profile->strings, (struct slice){text, (size_t)length});
    return gecko->last_tid_text;
}

struct string_index gecko_read_string(struct gecko *gecko, struct json_reader *r)
{
    if (json_null(r))
        return STRING_NONE;
    struct string_index string = string_table_add(&gecko->profile->strings, json_string(r));
    if (!string_exists(string))
        json_fail_out_of_memory(r);
    return string;
}

struct string_index gecko_read_id(struct gecko *gecko, struct json_reader *r, bool *is_text)
{
    bool text = json_peek(r) == JSON_STRING;
    if (is_text)
        *is_text = text;
    if (text || json_null(r))
        return text ? gecko_read_string(gecko, r) : STRING_NONE;
    struct string_index string = gecko_add_number(gecko, json_integer(r));
    if (!string_exists(string))
        json_fail_out_of_memory(r);
    return string;
}

static bool intern_names(struct gecko *gecko)
{
    struct gecko_names *names = &gecko->names;
    const struct {
        struct string_index *name;
        struct slice text;
    } all[] = {
        {&names->type, SLICE("type")},
        {&names->stack, SLICE("stack")},
        {&names->start_time, SLICE("startTime")},
        {&names->end_time, SLICE("endTime")},
        {&names->inner_window_id, SLICE("innerWindowID")},
        {&names->tid, SLICE("tid")},
        {&names->samples, SLICE("samples")},
        {&names->schema, SLICE("schema")},
        {&names->data, SLICE("data")},
        {&names->time, SLICE("time")},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i].name = string_table_add(&gecko->profile->strings, all[i].text);
        if (!string_exists(*all[i].name))
            return false;
    }
    return true;
}

/* ---- what processes have in common, put together ---- */

/* The items of an array, behind those of the processes before. */
static void read_pages(struct gecko *gecko, struct json_reader *r)
{
    if (json_null(r) || !json_begin_array(r))
        return;
    for (; json_next_item(r); gecko->page_count++)
        value_from_json(r, &gecko->profile->strings, &gecko->pages);
}

/* Logs are objects with a member a process. */
static void read_log(struct gecko *gecko, struct json_reader *r)
{
    if (json_null(r) || !json_begin_object(r))
        return;
    for (struct slice key; json_next_key(r, &key); gecko->log_count++) {
        struct string_index name = string_table_add(&gecko->profile->strings, key);
        if (!string_exists(name) || !value_put_key(&gecko->logs, name))
            json_fail_out_of_memory(r);
        value_from_json(r, &gecko->profile->strings, &gecko->logs);
    }
}

static bool put_key(struct gecko *gecko, struct value_bytes *out, struct slice key)
{
    struct string_index name = string_table_add(&gecko->profile->strings, key);
    return string_exists(name) && value_put_key(out, name);
}

static bool finish_common(struct gecko *gecko)
{
    struct profile *profile = gecko->profile;
    struct value_bytes *other = &profile->other;
    bool has_gathering = gecko->gathering_log.bytes.count > 0;
    bool done = value_put_array(&profile->pages, gecko->page_count) &&
                value_put_bytes(&profile->pages, gecko->pages.bytes.items, gecko->pages.bytes.count) &&
                value_put_object(other, 1 + has_gathering) && put_key(gecko, other, SLICE("profilingLog")) &&
                value_put_object(other, gecko->log_count) &&
                value_put_bytes(other, gecko->logs.bytes.items, gecko->logs.bytes.count);
    if (done && has_gathering)
        done = put_key(gecko, other, SLICE("profileGatheringLog")) && value_put_copy(other, gecko->gathering_log.bytes.items);
    return done;
}

/* ---- a process ---- */

static void read_threads(struct json_reader *r, void *data)
{
    if (json_begin_array(r))
        while (json_next_item(r))
            gecko_read_thread(data, r);
}

static void read_counters(struct json_reader *r, void *data)
{
    gecko_read_counters(data, r);
}

static void read_sources(struct json_reader *r, void *data)
{
    gecko_read_sources(data, r);
}

static void read_processes(struct json_reader *r, void *data);

/* Parts that can be read only after others. In files from Firefox everything stands in an order in which nothing has to wait;
 * what does is kept as text. */
enum part { PART_SOURCES, PART_COUNTERS, PART_THREADS, PART_PROCESSES, PARTS };

static void (*const part_readers[PARTS])(struct json_reader *r, void *data) = {read_sources, read_counters, read_threads,
                                                                               read_processes};

struct waiting {
    struct slice texts[PARTS];
    bool threads_done;
};

static bool part_of_key(struct slice key, enum part *part)
{
    static const char *const keys[PARTS] = {"sources", "counters", "threads", "processes"};
    for (size_t i = 0; i < PARTS; i++)
        if (slice_equal(key, slice_of(keys[i]))) {
            *part = (enum part)i;
            return true;
        }
    return false;
}

static bool part_is_ready(const struct gecko_process *process, const struct waiting *waiting, enum part part)
{
    switch (part) {
    case PART_SOURCES:
    case PART_COUNTERS:
        return process->has_meta;
    case PART_THREADS:
        return process->has_meta && process->has_libs && (process->has_sources || !gecko_may_have_sources(process->version));
    case PART_PROCESSES:
        return waiting->threads_done;
    case PARTS:
        break;
    }
    return false;
}

static void read_part(struct gecko *gecko, struct json_reader *r, struct waiting *waiting, enum part part)
{
    if (part == PART_PROCESSES && gecko->process.is_child) {
        json_skip(r); /* processes do not nest */
    } else if (!part_is_ready(&gecko->process, waiting, part)) {
        json_allow_repeated_keys(r, true);
        waiting->texts[part] = json_capture(r);
        json_allow_repeated_keys(r, false);
    } else {
        part_readers[part](r, gecko);
        waiting->threads_done |= part == PART_THREADS;
    }
}

static void read_paused_ranges(struct gecko *gecko, struct json_reader *r)
{
    struct value_bytes *paused = &gecko->process.paused_ranges;
    paused->bytes.count = 0;
    if (json_peek(r) == JSON_ARRAY)
        value_from_json(r, &gecko->profile->strings, paused);
    else
        json_skip(r);
}

static void read_member(struct gecko *gecko, struct json_reader *r, struct slice key, struct waiting *waiting)
{
    enum part part;
    if (slice_is(key, "meta"))
        gecko_read_meta(gecko, r);
    else if (slice_is(key, "libs"))
        gecko_read_libs(gecko, r);
    else if (part_of_key(key, &part))
        read_part(gecko, r, waiting, part);
    else if (slice_is(key, "pages"))
        read_pages(gecko, r);
    else if (slice_is(key, "pausedRanges"))
        read_paused_ranges(gecko, r);
    else if (slice_is(key, "profilingLog"))
        read_log(gecko, r);
    else if (slice_is(key, "profileGatheringLog") && !gecko->process.is_child && json_peek(r) == JSON_OBJECT)
        value_from_json(r, &gecko->profile->strings, &gecko->gathering_log);
    else
        json_skip(r);
}

/* The object of a process that `r` stands before. */
static void read_process(struct gecko *gecko, struct json_reader *r)
{
    struct waiting waiting = {0};
    struct gecko_process *process = &gecko->process;
    location_resolver_begin_process(&gecko->locations);
    process->first_thread = gecko->profile->threads.count;
    process->number = gecko->process_count++;
    process->shutdown_time = NAN;
    if (json_begin_object(r))
        for (struct slice key; json_next_key(r, &key);)
            read_member(gecko, r, key, &waiting);
    if (json_ok(r) && !process->has_meta)
        json_fail(r, "a process without `meta`");
    for (size_t part = 0; part < PARTS && json_ok(r); part++)
        if (waiting.texts[part].text)
            gecko_reread(r, waiting.texts[part], part_readers[part], gecko);
    for (size_t part = 0; part < PARTS; part++)
        memory_release((char *)waiting.texts[part].text);
    if (process->end_thread == 0)
        process->end_thread = gecko->profile->threads.count;
    if (json_ok(r) && !gecko_finish_process(gecko))
        json_fail_out_of_memory(r);
    value_bytes_free(&process->paused_ranges);
}

static void read_processes(struct json_reader *r, void *data)
{
    struct gecko *gecko = data;
    struct gecko_process parent = gecko->process;
    parent.end_thread = gecko->profile->threads.count;
    if (json_begin_array(r))
        while (json_next_item(r)) {
            gecko->process = (struct gecko_process){.is_child = true, .version = parent.version};
            read_process(gecko, r);
        }
    gecko->process = parent;
}

static int finish(struct gecko *gecko, struct json_reader *r, struct error *error)
{
    struct profile *profile = gecko->profile;
    if (json_finish(r))
        return error->code;
    gecko_finish_counters(gecko);
    gecko->processed.r = r;
    processed_add_schemas(&gecko->processed);
    if (!json_ok(r))
        return error->code;
    if (!gecko_finish_copies(gecko) || !finish_common(gecko))
        return error_out_of_memory(error);
    return profile_finish(profile, error);
}

static void gecko_free(struct gecko *gecko)
{
    location_resolver_free(&gecko->locations);
    gecko_thread_free(&gecko->thread);
    vec_free(&gecko->main_threads);
    vec_free(&gecko->counter_processes);
    vec_free(&gecko->special_types);
    vec_free(&gecko->stack_frames);
    vec_free(&gecko->copies);
    value_bytes_free(&gecko->scratch);
    value_bytes_free(&gecko->pages);
    value_bytes_free(&gecko->logs);
    value_bytes_free(&gecko->gathering_log);
    value_bytes_free(&gecko->processed.payload_scratch);
}

int import_gecko(struct json_reader *r, struct profile *profile, struct error *error)
{
    struct gecko gecko = {
        .profile = profile,
        .error = error,
        .processed = {.r = r, .profile = profile, .error = error, .version = PROCESSED_NO_IMPLEMENTATION},
        .last_tid_text = STRING_NONE,
    };
    location_resolver_init(&gecko.locations, profile);
    int failed;
    if (intern_names(&gecko)) {
        read_process(&gecko, r);
        failed = finish(&gecko, r, error);
    } else {
        failed = error_out_of_memory(error);
    }
    gecko_free(&gecko);
    return failed;
}
