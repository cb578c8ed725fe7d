/* Threads of processed profiles. */
#include "common/count.h"
#include "import/processed_table.h"

#include <math.h>

/* ---- samples and allocations ---- */

/* Moves `from` into `into` where the file had no column for the latter. */
static void column_take(struct column *into, struct column *from, bool take)
{
    if (take) {
        struct column unused = *into;
        *into = *from;
        *from = unused;
    }
    column_free(from);
}

static void read_weight_type(struct processed *p, void *data)
{
    enum weight_type *type = data;
    if (json_null(p->r))
        return;
    struct slice name = json_string(p->r);
    if (json_ok(p->r) && !weight_type_parse(name, type))
        json_fail(p->r, "unknown weightType of samples");
}

static void read_samples(struct processed *p, struct thread *thread, int64_t stack_base)
{
    struct sample_table *samples = &thread->samples;
    struct column deltas, responsiveness;
    column_init(&deltas, COLUMN_NUMBERS, &p->profile->arena);
    column_init(&responsiveness, COLUMN_NUMBERS, &p->profile->arena);
    enum { STACK, TIME, DELTAS, DELAY, RESPONSIVENESS };
    struct file_column columns[] = {
        [STACK] = {"stack", &samples->stack, .cell = CELL_INDEX, .required = true, .shift = stack_base},
        [TIME] = {"time", &samples->time, .cell = CELL_NUMBER},
        [DELTAS] = {"timeDeltas", &deltas, .cell = CELL_NUMBER},
        [DELAY] = {"eventDelay", &samples->event_delay, .cell = CELL_NUMBER},
        [RESPONSIVENESS] = {"responsiveness", &responsiveness, .cell = CELL_NUMBER},
        {"weight", &samples->weight, .cell = CELL_NUMBER},
        {"weightType", .cell = CELL_NONE, .read = read_weight_type, .data = &samples->weight_type},
        {"threadCPUDelta", &samples->cpu_delta, .cell = CELL_NUMBER},
        {"argumentValues", &samples->argument_values, .cell = CELL_INTEGER},
    };
    size_t rows = processed_read_table(p, "samples", columns, COUNT(columns));
    if (json_ok(p->r) && rows > 0 && !columns[TIME].found && !columns[DELTAS].found)
        processed_fail(p, "samples have neither time nor timeDeltas");
    samples->time_is_deltas = !columns[TIME].found && columns[DELTAS].found;
    samples->event_delay_is_responsiveness = rows > 0 && !columns[DELAY].found && columns[RESPONSIVENESS].found;
    column_take(&samples->time, &deltas, samples->time_is_deltas);
    column_take(&samples->event_delay, &responsiveness, samples->event_delay_is_responsiveness);
}

static void read_js_allocations(struct processed *p, struct thread *thread, int64_t stack_base)
{
    struct allocation_table *table = &thread->js_allocations;
    struct file_column columns[] = {
        {"stack", &table->stack, .cell = CELL_INDEX, .required = true, .shift = stack_base},
        {"time", &table->time, .cell = CELL_NUMBER, .required = true},
        {"weight", &table->weight, .cell = CELL_NUMBER, .required = true},
        {"className", &table->class_name, .cell = CELL_TEXT},
        {"typeName", &table->type_name, .cell = CELL_TEXT},
        {"coarseType", &table->coarse_type, .cell = CELL_TEXT},
        {"inNursery", &table->in_nursery, .cell = CELL_BOOLEAN},
        {"size", &table->size, .cell = CELL_NUMBER},
    };
    size_t rows = processed_read_table(p, "jsAllocations", columns, COUNT(columns));
    column_fill(&table->class_name, rows, COLUMN_ABSENT);
    column_fill(&table->type_name, rows, COLUMN_ABSENT);
    column_fill(&table->coarse_type, rows, COLUMN_ABSENT);
    column_fill(&table->in_nursery, rows, 0);
    table->present = true;
}

static void read_native_allocations(struct processed *p, struct thread *thread, int64_t stack_base)
{
    struct allocation_table *table = &thread->native_allocations;
    struct file_column columns[] = {
        {"stack", &table->stack, .cell = CELL_INDEX, .required = true, .shift = stack_base},
        {"time", &table->time, .cell = CELL_NUMBER, .required = true},
        {"weight", &table->weight, .cell = CELL_NUMBER, .required = true},
        {"memoryAddress", &table->memory_address, .cell = CELL_NUMBER},
        {"threadId", &table->thread_id, .cell = CELL_INTEGER},
        {"size", &table->size, .cell = CELL_NUMBER},
    };
    size_t rows = processed_read_table(p, "nativeAllocations", columns, COUNT(columns));
    if (columns[3].found != columns[4].found) {
        column_fill_numbers(&table->memory_address, rows, (double)NAN);
        column_fill(&table->thread_id, rows, COLUMN_ABSENT);
    }
    table->present = true;
}

