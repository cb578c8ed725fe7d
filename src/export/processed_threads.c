/* Threads: samples, markers, allocations. */
#include "export/processed_writer.h"

#include <math.h>
#include <stdlib.h>

static void write_number_under(struct processed_writer *out, const char *key, double number)
{
    json_write_key(out->w, key);
    json_write_number(out->w, number);
}

static void write_text_under(struct processed_writer *out, const char *key, struct string_index text, const char *absent)
{
    json_write_key(out->w, key);
    if (string_exists(text))
        json_write_string(out->w, profile_text(out->profile, text));
    else
        json_write_text(out->w, absent);
}

void processed_write_tid(struct processed_writer *out, struct string_index tid, bool as_text)
{
    struct slice text = profile_text(out->profile, tid);
    char *end;
    double number = strtod(text.text, &end);
    if (!string_exists(tid))
        json_write_integer(out->w, 0);
    else if (as_text || text.length == 0 || end != text.text + text.length || !isfinite(number))
        json_write_string(out->w, text);
    else
        json_write_number(out->w, number);
}

static void write_samples(struct processed_writer *out, const struct sample_table *samples)
{
    size_t rows = sample_count(samples);
    json_write_begin_object(out->w);
    processed_write_integers(out, "stack", &samples->stack, rows);
    processed_write_numbers(out, samples->time_is_deltas ? "timeDeltas" : "time", &samples->time, rows);
    json_write_key(out->w, "weightType");
    json_write_text(out->w, weight_type_name(samples->weight_type));
    if (sample_table_has(&samples->weight)) {
        processed_write_numbers(out, "weight", &samples->weight, rows);
    } else {
        json_write_key(out->w, "weight");
        json_write_null(out->w);
    }
    if (sample_table_has(&samples->event_delay))
        processed_write_numbers(out, samples->event_delay_is_responsiveness ? "responsiveness" : "eventDelay",
                                &samples->event_delay, rows);
    if (sample_table_has(&samples->cpu_delta))
        processed_write_numbers(out, "threadCPUDelta", &samples->cpu_delta, rows);
    if (sample_table_has(&samples->argument_values))
        processed_write_integers(out, "argumentValues", &samples->argument_values, rows);
    processed_write_length(out, rows);
    json_write_end_object(out->w);
}

static void write_payloads(struct processed_writer *out, const struct thread *thread)
{
    json_write_key(out->w, "data");
    json_write_begin_array(out->w);
    for (size_t i = 0; i < marker_count(&thread->markers); i++) {
        struct raw_marker marker = marker_table_get(&thread->markers, marker_at(i));
        processed_write_payload(out, &marker, thread->tid_is_text);
    }
    json_write_end_array(out->w);
}

static void write_thread_ids(struct processed_writer *out, const struct thread *thread)
{
    json_write_key(out->w, "threadId");
    json_write_begin_array(out->w);
    for (size_t i = 0; i < marker_count(&thread->markers); i++) {
        struct string_index tid = string_at(column_get_index(&thread->markers.thread_id, i));
        if (string_exists(tid))
            processed_write_tid(out, tid, thread->tid_is_text);
        else
            json_write_null(out->w);
    }
    json_write_end_array(out->w);
}

static void write_markers(struct processed_writer *out, const struct thread *thread)
{
    const struct marker_table *markers = &thread->markers;
    const struct profile *profile = out->profile;
    struct category_index category = category_list_default(&profile->categories, &profile->strings);
    size_t rows = marker_count(markers);
    json_write_begin_object(out->w);
    write_payloads(out, thread);
    processed_write_strings(out, "name", &markers->name, rows);
    processed_write_numbers(out, "startTime", &markers->start, rows);
    processed_write_numbers(out, "endTime", &markers->end, rows);
    processed_write_integers(out, "phase", &markers->phase, rows);
    processed_write_integers_or(out, "category", &markers->category, rows, category_exists(category) ? category.i : 0);
    if (!column_is_empty(&markers->thread_id))
        write_thread_ids(out, thread);
    processed_write_length(out, rows);
    json_write_end_object(out->w);
}

