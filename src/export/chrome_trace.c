/* Chrome traces, which chrome://tracing, Perfetto and the Performance panel of Chrome DevTools read.
 *
 *     process_name, thread_name      who is who, and the order of processes and threads
 *     Profile, ProfileChunk          the samples of a thread: functions in their calling context as nodes, a node for each
 *                                    sample, µs between samples (chrome_trace_samples.c)
 *     X, b/e, I                      markers (chrome_trace_markers.c)
 *     C                              counters
 *
 * Functions say more than other writers of the format do, so that a profile comes back as it was: `kind` is "script", "label"
 * or "native" ("root" for a root that was added), `lib` the library.
 *
 * All times are on the profile's own clock in µs; where it begins before 0 all of them are moved to begin at 0. What the format
 * has no room for is left out: weights that are no times, CPU time, allocations, categories of functions, addresses. Weights
 * that are the time before a sample become its length (chrome_trace_layout.h). */
#include "export/chrome_trace_writer.h"
#include "export/counter_display.h"
#include "export/exporter.h"
#include "profile/quality.h"
#include "profile/time_span.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- what all events have ---- */

/* Rounded before anything is subtracted, so that what ends together in the profile does so in the trace. */
static double in_nanoseconds(const struct chrome_writer *out, double milliseconds)
{
    return round((milliseconds + out->shift) * 1e6);
}

void chrome_write_time(struct chrome_writer *out, double milliseconds)
{
    json_write_number(out->w, in_nanoseconds(out, milliseconds) / 1000);
}

void chrome_write_duration(struct chrome_writer *out, double start, double end)
{
    json_write_number(out->w, (in_nanoseconds(out, end) - in_nanoseconds(out, start)) / 1000);
}

void chrome_begin_event(struct chrome_writer *out, char phase, struct slice name, struct slice category, struct chrome_ids ids,
                        double time)
{
    json_write_begin_object(out->w);
    json_write_key(out->w, "ph");
    json_write_string(out->w, (struct slice){&phase, 1});
    json_write_key(out->w, "name");
    json_write_string(out->w, name);
    json_write_key(out->w, "cat");
    json_write_string(out->w, category);
    json_write_key(out->w, "pid");
    json_write_integer(out->w, ids.pid);
    json_write_key(out->w, "tid");
    json_write_integer(out->w, ids.tid);
    json_write_key(out->w, "ts");
    chrome_write_time(out, time);
}

static void write_position(struct chrome_writer *out, const char *key, uint32_t from_1)
{
    json_write_key(out->w, key);
    json_write_integer(out->w, from_1 == INDEX_NONE ? -1 : (int64_t)from_1 - 1);
}

/* Functions are told apart by script, name and line: everything that is a file or library of its own gets a number. */
static uint64_t script_of(const struct profile *profile, const struct func *func)
{
    if (source_exists(func->source))
        return 1 + (uint64_t)func->source.i;
    return resource_exists(func->resource) ? 1 + profile->sources.rows.count + (uint64_t)func->resource.i : 0;
}

void chrome_write_func(struct chrome_writer *out, struct func_index index)
{
    const struct profile *profile = out->profile;
    struct func func = func_table_get(&profile->funcs, index);
    const struct resource *resource = resource_exists(func.resource) ? &profile->resources.rows.items[func.resource.i] : NULL;
    bool has_lib = resource && resource->type == RESOURCE_LIBRARY;
    struct string_index url = STRING_NONE;
    if (source_exists(func.source))
        url = profile->sources.rows.items[func.source.i].filename;
    else if (has_lib || (resource && resource->type == RESOURCE_URL))
        url = resource->name;
    json_write_key(out->w, "functionName");
    json_write_string(out->w, profile_text(profile, func.name));
    json_write_key(out->w, "scriptId");
    json_write_integer(out->w, (int64_t)script_of(profile, &func));
    json_write_key(out->w, "url");
    json_write_string(out->w, profile_text(profile, url));
    write_position(out, "lineNumber", func.line);
    write_position(out, "columnNumber", func.column);
    json_write_key(out->w, "codeType");
    json_write_text(out->w, func.is_js ? "JS" : "other");
    json_write_key(out->w, "kind");
    json_write_text(out->w, func.is_js ? "script" : func.relevant_for_js ? "label" : "native");
    if (has_lib) {
        json_write_key(out->w, "lib");
        json_write_string(out->w, profile_text(profile, resource->name));
    }
}