static void read_page_faults(struct processed *p, struct thread *thread, int64_t stack_base)
{
    struct allocation_table *table = &thread->page_faults;
    struct file_column columns[] = {
        {"stack", &table->stack, .cell = CELL_INDEX, .required = true, .shift = stack_base},
        {"time", &table->time, .cell = CELL_NUMBER, .required = true},
        {"weight", &table->weight, .cell = CELL_NUMBER, .required = true},
    };
    size_t rows = processed_read_table(p, "pageFaults", columns, COUNT(columns));
    column_fill_numbers(&table->size, rows, 1);
    table->present = true;
}

/* ---- windows ---- */

struct windows {
    VEC(double) ids;
    struct map by_id;
};

static bool windows_add(struct windows *windows, double id)
{
    uint32_t row;
    uint64_t bits, hash;
    memcpy(&bits, &id, sizeof bits);
    hash = hash_u64(bits);
    if (id == 0 || isnan(id))
        return true;
    for (struct map_probe probe = map_probe(&windows->by_id, hash); map_probe_next(&probe, &row);)
        if (windows->ids.items[row] == id)
            return true;
    return map_insert(&windows->by_id, hash, (uint32_t)windows->ids.count) && vec_push(&windows->ids, id);
}

static bool windows_collect(struct windows *windows, const struct profile *profile, const struct thread *thread,
                            size_t first_frame)
{
    bool done = true;
    for (size_t i = first_frame; i < frame_count(&profile->frames) && done; i++) {
        int64_t id = column_get(&profile->frames.inner_window_id, i);
        done = id == COLUMN_ABSENT || windows_add(windows, (double)(uint64_t)id);
    }
    struct string_index key = string_table_find(&profile->strings, SLICE("innerWindowID"));
    for (size_t i = 0; i < marker_count(&thread->markers) && done; i++) {
        int64_t offset = column_get(&thread->markers.data, i);
        const uint8_t *at = offset == COLUMN_ABSENT ? NULL : value_find(thread->markers.payloads.bytes.items + offset, key);
        struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
        double id;
        if (value_as_number(&value, &id))
            done = windows_add(windows, id);
    }
    return done;
}

/* Threads from before PROCESSED_USED_WINDOWS do not say which windows they ran code of. */
static void keep_used_windows(struct processed *p, struct thread *thread, uint32_t *kept, size_t first_frame)
{
    struct windows windows = {0};
    bool done = windows_collect(&windows, p->profile, thread, first_frame);
    if (done && windows.ids.count > 0 &&
        processed_keep_key(p, &thread->other, kept, processed_intern(p, SLICE("usedInnerWindowIDs")))) {
        done = value_put_array(&thread->other, (uint32_t)windows.ids.count);
        for (size_t i = 0; i < windows.ids.count && done; i++)
            done = value_put_number(&thread->other, windows.ids.items[i]);
    }
    if (!done)
        processed_out_of_memory(p);
    vec_free(&windows.ids);
    map_free(&windows.by_id);
}

/* ---- the events of the JavaScript tracer are indices of strings; they are kept as the strings ---- */

static void keep_tracer_events(struct processed *p, struct value_bytes *out)
{
    uint32_t count = 0;
    size_t place = value_open(out);
    bool done = place != SIZE_MAX;
    if (done && json_begin_array(p->r))
        for (; json_next_item(p->r); count++) {
            struct string_index event = processed_string(p, json_integer_or_null(p->r, COLUMN_ABSENT), "jsTracer", count);
            done &= string_exists(event) ? value_put_string(out, event) : value_put_null(out);
        }
    if (json_ok(p->r) && !(done && value_close_array(out, place, count)))
        processed_out_of_memory(p);
}

static void keep_tracer(struct processed *p, struct value_bytes *out)
{
    uint32_t count = 0;
    size_t place = value_open(out);
    bool done = place != SIZE_MAX;
    if (done && json_begin_object(p->r))
        for (struct slice key; json_next_key(p->r, &key); count++) {
            bool events = slice_is(key, "events");
            done &= value_put_key(out, processed_intern(p, key));
            if (events)
                keep_tracer_events(p, out);
            else
                value_from_json(p->r, &p->profile->strings, out);
        }
    if (json_ok(p->r) && !(done && value_close_object(out, place, count)))
        processed_out_of_memory(p);
}

/* ---- threads ---- */

