/* open: everything for the first picture. */
#include "api/ask.h"

#include "api/first_view.h"
#include "api/heavy_path.h"
#include "profile/quality.h"
#include "profile/thread_times.h"

#include <errno.h>
#include <math.h>

enum { OPEN_LEVELS = 17, FACT_MOST = 4096 /* bytes of a text */ };

/* ---- the profile ---- */

static void put_meta(struct asking *asking)
{
    static const char *const units[] = {NULL, "ns", "us", "cycles"};
    struct reply *reply = asking->reply;
    const struct meta *meta = &asking->profile->meta;
    reply_put_string(reply, "product", meta->product);
    reply_put_number(reply, "interval", meta->interval);
    reply_put_number(reply, "start_time", meta->start_time);
    reply_put_boolean(reply, "symbolicated", meta->symbolicated);
    reply_put_text(reply, "cpu_unit", units[meta->cpu_unit]);
    reply_put_number(reply, "zero", asking->start);
    json_write_key(reply->json, "range");
    json_write_begin_array(reply->json);
    json_write_number(reply->json, asking->root_start - asking->start);
    json_write_number(reply->json, asking->root_end - asking->start);
    json_write_end_array(reply->json);
}

/* Single values that the file has about where it was recorded, as it has them. */
static void put_facts(struct asking *asking)
{
    static const struct slice keys[] = {
        SLICE("arguments"),  SLICE("platform"),   SLICE("oscpu"),       SLICE("abi"),
        SLICE("device"),     SLICE("CPUName"),    SLICE("logicalCPUs"), SLICE("physicalCPUs"),
        SLICE("mainMemory"), SLICE("appBuildID"), SLICE("sourceURL"),
    };
    struct json_writer *w = asking->reply->json;
    const struct profile *profile = asking->profile;
    const struct value_bytes *whole = &profile->meta.whole;
    json_write_key(w, "facts");
    json_write_begin_object(w);
    for (size_t i = 0; i < sizeof keys / sizeof *keys && whole->bytes.count > 0; i++) {
        const uint8_t *at = value_find(whole->bytes.items, string_table_find(&profile->strings, keys[i]));
        struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
        double number;
        if (value.kind == VALUE_STRING) {
            struct slice text = profile_text(profile, value.string);
            json_write_key_slice(w, keys[i]);
            json_write_string(w, slice_until(text, text.length < FACT_MOST ? text.length : FACT_MOST));
        } else if (value_as_number(&value, &number)) {
            json_write_key_slice(w, keys[i]);
            json_write_number(w, number);
        }
    }
    json_write_end_object(w);
}

static void put_quality(struct asking *asking)
{
    const uint8_t *quality = quality_find(asking->profile);
    json_write_key(asking->reply->json, "quality");
    if (quality && value_read(quality).kind == VALUE_OBJECT)
        value_to_json(quality, &asking->profile->strings, asking->reply->json);
    else
        json_write_null(asking->reply->json);
}

/* How many stacks end in a frame of each category: whether categories tell frames apart. */
static const uint32_t *count_stacks(const struct asking *asking, size_t categories)
{
    uint32_t *counts = arena_allocate(asking->arena, (categories + 1) * sizeof *counts);
    if (!counts)
        return NULL;
    memset(counts, 0, (categories + 1) * sizeof *counts);
    for (uint32_t stack = 0; stack < asking->whole->count; stack++) {
        uint32_t category = pair_category(asking->whole->pair[stack]);
        counts[category < categories ? category : categories]++;
    }
    return counts;
}

static int put_categories(struct asking *asking)
{
    struct json_writer *w = asking->reply->json;
    const struct category_list *categories = &asking->profile->categories;
    const uint32_t *stacks = count_stacks(asking, categories->rows.count);
    if (!stacks)
        return -ENOMEM;
    json_write_key(w, "categories");
    json_write_begin_array(w);
    for (size_t i = 0; i < categories->rows.count; i++) {
        const struct category *category = &categories->rows.items[i];
        json_write_begin_object(w);
        reply_put_string(asking->reply, "name", category->name);
        reply_put_string(asking->reply, "color", category->color);
        json_write_key(w, "subcategories");
        json_write_begin_array(w);
        for (size_t k = 0; k < category->subcategories.count; k++)
            json_write_string(w, profile_text(asking->profile, category->subcategories.items[k]));
        json_write_end_array(w);
        reply_put_count(asking->reply, "stacks", stacks[i]);
        json_write_end_object(w);
    }
    json_write_end_array(w);
    return 0;
}

