#include "import/gecko_state.h"

#include <math.h>

/* ---- windows ---- */

uint64_t gecko_window(double id)
{
    return id >= 0x1p64 ? UINT64_MAX : id > 0 ? (uint64_t)id : 0;
}

bool window_set_add(struct window_set *set, uint64_t id)
{
    if (id == 0)
        return true;
    uint32_t row;
    for (struct map_probe probe = map_probe(&set->rows, hash_u64(id)); map_probe_next(&probe, &row);)
        if (set->ids.items[row] == id)
            return true;
    return map_insert(&set->rows, hash_u64(id), (uint32_t)set->ids.count) && vec_push(&set->ids, id);
}

static void window_set_clear(struct window_set *set)
{
    set->ids.count = 0;
    map_clear(&set->rows);
}

static void window_set_free(struct window_set *set)
{
    vec_free(&set->ids);
    map_free(&set->rows);
}

static bool collect_windows(struct gecko_thread *staged)
{
    uint64_t last = 0;
    for (size_t i = 0; i < staged->frames.count; i++) {
        uint64_t id = staged->frames.items[i].inner_window_id;
        if (id != last && !window_set_add(&staged->windows, id))
            return false;
        last = id;
    }
    for (size_t i = 0; i < staged->payload_windows.ids.count; i++)
        if (!window_set_add(&staged->windows, staged->payload_windows.ids.items[i]))
            return false;
    return true;
}

/* ---- tables ---- */

enum sample_field { SAMPLE_STACK = 1, SAMPLE_TIME, SAMPLE_EVENT_DELAY, SAMPLE_RESPONSIVENESS, SAMPLE_CPU, SAMPLE_ARGUMENTS };
static const char *const sample_names[] = {"stack",          "time",           "eventDelay", "responsiveness",
                                           "threadCPUDelta", "argumentValues", NULL};

struct sample_rows {
    struct gecko *gecko;
    struct thread *thread;
};

static void read_samples(struct json_reader *r, const struct gecko_schema *schema, void *data)
{
    struct sample_rows *rows = data;
    struct gecko_thread *staged = &rows->gecko->thread;
    struct sample_table *samples = &rows->thread->samples;
    bool responsiveness = !gecko_schema_has(schema, SAMPLE_EVENT_DELAY);
    unsigned delay_field = responsiveness ? SAMPLE_RESPONSIVENESS : SAMPLE_EVENT_DELAY;
    bool has_arguments = gecko_schema_has(schema, SAMPLE_ARGUMENTS);
    bool has_cpu = gecko_schema_has(schema, SAMPLE_CPU);
    if (!gecko_schema_has(schema, delay_field)) {
        json_fail(r, "samples have neither eventDelay nor responsiveness");
        return;
    }
    samples->event_delay_is_responsiveness = responsiveness;
    double last = staged->last_nanoseconds, time = isnan(samples->last_time) ? 0 : samples->last_time;
    bool ascend = staged->sample_stacks.count == 0 || samples->times_ascend;
    if (!json_begin_array(r))
        return;
    while (json_next_item(r)) {
        uint32_t stack = INDEX_NONE;
        double nanoseconds = 0, delay = NAN, cpu = NAN;
        int64_t arguments = COLUMN_ABSENT;
        json_begin_array(r);
        for (size_t cell = 0; json_next_item(r); cell++) {
            unsigned field = gecko_field(schema, cell);
            if (field == SAMPLE_STACK)
                stack = gecko_index(r);
            else if (field == SAMPLE_TIME)
                nanoseconds = gecko_read_nanoseconds(r);
            else if (field == delay_field)
                delay = json_number_or_null(r, NAN);
            else if (field == SAMPLE_CPU)
                cpu = json_number_or_null(r, NAN);
            else if (field == SAMPLE_ARGUMENTS)
                arguments = json_integer_or_null(r, COLUMN_ABSENT);
            else
                json_skip(r);
        }
        if (!vec_push(&staged->sample_stacks, stack)) {
            json_fail_out_of_memory(r);
            return;
        }
        double delta = (nanoseconds - last) / 1e6;
        last = nanoseconds;
        if (staged->sample_stacks.count == 1)
            delta += rows->gecko->process.shift;
        else
            ascend &= delta >= 0;
        time += delta;
        column_append_number(&samples->time, delta);
        column_append_number(&samples->event_delay, delay);
        if (has_cpu) {
            staged->any_cpu_delta |= !isnan(cpu);
            column_append_number(&samples->cpu_delta, cpu);
        }
        if (has_arguments)
            column_append(&samples->argument_values, arguments);
    }
    staged->last_nanoseconds = last;
    samples->last_time = time;
    samples->times_ascend = ascend;
}

enum frame_field {
    FRAME_LOCATION = 1,
    FRAME_RELEVANT,
    FRAME_WINDOW,
    FRAME_LINE,
    FRAME_COLUMN,
    FRAME_CATEGORY,
    FRAME_SUBCATEGORY
};
static const char *const frame_names[] = {"location", "relevantForJS", "innerWindowID", "line",
                                          "column",   "category",      "subcategory",   NULL};