static bool read_plain_field(struct processed *p, struct thread *thread, struct slice key)
{
    const struct {
        const char *key;
        struct string_index *into;
    } texts[] = {
        {"name", &thread->name},
        {"processType", &thread->process_type},
        {"processName", &thread->process_name},
        {"pid", &thread->pid},
    };
    const struct {
        const char *key;
        double *into;
    } numbers[] = {
        {"processStartupTime", &thread->process_startup_time},
        {"processShutdownTime", &thread->process_shutdown_time},
        {"registerTime", &thread->register_time},
        {"unregisterTime", &thread->unregister_time},
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        if (slice_equal(key, slice_of(texts[i].key))) {
            *texts[i].into = processed_read_name(p, NULL);
            return true;
        }
    for (size_t i = 0; i < COUNT(numbers); i++)
        if (slice_equal(key, slice_of(numbers[i].key))) {
            *numbers[i].into = json_number_or_null(p->r, (double)NAN);
            return true;
        }
    if (slice_is(key, "tid"))
        thread->tid = processed_read_name(p, &thread->tid_is_text);
    else if (slice_is(key, "isMainThread"))
        thread->is_main_thread = json_boolean(p->r);
    else
        return false;
    return true;
}

static void read_thread_key(struct processed *p, struct thread *thread, struct shared_tables *own_tables, int64_t stack_base,
                            struct slice key, uint32_t *kept)
{
    if (read_plain_field(p, thread, key))
        return;
    if (slice_is(key, "samples"))
        read_samples(p, thread, stack_base);
    else if (slice_is(key, "markers"))
        processed_read_markers(p, thread, stack_base);
    else if (slice_is(key, "jsAllocations") && json_peek(p->r) == JSON_OBJECT)
        read_js_allocations(p, thread, stack_base);
    else if (slice_is(key, "nativeAllocations") && json_peek(p->r) == JSON_OBJECT)
        read_native_allocations(p, thread, stack_base);
    else if (slice_is(key, "pageFaults") && json_peek(p->r) == JSON_OBJECT)
        read_page_faults(p, thread, stack_base);
    else if (slice_is(key, "stringArray") && p->version < PROCESSED_SHARED_STRINGS)
        json_skip(p->r); /* read before */
    else if (own_tables && shared_tables_read(p, own_tables, key))
        return;
    else if (slice_is(key, "jsTracer") && json_peek(p->r) == JSON_OBJECT) {
        if (processed_keep_key(p, &thread->other, kept, processed_intern(p, SLICE("jsTracer"))))
            keep_tracer(p, &thread->other);
    } else
        processed_keep(p, &thread->other, kept, key);
}

static void read_thread(struct processed *p)
{
    struct thread *thread = profile_add_thread(p->profile);
    struct shared_tables *own_tables = p->version < PROCESSED_SHARED_TABLES ? shared_tables_create(p) : NULL;
    int64_t stack_base = own_tables ? (int64_t)stack_count(&p->profile->stacks) : 0;
    size_t first_frame = frame_count(&p->profile->frames);
    uint32_t kept = 0;
    if (!thread)
        processed_out_of_memory(p);
    if (thread && json_begin_object(p->r))
        for (struct slice key; json_next_key(p->r, &key);)
            read_thread_key(p, thread, own_tables, stack_base, key, &kept);
    if (own_tables)
        shared_tables_add(p, own_tables);
    shared_tables_free(own_tables);
    if (json_ok(p->r))
        processed_upgrade_markers(p, thread);
    if (json_ok(p->r) && p->version < PROCESSED_USED_WINDOWS)
        keep_used_windows(p, thread, &kept, first_frame);
    if (!thread)
        return;
    processed_keep_end(p, &thread->other, kept);
    /* At once: the buffers of columns that are not packed yet take more room than a small thread. */
    if (!thread_seal(thread))
        processed_out_of_memory(p);
}

static void read_thread_strings(struct processed *p)
{
    p->strings.count = 0;
    if (json_begin_object(p->r))
        for (struct slice key; json_next_key(p->r, &key);) {
            if (slice_is(key, "stringArray"))
                processed_read_strings(p);
            else
                json_skip(p->r);
        }
}

/* A thread whose strings are its own is read twice, because they may come last. */
static void read_thread_with_strings(struct processed *p)
{
    uint64_t offset = json_offset(p->r);
    struct slice text = json_capture(p->r);
    processed_replay(p, text, offset, read_thread_strings);
    processed_replay(p, text, offset, read_thread);
    memory_release((char *)text.text);
}

void processed_read_threads(struct processed *p)
{
    if (json_begin_array(p->r))
        while (json_next_item(p->r)) {
            if (p->version < PROCESSED_SHARED_STRINGS)
                read_thread_with_strings(p);
            else
                read_thread(p);
        }
}