static void write_allocations(struct processed_writer *out, const char *key, const struct allocation_table *table, bool is_js)
{
    if (!table->present)
        return;
    size_t rows = allocation_count(table);
    json_write_key(out->w, key);
    json_write_begin_object(out->w);
    processed_write_numbers(out, "time", &table->time, rows);
    processed_write_numbers(out, "weight", &table->weight, rows);
    json_write_key(out->w, "weightType");
    json_write_text(out->w, "bytes");
    processed_write_integers(out, "stack", &table->stack, rows);
    if (is_js) {
        processed_write_texts(out, "className", &table->class_name, rows);
        processed_write_texts(out, "typeName", &table->type_name, rows);
        processed_write_texts(out, "coarseType", &table->coarse_type, rows);
        json_write_key(out->w, "inNursery");
        json_write_begin_array(out->w);
        for (size_t i = 0; i < rows; i++)
            json_write_boolean(out->w, column_get(&table->in_nursery, i) == 1);
        json_write_end_array(out->w);
    } else if (allocation_table_is_balanced(table)) {
        processed_write_numbers(out, "memoryAddress", &table->memory_address, rows);
        processed_write_integers(out, "threadId", &table->thread_id, rows);
    }
    /* Our own: the Firefox Profiler leaves it alone. */
    if (allocation_table_has_sizes(table))
        processed_write_numbers(out, "size", &table->size, rows);
    processed_write_length(out, rows);
    json_write_end_object(out->w);
}

/* Our own, too. */
static void write_page_faults(struct processed_writer *out, const struct allocation_table *table)
{
    if (!table->present)
        return;
    size_t rows = allocation_count(table);
    json_write_key(out->w, "pageFaults");
    json_write_begin_object(out->w);
    processed_write_numbers(out, "time", &table->time, rows);
    processed_write_numbers(out, "weight", &table->weight, rows);
    processed_write_integers(out, "stack", &table->stack, rows);
    processed_write_length(out, rows);
    json_write_end_object(out->w);
}

/* What the file that was read said of the thread, and what every file has to say. */
static void write_other(struct processed_writer *out, const struct thread *thread)
{
    const struct string_table *strings = &out->profile->strings;
    bool paused_ranges = false;
    if (thread->other.bytes.count > 0) {
        struct value object = value_read(thread->other.bytes.items);
        const uint8_t *at = object.rest;
        for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
            struct slice key = string_table_get(strings, value_read_key(&at));
            paused_ranges |= slice_is(key, "pausedRanges");
            json_write_key_slice(out->w, key);
            if (slice_is(key, "jsTracer"))
                processed_write_tracer(out, at);
            else
                value_to_json(at, strings, out->w);
        }
    }
    if (!paused_ranges) {
        json_write_key(out->w, "pausedRanges");
        json_write_begin_array(out->w);
        json_write_end_array(out->w);
    }
}

void processed_write_thread(struct processed_writer *out, const struct thread *thread)
{
    json_write_begin_object(out->w);
    write_text_under(out, "name", thread->name, "");
    json_write_key(out->w, "isMainThread");
    json_write_boolean(out->w, thread->is_main_thread);
    write_text_under(out, "processType", thread->process_type, "default");
    if (string_exists(thread->process_name))
        write_text_under(out, "processName", thread->process_name, "");
    write_number_under(out, "processStartupTime", isnan(thread->process_startup_time) ? 0 : thread->process_startup_time);
    write_number_under(out, "processShutdownTime", thread->process_shutdown_time);
    write_number_under(out, "registerTime", isnan(thread->register_time) ? 0 : thread->register_time);
    write_number_under(out, "unregisterTime", thread->unregister_time);
    write_text_under(out, "pid", thread->pid, "0");
    json_write_key(out->w, "tid");
    processed_write_tid(out, thread->tid, thread->tid_is_text);
    write_other(out, thread);
    json_write_key(out->w, "samples");
    write_samples(out, &thread->samples);
    json_write_key(out->w, "markers");
    write_markers(out, thread);
    write_allocations(out, "jsAllocations", &thread->js_allocations, true);
    write_allocations(out, "nativeAllocations", &thread->native_allocations, false);
    write_page_faults(out, &thread->page_faults);
    json_write_end_object(out->w);
}
