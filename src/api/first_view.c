#include "api/first_view.h"

#include "tree/cpu.h"

#include <math.h>
#include <stdlib.h>

enum { VISIBLE_THREADS = 15 };

/* A thread with less than this of the best score is not visible … */
static const double visible_share = 0.05;
/* … and where the best one has less than this of all, all threads of its name are selected. */
static const double selected_share = 0.4;

/* ---- scores ---- */

static double cpu_score(const struct sample_table *samples, double reference)
{
    double sum = 0;
    for (size_t i = 0; i < sample_count(samples); i++) {
        double delta = column_get_number(&samples->cpu_delta, i);
        sum += isfinite(delta) ? delta / reference : 0;
    }
    return sum;
}

static double sample_score(const struct profile *profile, const struct sample_table *samples)
{
    struct category_index idle = category_list_find(&profile->categories, &profile->strings, SLICE("Idle"));
    size_t busy = 0;
    for (size_t i = 0; i < sample_count(samples); i++) {
        uint32_t stack = column_get_index(&samples->stack, i);
        if (stack == INDEX_NONE)
            continue;
        uint32_t frame = stack_frame(&profile->stacks, stack_at(stack)).i;
        busy += !category_exists(idle) || column_get_index(&profile->frames.category, frame) != idle.i;
    }
    return (double)busy * (profile->meta.interval > 0 ? profile->meta.interval : 1);
}

static int add_threads(const struct profile *profile, struct first_view *view, struct error *error)
{
    double reference;
    int status = cpu_reference_per_ms(profile, &reference, error);
    for (size_t i = 0; i < profile->threads.count && status == 0; i++) {
        const struct sample_table *samples = &profile->threads.items[i].samples;
        bool counts_cpu = reference > 0 && sample_table_has(&samples->cpu_delta);
        double score = counts_cpu ? cpu_score(samples, reference) : sample_score(profile, samples);
        if (!vec_push(&view->threads, ((struct thread_track){thread_at(i), score, false})))
            status = error_out_of_memory(error);
    }
    return status;
}

/* ---- what the profile says itself ---- */

static const uint8_t *meta_find(const struct profile *profile, struct slice key)
{
    const struct value_bytes *meta = &profile->meta.whole;
    return meta->bytes.count > 0 ? value_find(meta->bytes.items, string_table_find(&profile->strings, key)) : NULL;
}

/* Marks the threads that an array of meta names; false where there is no such array. */
static bool mark_named(const struct profile *profile, struct slice key, bool *marks)
{
    const uint8_t *at = meta_find(profile, key);
    struct value array = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    if (array.kind != VALUE_ARRAY)
        return false;
    bool any = false;
    at = array.rest;
    for (uint32_t i = 0; i < array.count; i++, at = value_skip(at)) {
        struct value item = value_read(at);
        if (item.kind == VALUE_INTEGER && item.integer >= 0 && (uint64_t)item.integer < profile->threads.count)
            any = marks[item.integer] = true;
    }
    return any;
}

static bool keeps_thread_order(const struct profile *profile)
{
    const uint8_t *at = meta_find(profile, SLICE("keepProfileThreadOrder"));
    return at && value_read(at).kind == VALUE_TRUE;
}

/* ---- visible threads ---- */

static int compare_scores(const void *a, const void *b)
{
    const struct thread_track *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->thread.i > y->thread.i) - (x->thread.i < y->thread.i);
}

/* Leaves the threads by score. */
static void show_threads(const struct profile *profile, struct first_view *view, bool *marks)
{
    struct thread_track *tracks = view->threads.items;
    size_t count = view->threads.count;
    bool named = mark_named(profile, SLICE("initialVisibleThreads"), marks);
    if (count > 1)
        qsort(tracks, count, sizeof *tracks, compare_scores);
    for (size_t i = 0; i < count; i++) {
        bool scores = i < VISIBLE_THREADS && tracks[i].score >= visible_share * tracks[0].score;
        tracks[i].visible = named ? marks[tracks[i].thread.i] : scores;
    }
}

/* ---- selected threads ---- */