static void read_frames(struct json_reader *r, const struct gecko_schema *schema, void *data)
{
    struct gecko_thread *staged = data;
    if (!json_begin_array(r))
        return;
    while (json_next_item(r)) {
        struct staged_frame frame = {0, INDEX_NONE, INDEX_NONE, INDEX_NONE, INDEX_NONE, INDEX_NONE, false};
        json_begin_array(r);
        for (size_t cell = 0; json_next_item(r); cell++)
            switch (gecko_field(schema, cell)) {
            case FRAME_LOCATION:
                frame.location = gecko_index(r);
                break;
            case FRAME_RELEVANT:
                frame.relevant_for_js = !json_null(r) && json_boolean(r);
                break;
            case FRAME_WINDOW:
                frame.inner_window_id = gecko_window(json_number_or_null(r, 0));
                break;
            case FRAME_LINE:
                frame.line = gecko_index(r);
                break;
            case FRAME_COLUMN:
                frame.column = gecko_index(r);
                break;
            case FRAME_CATEGORY:
                frame.category = gecko_index(r);
                break;
            case FRAME_SUBCATEGORY:
                frame.subcategory = gecko_index(r);
                break;
            default:
                json_skip(r);
            }
        if (!vec_push(&staged->frames, frame)) {
            json_fail_out_of_memory(r);
            return;
        }
    }
}

enum stack_field { STACK_PREFIX = 1, STACK_FRAME };
static const char *const stack_names[] = {"prefix", "frame", NULL};

static void read_stacks(struct json_reader *r, const struct gecko_schema *schema, void *data)
{
    struct gecko_thread *staged = data;
    if (!json_begin_array(r))
        return;
    while (json_next_item(r)) {
        struct staged_stack stack = {INDEX_NONE, INDEX_NONE};
        json_begin_array(r);
        for (size_t cell = 0; json_next_item(r); cell++) {
            unsigned field = gecko_field(schema, cell);
            if (field == STACK_PREFIX)
                stack.prefix = gecko_index(r);
            else if (field == STACK_FRAME)
                stack.frame = gecko_index(r);
            else
                json_skip(r);
        }
        if (!vec_push(&staged->stacks, stack)) {
            json_fail_out_of_memory(r);
            return;
        }
    }
}

static void read_strings(struct gecko *gecko, struct json_reader *r)
{
    if (!json_begin_array(r))
        return;
    while (json_next_item(r)) {
        struct string_index string = string_table_add(&gecko->profile->strings, json_string(r));
        if (!string_exists(string) || !vec_push(&gecko->thread.strings, string)) {
            json_fail_out_of_memory(r);
            return;
        }
    }
}

/* ---- the thread ---- */

static void begin_thread(struct gecko *gecko)
{
    struct gecko_thread *staged = &gecko->thread;
    location_resolver_begin_thread(&gecko->locations);
    staged->strings.count = 0;
    staged->frames.count = 0;
    staged->stacks.count = 0;
    staged->sample_stacks.count = 0;
    staged->last_nanoseconds = 0;
    staged->any_cpu_delta = false;
    staged->markers.count = 0;
    staged->references.count = 0;
    staged->js_allocations.count = 0;
    staged->native_allocations.count = 0;
    staged->balanced = false;
    window_set_clear(&staged->payload_windows);
    window_set_clear(&staged->windows);
    staged->other.bytes.count = 0;
    staged->other_count = 0;
}

void gecko_thread_free(struct gecko_thread *staged)
{
    vec_free(&staged->strings);
    vec_free(&staged->frames);
    vec_free(&staged->stacks);
    vec_free(&staged->sample_stacks);
    vec_free(&staged->markers);
    vec_free(&staged->order);
    vec_free(&staged->references);
    vec_free(&staged->js_allocations);
    vec_free(&staged->native_allocations);
    window_set_free(&staged->payload_windows);
    window_set_free(&staged->windows);
    value_bytes_free(&staged->other);
    vec_free(&staged->stack_roles);
    vec_free(&staged->frame_roles);
    vec_free(&staged->located);
    vec_free(&staged->walked);
    vec_free(&staged->sampled);
    vec_free(&staged->copy_of_frame);
}

/* A key that is handed on under the same name. */
static void hand_on(struct gecko *gecko, struct json_reader *r, struct slice key)
{
    struct gecko_thread *staged = &gecko->thread;
    struct string_index name = string_table_add(&gecko->profile->strings, key);
    if (!string_exists(name) || !value_put_key(&staged->other, name))
        json_fail_out_of_memory(r);
    value_from_json(r, &gecko->profile->strings, &staged->other);
    staged->other_count++;
}

static bool is_handed_on(struct slice key)
{
    return slice_is(key, "eTLD+1") || slice_is(key, "isPrivateBrowsing") || slice_is(key, "userContextId") ||
           slice_is(key, "tracedObjectShapes");
}

