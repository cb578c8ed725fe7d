/* Counter events: one counter for each number that events of a name have in their arguments.
 *
 *     {"ph":"C","name":"heap","ts":1000,"args":{"used":7,"free":2}}   ──▶   `heap used`, `heap free`
 *
 * A trace has values, a profile the changes between them. */
#include "import/trace_import.h"

#include <math.h>
#include <stdlib.h>

struct counter_row {
    double time, value;
};

struct counted {
    int64_t pid;
    uint32_t thread; /* of the profile */
    struct string_index name, key, id, category;
    VEC(struct counter_row) rows;
};

struct counter_import {
    struct trace_import *import;
    VEC(struct counted) counters;
    struct map by_key;
};

static struct counted *find_counter(struct counter_import *counters, const struct trace_thread *thread, uint32_t profile_thread,
                                    const struct trace_other *other, struct string_index key)
{
    uint64_t hash = hash_combine(hash_combine(other->event.name.i, key.i), hash_combine(other->id.i, (uint64_t)thread->pid));
    uint32_t row;
    for (struct map_probe probe = map_probe(&counters->by_key, hash); map_probe_next(&probe, &row);) {
        struct counted *known = &counters->counters.items[row];
        if (known->pid == thread->pid && string_same(known->name, other->event.name) && string_same(known->key, key) &&
            string_same(known->id, other->id))
            return known;
    }
    struct counted counted = {
        .pid = thread->pid,
        .thread = profile_thread,
        .name = other->event.name,
        .key = key,
        .id = other->id,
        .category = other->event.category,
    };
    row = (uint32_t)counters->counters.count;
    bool ok = vec_push(&counters->counters, counted) && map_insert(&counters->by_key, hash, row);
    return ok ? &counters->counters.items[row] : NULL;
}

static bool take_event(struct counter_import *counters, const struct trace_thread *thread, uint32_t profile_thread,
                       const struct trace_other *other)
{
    const uint8_t *arguments = trace_payloads_arguments(&counters->import->payloads, other->event.arguments);
    if (!arguments || value_read(arguments).kind != VALUE_OBJECT || !string_exists(other->event.name))
        return true;
    struct value members = value_read(arguments);
    const uint8_t *at = members.rest;
    for (uint32_t i = 0; i < members.count; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        struct value value = value_read(at);
        struct counter_row row = {other->event.ts / 1000, 0};
        if (!value_as_number(&value, &row.value) || !isfinite(row.time))
            continue;
        struct counted *counted = find_counter(counters, thread, profile_thread, other, key);
        if (!counted || !vec_push(&counted->rows, row))
            return false;
    }
    return true;
}

/* ---- the counters of the profile ---- */

/* `name`, `name key` or `name key id`. */
static struct string_index name_of(struct profile *profile, const struct counted *counted)
{
    struct text_buffer text = {0};
    struct slice key = profile_text(profile, counted->key);
    text_add(&text, profile_text(profile, counted->name));
    if (!slice_is(key, "value") && !string_same(counted->key, counted->name)) {
        text_add_char(&text, ' ');
        text_add(&text, key);
    }
    if (string_exists(counted->id)) {
        text_add_char(&text, ' ');
        text_add(&text, profile_text(profile, counted->id));
    }
    struct string_index name = text.failed ? STRING_NONE : string_table_add(&profile->strings, text_slice(&text));
    text_free(&text);
    return name;
}

/* A line of values; what is memory has a way of its own to be drawn. */
static bool put_display(struct profile *profile, struct counter *counter)
{
    struct string_table *strings = &profile->strings;
    if (slice_is(profile_text(profile, counter->category), "Memory"))
        return true;
    const struct {
        struct slice key, text;
    } texts[] = {
        {SLICE("graphType"), SLICE("line-accumulated")},
        {SLICE("unit"), SLICE("")},
        {SLICE("color"), SLICE("grey")},
        {SLICE("label"), profile_text(profile, counter->name)},
    };
    struct string_index place = string_table_add(strings, SLICE("markerSchemaLocation"));
    struct string_index weight = string_table_add(strings, SLICE("sortWeight"));
    bool ok = string_exists(place) && string_exists(weight) && value_put_object(&counter->display, 6);
    for (size_t i = 0; ok && i < sizeof texts / sizeof *texts; i++) {
        struct string_index key = string_table_add(strings, texts[i].key), text = string_table_add(strings, texts[i].text);
        ok = string_exists(key) && string_exists(text) && value_put_key(&counter->display, key) &&
             value_put_string(&counter->display, text);
    }
    return ok && value_put_key(&counter->display, place) && value_put_null(&counter->display) &&
           value_put_key(&counter->display, weight) && value_put_integer(&counter->display, 50);
}

static int compare_rows(const void *a, const void *b)
{
    const struct counter_row *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

static bool is_sorted(const struct counted *counted)
{
    for (size_t i = 1; i < counted->rows.count; i++)
        if (counted->rows.items[i].time < counted->rows.items[i - 1].time)
            return false;
    return true;
}

static bool append_counter(struct trace_import *import, struct counted *counted)
{
    struct profile *profile = import->profile;
    struct counter *counter = counter_list_add(&profile->counters, &profile->arena);
    if (!counter)
        return false;
    counter->name = name_of(profile, counted);
    counter->category = string_exists(counted->category) ? counted->category : string_table_add(&profile->strings, SLICE(""));
    counter->description = string_table_add(&profile->strings, SLICE(""));
    counter->pid = profile->threads.items[counted->thread].pid;
    counter->main_thread = thread_at(counted->thread);
    if (!string_exists(counter->name) || !string_exists(counter->category) || !string_exists(counter->description) ||
        !put_display(profile, counter))
        return false;
    if (!is_sorted(counted))
        qsort(counted->rows.items, counted->rows.count, sizeof *counted->rows.items, compare_rows);
    double before = 0;
    for (size_t i = 0; i < counted->rows.count; i++) {
        struct counter_row row = counted->rows.items[i];
        column_append_number(&counter->time, row.time);
        column_append_number(&counter->count, row.value - before);
        before = row.value;
        trace_import_note_time(import, row.time);
    }
    return column_seal(&counter->time) && column_seal(&counter->count);
}

int trace_import_counters(struct trace_import *import)
{
    struct counter_import counters = {.import = import};
    bool ok = true;
    for (size_t t = 0; ok && t < import->trace.threads.count; t++) {
        const struct trace_thread *thread = &import->trace.threads.items[t];
        for (size_t i = 0; ok && i < thread->others.count; i++)
            if (thread->others.items[i].event.phase == 'C')
                ok = take_event(&counters, thread, import->main_thread_of[t], &thread->others.items[i]);
    }
    for (size_t i = 0; i < counters.counters.count; i++) {
        ok = ok && append_counter(import, &counters.counters.items[i]);
        vec_free(&counters.counters.items[i].rows);
    }
    vec_free(&counters.counters);
    map_free(&counters.by_key);
    return ok ? 0 : error_out_of_memory(import->error);
}