/* ---- threads and counters ---- */

/* Those that count what only some threads have; samples can be counted of any. */
static void put_strategies(struct asking *asking, const struct thread *thread)
{
    struct json_writer *w = asking->reply->json;
    json_write_key(w, "strategies");
    json_write_begin_array(w);
    for (enum strategy strategy = 0; strategy < STRATEGIES; strategy++)
        if (strategy != STRATEGY_TIME && strategy != STRATEGY_SAMPLES &&
            strategy_is_of_thread(asking->profile, thread, strategy))
            json_write_text(w, strategy_names[strategy]);
    json_write_end_array(w);
}

static void put_threads(struct asking *asking)
{
    struct reply *reply = asking->reply;
    const struct profile *profile = asking->profile;
    json_write_key(reply->json, "threads");
    json_write_begin_array(reply->json);
    for (size_t i = 0; i < profile->threads.count; i++) {
        const struct thread *thread = &profile->threads.items[i];
        json_write_begin_object(reply->json);
        reply_put_string(reply, "name", thread->name);
        reply_put_string(reply, "process", thread->process_name);
        reply_put_string(reply, "process_type", thread->process_type);
        reply_put_string(reply, "pid", thread->pid);
        reply_put_string(reply, "tid", thread->tid);
        reply_put_boolean(reply, "main", thread->is_main_thread);
        reply_put_count(reply, "samples", sample_count(&thread->samples));
        reply_put_count(reply, "markers", marker_count(&thread->markers));
        reply_put_number(reply, "cpu_ms", thread_cpu_ms(profile, thread));
        reply_put_number(reply, "registered", thread->register_time - asking->start);
        reply_put_number(reply, "unregistered", thread->unregister_time - asking->start);
        put_strategies(asking, thread);
        json_write_end_object(reply->json);
    }
    json_write_end_array(reply->json);
}

static void put_counters(struct asking *asking)
{
    struct reply *reply = asking->reply;
    const struct profile *profile = asking->profile;
    json_write_key(reply->json, "counters");
    json_write_begin_array(reply->json);
    for (size_t i = 0; i < profile->counters.rows.count; i++) {
        const struct counter *counter = &profile->counters.rows.items[i];
        json_write_begin_object(reply->json);
        reply_put_string(reply, "name", counter->name);
        reply_put_string(reply, "category", counter->category);
        reply_put_string(reply, "description", counter->description);
        reply_put_string(reply, "pid", counter->pid);
        reply_put_id(reply, "thread", counter->main_thread.i);
        json_write_key(reply->json, "display");
        if (counter->display.bytes.count > 0)
            value_to_json(counter->display.bytes.items, &profile->strings, reply->json);
        else
            json_write_null(reply->json);
        json_write_end_object(reply->json);
    }
    json_write_end_array(reply->json);
}

/* ---- tracks ---- */

static void put_track(struct reply *reply, const char *kind, uint32_t number, bool visible)
{
    json_write_begin_object(reply->json);
    reply_put_id(reply, kind, number);
    reply_put_boolean(reply, "visible", visible);
    json_write_end_object(reply->json);
}

static void put_process(struct asking *asking, const struct first_view *view, const struct process_track *process)
{
    struct reply *reply = asking->reply;
    const struct thread *first = &asking->profile->threads.items[view->threads.items[process->first].thread.i];
    json_write_begin_object(reply->json);
    reply_put_string(reply, "pid", process->pid);
    reply_put_string(reply, "name", first->process_name);
    reply_put_id(reply, "thread", process->main.i);
    reply_put_boolean(reply, "visible", process->visible);
    json_write_key(reply->json, "tracks");
    json_write_begin_array(reply->json);
    for (size_t i = process->first_counter; i < process->end_counter; i++)
        put_track(reply, "counter", view->counters.items[i], process->visible);
    for (size_t i = process->first; i < process->end; i++) {
        const struct thread_track *track = &view->threads.items[i];
        if (track->thread.i != process->main.i)
            put_track(reply, "thread", track->thread.i, track->visible);
    }
    json_write_end_array(reply->json);
    json_write_end_object(reply->json);
}