static void read_member(struct gecko *gecko, struct json_reader *r, struct slice key, struct thread *thread)
{
    struct gecko_thread *staged = &gecko->thread;
    double shift = gecko->process.shift;
    if (slice_is(key, "name"))
        thread->name = gecko_read_string(gecko, r);
    else if (slice_is(key, "processType"))
        thread->process_type = gecko_read_string(gecko, r);
    else if (slice_is(key, "processName"))
        thread->process_name = gecko_read_string(gecko, r);
    else if (slice_is(key, "registerTime"))
        thread->register_time = json_number_or_null(r, 0) + shift;
    else if (slice_is(key, "unregisterTime"))
        thread->unregister_time = json_number_or_null(r, NAN) + shift;
    else if (slice_is(key, "pid"))
        thread->pid = gecko_read_id(gecko, r, NULL);
    else if (slice_is(key, "tid"))
        thread->tid = gecko_read_id(gecko, r, &thread->tid_is_text);
    else if (slice_is(key, "samples"))
        gecko_table_read(r, sample_names, read_samples, &(struct sample_rows){gecko, thread});
    else if (slice_is(key, "markers"))
        gecko_read_markers(gecko, r, thread);
    else if (slice_is(key, "stackTable"))
        gecko_table_read(r, stack_names, read_stacks, staged);
    else if (slice_is(key, "frameTable"))
        gecko_table_read(r, frame_names, read_frames, staged);
    else if (slice_is(key, "stringTable"))
        read_strings(gecko, r);
    else if (is_handed_on(key))
        hand_on(gecko, r, key);
    else
        json_skip(r);
}

/* Where each sample's stack went. */
static void finish_samples(struct gecko *gecko, struct thread *thread)
{
    struct gecko_thread *staged = &gecko->thread;
    struct sample_table *samples = &thread->samples;
    uint32_t before = INDEX_NONE, moved = INDEX_NONE;
    for (size_t i = 0; i < staged->sample_stacks.count; i++) {
        uint32_t stack = staged->sample_stacks.items[i];
        if (stack != before) {
            before = stack;
            moved = stack == INDEX_NONE ? INDEX_NONE : staged->sampled.items[stack];
        }
        column_append_index(&samples->stack, moved);
    }
    samples->time_is_deltas = true;
    if (!staged->any_cpu_delta)
        column_free(&samples->cpu_delta);
}

static bool put_key(struct gecko *gecko, struct value_bytes *out, struct slice key)
{
    struct string_index name = string_table_add(&gecko->profile->strings, key);
    return string_exists(name) && value_put_key(out, name);
}

/* The object of everything that the model has no place for; gecko_finish_process adds what is said of the whole process. */
static bool finish_other(struct gecko *gecko, struct thread *thread)
{
    struct gecko_thread *staged = &gecko->thread;
    struct value_bytes *out = &thread->other;
    bool has_windows = staged->windows.ids.count > 0;
    if (!value_put_object(out, staged->other_count + has_windows))
        return false;
    if (has_windows) {
        if (!put_key(gecko, out, SLICE("usedInnerWindowIDs")) || !value_put_array(out, (uint32_t)staged->windows.ids.count))
            return false;
        for (size_t i = 0; i < staged->windows.ids.count; i++)
            if (!value_put_number(out, (double)staged->windows.ids.items[i]))
                return false;
    }
    return value_put_bytes(out, staged->other.bytes.items, staged->other.bytes.count);
}

static bool finish_thread(struct gecko *gecko, struct json_reader *r, struct thread *thread)
{
    thread->is_main_thread = slice_is(profile_text(gecko->profile, thread->name), "GeckoMain");
    thread->process_startup_time = gecko->process.shift;
    thread->process_shutdown_time = gecko->process.shutdown_time + gecko->process.shift;
    if (!collect_windows(&gecko->thread) || !gecko_sort_markers(gecko) || !gecko_finish_stacks(gecko, r))
        return false;
    finish_samples(gecko, thread);
    if (!gecko_finish_markers(gecko, r, thread) || !finish_other(gecko, thread))
        return false;
    gecko->processed.r = r;
    processed_upgrade_markers(&gecko->processed, thread);
    return json_ok(r) && thread_seal(thread);
}

void gecko_read_thread(struct gecko *gecko, struct json_reader *r)
{
    struct thread *thread = profile_add_thread(gecko->profile);
    if (!thread) {
        json_fail_out_of_memory(r);
        return;
    }
    begin_thread(gecko);
    thread->process_name = string_table_add(&gecko->profile->strings, SLICE(""));
    thread->register_time = gecko->process.shift;
    if (!json_begin_object(r))
        return;
    for (struct slice key; json_next_key(r, &key);)
        read_member(gecko, r, key, thread);
    if (!json_ok(r))
        return;
    if (!string_exists(thread->name))
        json_fail(r, "a thread without a name");
    else if (!finish_thread(gecko, r, thread))
        json_fail_out_of_memory(r); /* an error that was set before stays */
}