/* ---- processes and threads ---- */

static bool parse_id(struct slice text, int64_t *id)
{
    char *end;
    if (text.length == 0 || text.length > 15 || text.text[0] < '0' || text.text[0] > '9')
        return false;
    *id = strtoll(text.text, &end, 10);
    return end == text.text + text.length;
}

/* The tids of imported traces have the pid before them, to be unique: `12:13`. */
static struct slice without_pid(struct slice tid, struct slice pid)
{
    bool has_pid = tid.length > pid.length && slice_starts_with(tid, pid) && tid.text[pid.length] == ':';
    return has_pid ? slice_from(tid, pid.length + 1) : tid;
}

struct id_maker {
    struct string_table pids; /* that are no numbers: the row gives the number */
    struct map taken;         /* pid and tid → thread */
    int64_t next_pid, next_tid;
};

static bool is_taken(const struct id_maker *maker, const struct chrome_ids *all, struct chrome_ids ids)
{
    uint32_t row;
    uint64_t hash = hash_combine((uint64_t)ids.pid, (uint64_t)ids.tid);
    for (struct map_probe probe = map_probe(&maker->taken, hash); map_probe_next(&probe, &row);)
        if (all[row].pid == ids.pid && all[row].tid == ids.tid)
            return true;
    return false;
}

static bool make_ids_of_thread(struct chrome_writer *out, struct id_maker *maker, uint32_t row)
{
    const struct thread *thread = &out->profile->threads.items[row];
    struct slice pid = profile_text(out->profile, thread->pid);
    struct chrome_ids ids;
    if (!parse_id(pid, &ids.pid)) {
        struct string_index string = string_table_add(&maker->pids, pid);
        if (!string_exists(string))
            return false;
        ids.pid = maker->next_pid + string.i;
    }
    if (!parse_id(without_pid(profile_text(out->profile, thread->tid), pid), &ids.tid) || is_taken(maker, out->ids, ids))
        ids.tid = maker->next_tid++;
    out->ids[row] = ids;
    return map_insert(&maker->taken, hash_combine((uint64_t)ids.pid, (uint64_t)ids.tid), row);
}

/* Ids that are no numbers, or that two threads share, are replaced by numbers that no other thread has. */
static bool make_ids(struct chrome_writer *out)
{
    size_t count = out->profile->threads.count;
    struct id_maker maker = {.next_pid = 1, .next_tid = 1};
    bool ok = (out->ids = memory_array(count + 1, sizeof *out->ids)) != NULL;
    for (size_t i = 0; i < count; i++) {
        const struct thread *thread = &out->profile->threads.items[i];
        struct slice pid = profile_text(out->profile, thread->pid);
        int64_t id;
        if (parse_id(pid, &id) && id >= maker.next_pid)
            maker.next_pid = id + 1;
        if (parse_id(without_pid(profile_text(out->profile, thread->tid), pid), &id) && id >= maker.next_tid)
            maker.next_tid = id + 1;
    }
    for (size_t i = 0; ok && i < count; i++)
        ok = make_ids_of_thread(out, &maker, (uint32_t)i);
    string_table_free(&maker.pids);
    map_free(&maker.taken);
    return ok;
}

static void begin_metadata(struct chrome_writer *out, const char *name, struct chrome_ids ids, const char *key)
{
    chrome_begin_event(out, 'M', slice_of(name), SLICE("__metadata"), ids, -out->shift);
    json_write_key(out->w, "args");
    json_write_begin_object(out->w);
    json_write_key(out->w, key);
}

static void end_metadata(struct chrome_writer *out)
{
    json_write_end_object(out->w);
    json_write_end_object(out->w);
}

static void write_name(struct chrome_writer *out, const char *event, struct chrome_ids ids, struct string_index name)
{
    if (!string_exists(name))
        return;
    begin_metadata(out, event, ids, "name");
    json_write_string(out->w, profile_text(out->profile, name));
    end_metadata(out);
}

static void write_order(struct chrome_writer *out, const char *event, struct chrome_ids ids, size_t order)
{
    begin_metadata(out, event, ids, "sort_index");
    json_write_integer(out->w, (int64_t)order);
    end_metadata(out);
}

