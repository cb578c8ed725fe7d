#include "cli/info.h"

#include "cli/info_modules.h"
#include "cli/threads.h"

#include <math.h>

/* All that the file itself says in single values; its lists (categories, schemas, …) are not for here. */
static void put_file_meta(struct json_output *output, const struct info *info)
{
    const struct value_bytes *whole = &info->profile.meta.whole;
    if (whole->bytes.count == 0)
        return;
    static const char *const said[] = {"product", "startTime", "interval", "duration", "symbolicated"};
    struct value object = value_read(whole->bytes.items);
    const uint8_t *at = object.rest;
    for (uint32_t i = 0; object.kind == VALUE_OBJECT && i < object.count; i++) {
        struct slice key = profile_text(&info->profile, value_read_key(&at));
        struct value value = value_read(at);
        bool skip = value.kind == VALUE_ARRAY || value.kind == VALUE_OBJECT;
        for (size_t k = 0; k < sizeof said / sizeof *said; k++)
            skip |= slice_equal(key, slice_of(said[k]));
        if (!skip) {
            json_write_key_slice(output->writer, key);
            value_to_json(at, &info->profile.strings, output->writer);
        }
        at = value_skip(at);
    }
}

static void put_meta(struct json_output *output, const struct info *info)
{
    const struct meta *meta = &info->profile.meta;
    json_write_key(output->writer, "meta");
    json_write_begin_object(output->writer);
    json_put_slice_or_null(output, "product", profile_text(&info->profile, meta->product));
    json_put_number(output, "startTime", meta->start_time);
    json_put_number(output, "interval", meta->interval);
    json_put_number(output, "duration", info->span.end - info->span.start);
    json_put_boolean(output, "symbolicated", meta->symbolicated);
    put_file_meta(output, info);
    json_write_end_object(output->writer);
}

static void put_processes(struct json_output *output, const struct info *info)
{
    json_write_key(output->writer, "processes");
    json_write_begin_array(output->writer);
    for (size_t i = 0; i < info->processes.count; i++) {
        const struct info_process *process = &info->processes.items[i];
        json_write_begin_object(output->writer);
        json_put_slice(output, "pid", process->pid);
        json_put_slice_or_null(output, "name", process->name);
        json_put_number(output, "start", process->start - info->span.start);
        json_put_number(output, "end", process->end - info->span.start);
        json_write_end_object(output->writer);
    }
    json_write_end_array(output->writer);
}

static void put_threads(struct json_output *output, const struct info *info)
{
    json_write_key(output->writer, "threads");
    json_write_begin_array(output->writer);
    for (size_t i = 0; i < info->profile.threads.count; i++) {
        const struct thread *thread = &info->profile.threads.items[i];
        json_write_begin_object(output->writer);
        json_put_thread_names(output, &info->profile, thread_at(i));
        struct thread_times times = thread_times(&info->profile, thread);
        json_put_number(output, "samples", (double)times.samples);
        json_put_number(output, "looks", isnan(times.waiting_ms) ? NAN : (double)times.looks);
        json_put_number(output, "markers", (double)marker_count(&thread->markers));
        json_put_number(output, "cpuMs", thread_cpu_ms(&info->profile, thread));
        json_put_number(output, "waitingMs", times.waiting_ms);
        json_put_number(output, "readyMs", times.ready_ms);
        if (info->has_faults)
            json_put_number(output, "pageFaults", info_page_faults(thread));
        json_put_number(output, "start", thread->register_time - info->span.start);
        json_put_number(output, "end", thread->unregister_time - info->span.start);
        json_write_end_object(output->writer);
    }
    json_write_end_array(output->writer);
}

static void put_counters(struct json_output *output, const struct info *info)
{
    json_write_key(output->writer, "counters");
    json_write_begin_array(output->writer);
    for (size_t i = 0; i < info->profile.counters.rows.count; i++) {
        const struct counter *counter = &info->profile.counters.rows.items[i];
        json_write_begin_object(output->writer);
        json_put_slice(output, "name", profile_text(&info->profile, counter->name));
        json_put_slice(output, "category", profile_text(&info->profile, counter->category));
        json_put_slice(output, "description", profile_text(&info->profile, counter->description));
        json_put_slice(output, "pid", profile_text(&info->profile, counter->pid));
        json_put_number(output, "samples", (double)column_count(&counter->count));
        json_write_end_object(output->writer);
    }
    json_write_end_array(output->writer);
}

/* How the profile came about is not in the formats of others: what is not known is null. */
static void put_quality(struct json_output *output, const struct info *info)
{
    const struct quality *quality = &info->quality;
    json_write_key(output->writer, "quality");
    json_write_begin_object(output->writer);
    json_put_number(output, "taken", quality->taken);
    json_put_number(output, "lost", quality->lost);
    json_put_number(output, "looks", quality->looks);
    json_put_number(output, "looksMs", quality->looks_ms);
    json_put_slice_or_null(output, "clock", quality->clock);
    json_put_slice_or_null(output, "clockRefused", quality->clock_refused);
    json_put_number(output, "tickMs", quality->tick_ms);
    json_put_number(output, "truncatedShare", quality->truncated_share);
    json_put_number(output, "kernelMs", quality->kernel_ms);
    json_put_number(output, "notSampledMs", quality->not_sampled_ms);
    json_put_number(output, "profilerStartMs", quality->profiler_start_ms);
    json_put_number(output, "unseenMs", quality->unseen_ms);
    json_put_number(output, "goneMs", quality->gone_ms);
    json_put_number(output, "unsymbolicated", (double)info->bare_frames);
    json_put_number(output, "stoppedMsP50", quality->stopped_p50);
    json_put_number(output, "stoppedMsP99", quality->stopped_p99);
    json_write_key(output->writer, "notes");
    if (quality->notes) {
        value_to_json(quality->notes, &info->profile.strings, output->writer);
    } else {
        json_write_begin_array(output->writer);
        json_write_end_array(output->writer);
    }
    json_write_end_object(output->writer);
}

int info_print_json(const struct info *info)
{
    struct json_output output;
    int status = json_output_open(&output, "info");
    if (status != EXIT_OK)
        return status;
    json_put_text(&output, "file", info->file);
    put_meta(&output, info);
    put_processes(&output, info);
    put_threads(&output, info);
    put_counters(&output, info);
    json_put_number(&output, "libs", (double)info->profile.libs.rows.count);
    info_put_modules(&output, &info->profile, &info->modules);
    put_quality(&output, info);
    memory_use_put(&output, &info->memory);
    json_put_number(&output, "modelBytes", (double)profile_bytes(&info->profile));
    json_put_number(&output, "stringBytes", (double)string_table_bytes(&info->profile.strings));
    return json_output_close(&output);
}