/* "worker-12" and "worker-3" are both "worker". */
static struct slice base_name(struct slice name)
{
    while (name.length > 0 && name.text[name.length - 1] >= '0' && name.text[name.length - 1] <= '9')
        name = slice_until(name, name.length - 1);
    while (name.length > 0 && strchr(" -_#:.", name.text[name.length - 1]))
        name = slice_until(name, name.length - 1);
    return name;
}

static int compare_threads(const void *a, const void *b)
{
    const struct thread_index *x = a, *y = b;
    return (x->i > y->i) - (x->i < y->i);
}

/* The threads are by score. */
static bool select_threads(const struct profile *profile, struct first_view *view, bool *marks)
{
    const struct thread_track *tracks = view->threads.items;
    size_t count = view->threads.count, best = 0;
    if (count == 0)
        return true;
    memset(marks, 0, count);
    bool named = mark_named(profile, SLICE("initialSelectedThreads"), marks);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += tracks[i].score;
    /* Never one without samples, if any has some. */
    while (best < count && sample_count(&profile->threads.items[tracks[best].thread.i].samples) == 0)
        best++;
    best = best < count ? best : 0;
    struct slice base = base_name(profile_text(profile, profile->threads.items[tracks[best].thread.i].name));
    bool all_of_name = tracks[best].score < selected_share * sum && base.length > 0;
    bool fits = true;
    for (size_t i = 0; i < count && fits; i++) {
        const struct thread *thread = &profile->threads.items[tracks[i].thread.i];
        bool of_name = all_of_name && sample_count(&thread->samples) > 0 &&
                       slice_equal(base_name(profile_text(profile, thread->name)), base);
        if (named ? marks[tracks[i].thread.i] : i == best || of_name)
            fits = vec_push(&view->selected, tracks[i].thread);
    }
    if (fits && view->selected.count > 1)
        qsort(view->selected.items, view->selected.count, sizeof *view->selected.items, compare_threads);
    return fits;
}

/* ---- processes ---- */

struct order {
    const struct profile *profile;
    uint32_t *process_of_pid; /* by string, and last where there is none: the order of the profile */
    bool keep;
};

static int compare_names(const struct profile *profile, struct string_index a, struct string_index b)
{
    /* Texts of the table end with a NUL. */
    return strverscmp(profile_text(profile, a).text, profile_text(profile, b).text);
}

static uint32_t *process_of(const struct profile *profile, uint32_t *process_of_pid, const struct thread *thread)
{
    size_t none = string_table_count(&profile->strings);
    return &process_of_pid[string_exists(thread->pid) ? thread->pid.i : none];
}

static int compare_in_process(const void *a, const void *b, void *data)
{
    const struct order *order = data;
    const struct thread_track *x = a, *y = b;
    const struct thread *left = &order->profile->threads.items[x->thread.i];
    const struct thread *right = &order->profile->threads.items[y->thread.i];
    uint32_t left_process = *process_of(order->profile, order->process_of_pid, left);
    uint32_t right_process = *process_of(order->profile, order->process_of_pid, right);
    if (left_process != right_process)
        return left_process < right_process ? -1 : 1;
    if (left->is_main_thread != right->is_main_thread)
        return left->is_main_thread ? -1 : 1;
    int names = order->keep ? 0 : compare_names(order->profile, left->name, right->name);
    if (names != 0)
        return names;
    /* Those of which it is not known come last. */
    bool unknown = isnan(left->register_time);
    if (!order->keep && unknown != (bool)isnan(right->register_time))
        return unknown ? 1 : -1;
    if (!order->keep && !unknown && left->register_time != right->register_time)
        return left->register_time < right->register_time ? -1 : 1;
    return (x->thread.i > y->thread.i) - (x->thread.i < y->thread.i);
}

static bool is_parent(const struct profile *profile, const struct process_track *process)
{
    return thread_exists(process->main) &&
           slice_is(profile_text(profile, profile->threads.items[process->main.i].process_type), "default");
}