static bool write_names(struct chrome_writer *out)
{
    const struct profile *profile = out->profile;
    struct map processes = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < profile->threads.count; i++) {
        const struct thread *thread = &profile->threads.items[i];
        struct chrome_ids ids = out->ids[i];
        uint64_t hash = hash_u64((uint64_t)ids.pid);
        bool known = false;
        uint32_t row;
        for (struct map_probe probe = map_probe(&processes, hash); map_probe_next(&probe, &row);)
            known |= out->ids[row].pid == ids.pid;
        if (!known) {
            ok = map_insert(&processes, hash, (uint32_t)i);
            write_name(out, "process_name", ids, thread->process_name);
            write_order(out, "process_sort_index", ids, i);
        }
        write_name(out, "thread_name", ids, thread->name);
        write_order(out, "thread_sort_index", ids, i);
    }
    map_free(&processes);
    return ok;
}

/* ---- counters ---- */

static struct chrome_ids ids_of_counter(const struct chrome_writer *out, const struct counter *counter)
{
    return counter->main_thread.i < out->profile->threads.count ? out->ids[counter->main_thread.i] : (struct chrome_ids){0, 0};
}

/* A profile has changes, a trace what they come to, where the sum is what counts. */
static void write_counter(struct chrome_writer *out, const struct counter *counter)
{
    const struct profile *profile = out->profile;
    bool accumulates = counter_display_accumulates(profile, counter);
    double times[COLUMN_BLOCK_ROWS], time = 0, sum = 0;
    size_t row = 0;
    for (size_t n; (n = column_next_times(&counter->time, counter->time_is_deltas, row, &time, times)) > 0; row += n)
        for (size_t i = 0; i < n && json_writer_ok(out->w); i++) {
            double count = column_get_number(&counter->count, row + i);
            sum += isnan(count) ? 0 : count;
            chrome_begin_event(out, 'C', profile_text(profile, counter->name), profile_text(profile, counter->category),
                               ids_of_counter(out, counter), times[i]);
            json_write_key(out->w, "args");
            json_write_begin_object(out->w);
            json_write_key(out->w, "value");
            json_write_number(out->w, accumulates ? sum : isnan(count) ? 0 : count);
            json_write_end_object(out->w);
            json_write_end_object(out->w);
        }
}

void chrome_write_counters(struct chrome_writer *out)
{
    for (size_t i = 0; i < out->profile->counters.rows.count; i++)
        write_counter(out, &out->profile->counters.rows.items[i]);
}

/* ---- the top level ---- */

static void write_metadata(struct chrome_writer *out)
{
    const struct meta *meta = &out->profile->meta;
    json_write_key(out->w, "displayTimeUnit");
    json_write_text(out->w, "ms");
    json_write_key(out->w, "metadata");
    json_write_begin_object(out->w);
    json_write_key(out->w, "source");
    json_write_text(out->w, "sonde");
    if (string_exists(meta->product)) {
        json_write_key(out->w, "product");
        json_write_string(out->w, profile_text(out->profile, meta->product));
    }
    json_write_end_object(out->w);
}

/* Whole milliseconds, so that the distance of a time from the grid of µs stays what it was. */
static double shift_of(const struct profile *profile)
{
    double start = profile_time_span(profile).start;
    return isfinite(start) && start < 0 ? ceil(-start) : 0;
}

/* Those that were made of events are not written beside them. */
static bool has_own_samples(const struct profile *profile)
{
    return !slice_is(quality_of(profile).samples_of, "events");
}

int export_chrome_trace(const struct profile *profile, struct byte_sink *sink, struct error *error)
{
    struct chrome_writer out = {.profile = profile, .error = error, .shift = shift_of(profile)};
    if (marker_catalog_init(&out.catalog, profile, error) == 0)
        out.w = json_writer_open(sink, 0, error);
    if (out.w) {
        json_write_begin_object(out.w);
        json_write_key(out.w, "traceEvents");
        json_write_begin_array(out.w);
        if (!make_ids(&out) || !write_names(&out) || (has_own_samples(profile) && !chrome_write_samples(&out)) ||
            !chrome_write_markers(&out))
            error_out_of_memory(error);
        else
            chrome_write_counters(&out);
        json_write_end_array(out.w);
        write_metadata(&out);
        json_write_end_object(out.w);
        json_writer_close(out.w);
    }
    marker_catalog_free(&out.catalog);
    memory_release(out.ids);
    return error->code;
}