static void put_tracks(struct asking *asking, const struct first_view *view)
{
    json_write_key(asking->reply->json, "tracks");
    json_write_begin_array(asking->reply->json);
    for (size_t i = 0; i < view->processes.count; i++)
        put_process(asking, view, &view->processes.items[i]);
    json_write_end_array(asking->reply->json);
}

/* ---- what can be chosen, and is at first ---- */

static void put_choices(struct asking *asking)
{
    struct reply *reply = asking->reply;
    const struct func_list *funcs = asking->whole->funcs;
    bool js = false, native = false;
    for (uint32_t func = 0; func < funcs->own_count; func++) {
        js |= func_table_get(&asking->profile->funcs, func_at(func)).is_js;
        native |= func_list_shows(funcs, IMPLEMENTATION_CPP, func);
    }
    json_write_key(reply->json, "implementations");
    json_write_begin_array(reply->json);
    for (enum implementation i = IMPLEMENTATION_COMBINED; i <= IMPLEMENTATION_CPP; i++)
        if (i == IMPLEMENTATION_COMBINED || (js && native))
            json_write_text(reply->json, implementation_name(i));
    json_write_end_array(reply->json);
    reply_put_boolean(
        reply, "idle",
        category_exists(category_list_find(&asking->profile->categories, &asking->profile->strings, SLICE("Idle"))));
}

static int find_heavy_path(struct asking *asking, struct path *path, struct open_rows *open)
{
    static const struct view_state first = {.range = {NAN, NAN}, .preview = {NAN, NAN}, .search = {"", 0}};
    struct state state;
    struct error error = {0};
    struct ordered_tree tree;
    struct kept_answer *kept = NULL;
    int status =
        state_read(&first, asking->whole, asking->initial, asking->initial_count, asking->start, NULL, &state, asking->fault);
    if (status == 0)
        kept = answers_get(asking->answers, asking->whole, &state, &error);
    if (kept && kept_answer_tree(kept, false, &tree, &error) == 0)
        heavy_path_first(&tree, OPEN_LEVELS, path, &error);
    state_free(&state);
    if (status == 0 && (error.code == -ENOMEM || !open_rows_read(open, NULL, 0)))
        status = -ENOMEM;
    /* The rows above the last one are open; it is selected. */
    if (status == 0 && path->funcs.count > 1) {
        path->funcs.count--;
        status = open_rows_open(open, path) ? 0 : -ENOMEM;
        path->funcs.count++;
    }
    return status;
}

static int put_first(struct asking *asking)
{
    struct reply *reply = asking->reply;
    struct path path = {0};
    struct open_rows open = {0};
    int status = find_heavy_path(asking, &path, &open);
    if (status == 0) {
        bool samples = false;
        for (size_t i = 0; i < asking->profile->threads.count; i++)
            samples |= sample_count(&asking->profile->threads.items[i].samples) > 0;
        json_write_key(reply->json, "first");
        json_write_begin_object(reply->json);
        reply_put_text(reply, "panel", samples ? "tree" : "marker_chart");
        json_write_key(reply->json, "threads");
        json_write_begin_array(reply->json);
        for (size_t i = 0; i < asking->initial_count; i++)
            json_write_integer(reply->json, asking->initial[i].i);
        json_write_end_array(reply->json);
        reply_put_funcs(reply, "path", path.funcs.items, path.funcs.count);
        json_write_key(reply->json, "open");
        open_rows_write(&open, reply->json);
        json_write_end_object(reply->json);
    }
    path_free(&path);
    open_rows_free(&open);
    return status;
}

int ask_open(struct asking *asking, const struct ask *ask)
{
    (void)ask;
    struct error error = {0};
    struct first_view view;
    if (first_view_make(asking->profile, &view, &error) != 0)
        return -ENOMEM;
    put_meta(asking);
    put_facts(asking);
    put_quality(asking);
    if (put_categories(asking) != 0) {
        first_view_free(&view);
        return -ENOMEM;
    }
    put_threads(asking);
    put_counters(asking);
    put_tracks(asking, &view);
    first_view_free(&view);
    put_choices(asking);
    reply_put_text(asking->reply, "base", asking->base ? asking->base->name : NULL);
    return put_first(asking);
}