static int compare_processes(const void *a, const void *b, void *data)
{
    const struct order *order = data;
    const struct process_track *x = a, *y = b;
    bool left = is_parent(order->profile, x), right = is_parent(order->profile, y);
    if (!order->keep && left != right)
        return left ? -1 : 1;
    if (!order->keep && x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Threads become sorted by process, and each run of them a process. */
static bool group_threads(struct first_view *view, struct order *order)
{
    struct thread_track *tracks = view->threads.items;
    size_t count = view->threads.count;
    if (count > 1)
        qsort_r(tracks, count, sizeof *tracks, compare_in_process, order);
    for (size_t i = 0; i < count; i++) {
        const struct thread *thread = &order->profile->threads.items[tracks[i].thread.i];
        size_t last = view->processes.count - 1;
        if (i == 0 || view->processes.items[last].pid.i != thread->pid.i) {
            struct process_track added = {
                .pid = thread->pid,
                .main = thread->is_main_thread ? tracks[i].thread : thread_none(),
                .first = i,
            };
            if (!vec_push(&view->processes, added))
                return false;
            last++;
        }
        struct process_track *process = &view->processes.items[last];
        process->end = i + 1;
        process->score = fmax(process->score, tracks[i].score);
        process->visible |= tracks[i].visible;
    }
    return true;
}

/* ---- counters ---- */

static double sort_weight(const struct profile *profile, uint32_t counter)
{
    const struct value_bytes *display = &profile->counters.rows.items[counter].display;
    if (display->bytes.count == 0)
        return 0;
    const uint8_t *at = value_find(display->bytes.items, string_table_find(&profile->strings, SLICE("sortWeight")));
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    double weight;
    return value_as_number(&value, &weight) ? weight : 0;
}

static int compare_counters(const void *a, const void *b, void *data)
{
    const struct profile *profile = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double left = sort_weight(profile, x), right = sort_weight(profile, y);
    if (left != right)
        return left < right ? -1 : 1;
    int names = compare_names(profile, profile->counters.rows.items[x].name, profile->counters.rows.items[y].name);
    return names != 0 ? names : (x > y) - (x < y);
}

static bool add_counters(const struct profile *profile, struct first_view *view)
{
    for (size_t p = 0; p < view->processes.count; p++) {
        struct process_track *process = &view->processes.items[p];
        process->first_counter = view->counters.count;
        for (uint32_t i = 0; i < profile->counters.rows.count; i++)
            if (profile->counters.rows.items[i].pid.i == process->pid.i && !vec_push(&view->counters, i))
                return false;
        process->end_counter = view->counters.count;
        size_t count = process->end_counter - process->first_counter;
        if (count > 1)
            qsort_r(view->counters.items + process->first_counter, count, sizeof(uint32_t), compare_counters, (void *)profile);
    }
    return true;
}

/* ---- the whole ---- */

static bool arrange(const struct profile *profile, struct first_view *view)
{
    uint32_t *process_of_pid = memory_zeroed(string_table_count(&profile->strings) + 1, sizeof(uint32_t));
    if (!process_of_pid)
        return false;
    uint32_t processes = 0;
    for (size_t i = 0; i < profile->threads.count; i++) {
        uint32_t *process = process_of(profile, process_of_pid, &profile->threads.items[i]);
        if (*process == 0)
            *process = ++processes;
    }
    struct order order = {profile, process_of_pid, keeps_thread_order(profile)};
    bool fits = group_threads(view, &order);
    if (fits && view->processes.count > 1)
        qsort_r(view->processes.items, view->processes.count, sizeof *view->processes.items, compare_processes, &order);
    memory_release(process_of_pid);
    return fits && add_counters(profile, view);
}

int first_view_make(const struct profile *profile, struct first_view *view, struct error *error)
{
    *view = (struct first_view){0};
    bool *marks = memory_zeroed(profile->threads.count, sizeof *marks);
    int status = marks ? add_threads(profile, view, error) : error_out_of_memory(error);
    if (status == 0) {
        show_threads(profile, view, marks);
        if (!select_threads(profile, view, marks) || !arrange(profile, view))
            status = error_out_of_memory(error);
    }
    memory_release(marks);
    if (status != 0)
        first_view_free(view);
    return status;
}

void first_view_free(struct first_view *view)
{
    vec_free(&view->processes);
    vec_free(&view->threads);
    vec_free(&view->counters);
    vec_free(&view->selected);
}
