#include "cli/calls_input.h"

#include "cli/calls_view.h"
#include "cli/selection_output.h"
#include "print/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- traces ---- */

/* The threads of the trace as threads of a profile, in the order of one that is made of the trace, so that they are named and
 * printed as everywhere. */
static int name_threads(struct calls_input *input)
{
    struct string_table *strings = &input->selection.profile.strings;
    const struct trace *trace = input->trace;
    int status = thread_order_find(&input->order, trace, &trace->strings, &input->selection.error);
    for (size_t i = 0; i < input->order.threads.count && status == 0; i++) {
        const struct ordered_thread *ordered = &input->order.threads.items[i];
        const struct trace_thread *from = &trace->threads.items[ordered->thread];
        struct slice process = string_table_get(&trace->strings, trace->processes.items[ordered->process].name);
        struct thread *to = profile_add_thread(&input->selection.profile);
        if (!to)
            return error_out_of_memory(&input->selection.error);
        char pid[24], tid[24];
        snprintf(pid, sizeof pid, "%" PRId64, from->pid);
        snprintf(tid, sizeof tid, "%" PRId64, from->tid);
        to->name = string_table_add(strings, string_table_get(&trace->strings, from->name));
        to->pid = string_table_add(strings, slice_of(pid));
        to->tid = string_table_add(strings, slice_of(tid));
        to->process_name = process.length > 0 ? string_table_add(strings, process) : STRING_NONE;
        if (!string_exists(to->name) || !string_exists(to->pid) || !string_exists(to->tid))
            status = error_out_of_memory(&input->selection.error);
    }
    return status;
}

/* Finds the calls of each thread of the profile. */
static int find_calls(struct calls_input *input)
{
    size_t count = input->selection.profile.threads.count, rows = input->trace->threads.count;
    uint32_t *of_row = memory_array(rows + 1, sizeof *of_row);
    input->calls_of = memory_array(count + 1, sizeof *input->calls_of);
    if (of_row && input->calls_of) {
        memset(of_row, 0xff, rows * sizeof *of_row);
        memset(input->calls_of, 0xff, count * sizeof *input->calls_of);
        for (size_t i = 0; i < input->calls.threads.count; i++)
            of_row[input->calls.threads.items[i].thread - input->trace->threads.items] = (uint32_t)i;
        /* A trace has all its threads, what was made of a profile those that were chosen. */
        for (size_t i = 0; input->read.found && i < count; i++)
            input->calls_of[i] = of_row[input->order.threads.items[i].thread];
        for (size_t i = 0; !input->read.found && i < rows; i++)
            input->calls_of[input->selection.threads.items.items[i].i] = of_row[i];
    }
    bool ok = of_row && input->calls_of;
    memory_release(of_row);
    return ok ? 0 : error_out_of_memory(&input->selection.error);
}

static size_t thread_sample_count(const struct calls_input *input, const struct trace_thread *thread)
{
    return thread->profile == INDEX_NONE ? 0 : input->trace->profiles.items[thread->profile].samples.count;
}

/* How much is known of a thread that has calls: its samples that are not idle, or the events that are shown in their place. */
static size_t thread_weight(const struct calls_input *input, const struct thread_calls *calls)
{
    if (input->events_only)
        return calls->entries.count;
    if (!calls->model || calls->calls.count == 0)
        return 0;
    size_t idle = 0;
    for (size_t i = 0; i < calls->model->samples.count; i++)
        idle += calls->model->idle != INDEX_NONE && calls->model->samples.items[i] == calls->model->idle;
    return thread_sample_count(input, calls->thread) - idle;
}

/* The one that most is known of. */
static int choose_fullest(struct calls_input *input)
{
    struct thread_index fullest = thread_at(0);
    size_t most = 0;
    for (size_t i = 0; i < input->order.threads.count; i++) {
        const struct thread_calls *calls = calls_input_thread(input, thread_at(i));
        size_t weight = calls ? thread_weight(input, calls) : 0;
        if (weight > most) {
            fullest = thread_at(i);
            most = weight;
        }
    }
    return vec_push(&input->selection.threads.items, fullest) ? 0 : error_out_of_memory(&input->selection.error);
}

static bool wants_all(const struct text_list *names)
{
    for (size_t i = 0; i < names->values.count; i++)
        if (strcmp(names->values.items[i], "all") == 0)
            return true;
    return false;
}

/* Of all threads those that have calls: a trace has dozens that have none. */
static void keep_threads_with_calls(struct calls_input *input)
{
    size_t kept = 0;
    for (size_t i = 0; i < input->selection.threads.items.count; i++) {
        const struct thread_calls *calls = calls_input_thread(input, input->selection.threads.items.items[i]);
        if (calls && (calls->calls.count > 0 || (input->events_only && calls->entries.count > 0)))
            input->selection.threads.items.items[kept++] = input->selection.threads.items.items[i];
    }
    input->selection.threads.items.count = kept;
}

static double first_time_of_trace(const struct calls_input *input)
{
    double first = NAN;
    for (size_t i = 0; i < input->trace->threads.count; i++) {
        const struct trace_thread *thread = &input->trace->threads.items[i];
        if (thread->events.count > 0)
            first = fmin(first, thread->events.items[0].ts);
    }
    for (size_t i = 0; i < input->calls.threads.count; i++) {
        const struct cpu_model *model = input->calls.threads.items[i].model;
        if (model && model->times.count > 0)
            first = fmin(first, model->times.items[0] * 1000);
    }
    return isnan(first) ? 0 : first;
}

/* When the last call or event ends; the range may count from there. */
static double last_time_of_trace(const struct calls_input *input)
{
    double last = input->zero;
    for (size_t i = 0; i < input->calls.threads.count; i++) {
        const struct thread_calls *calls = &input->calls.threads.items[i];
        for (size_t k = 0; k < calls->calls.count; k++)
            last = fmax(last, calls->calls.items[k].ts + calls->calls.items[k].dur);
        for (size_t k = 0; k < calls->thread->events.count; k++)
            last = fmax(last, calls->thread->events.items[k].ts + calls->thread->events.items[k].dur);
    }
    return last;
}

/* --during of a trace: the events of that name; those of the chosen threads, else those of all. */
static int find_events(struct calls_input *input, bool of_all)
{
    const char *name = input->options->common.during;
    struct time_ranges *ranges = &input->selection.during;
    for (size_t i = 0; i < input->order.threads.count; i++) {
        const struct thread_calls *calls = calls_input_thread(input, thread_at(i));
        for (size_t k = 0; calls && k < calls->thread->events.count; k++) {
            const struct trace_event *event = &calls->thread->events.items[k];
            if (!slice_equal(string_table_get(&input->trace->strings, event->name), slice_of(name)) || event->dur <= 0)
                continue;
            bool chosen = of_all;
            for (size_t t = 0; !chosen && t < input->selection.threads.items.count; t++)
                chosen = input->selection.threads.items.items[t].i == i;
            if (chosen && !vec_push(&ranges->items, ((struct time_range){event->ts / 1000, (event->ts + event->dur) / 1000})))
                return error_out_of_memory(&input->selection.error);
        }
    }
    time_ranges_join(ranges);
    return 0;
}

static int find_during(struct calls_input *input)
{
    const char *name = input->options->common.during;
    struct error *error = &input->selection.error;
    if (!name)
        return 0;
    int status = find_events(input, false);
    if (status == 0 && input->selection.during.items.count == 0)
        status = find_events(input, true);
    if (status == 0 && input->selection.during.items.count == 0)
        status = error_set(error, -ENOENT, "--during '%s': no event that lasts has this name", name);
    if (status == 0 && input->selection.during.items.count > 1 && input->options->tree != 0)
        status = error_set(error, -EINVAL, "--during '%s': %zu ranges, and --tree shows one (see --range)", name,
                           input->selection.during.items.count);
    return status;
}

/* Events may name the stacks that they came in, which makes calls where no sample was taken. */
static bool has_calls(const struct trace_calls *calls)
{
    for (size_t i = 0; i < calls->threads.count; i++)
        if (calls->threads.items[i].calls.count > 0)
            return true;
    return false;
}

static int open_trace(struct calls_input *input)
{
    const struct calls_options_of_user *options = input->options;
    struct calls_options rules = {.rules = (enum trace_rules)options->rules, .show_all = options->show_all};
    int status = trace_calls_build(&input->calls, input->trace, &rules, &input->selection.error);
    input->events_only = status == 0 && !trace_has_samples(input->trace) && !has_calls(&input->calls);
    if (status == 0 && input->events_only && options->tree == 0)
        status = trace_calls_take_events(&input->calls, &input->read.trace, &input->selection.error);
    if (status == 0)
        status = name_threads(input);
    if (status == 0)
        status = find_calls(input);
    if (status != 0 || input->order.threads.count == 0)
        return status;
    input->zero = first_time_of_trace(input);
    status = options->common.threads.values.count == 0 ? choose_fullest(input)
                                                       : threads_choose(&input->selection.profile, &options->common.threads,
                                                                        &input->selection.threads, &input->selection.error);
    return status == 0 ? find_during(input) : status;
}

/* ---- profiles ---- */

static int open_profile(struct calls_input *input)
{
    struct selection *selection = &input->selection;
    int status = calls_view_trace(selection, input->trace, &input->selected);
    if (status == 0)
        status = profile_calls_build(&input->calls, input->trace, &selection->error);
    return status == 0 ? find_calls(input) : status;
}

/* ---- both ---- */

/* Whether the options ask for other stacks than those of the file. */
static bool changes_stacks(const struct common_options *options)
{
    return options->transforms.values.count > 0 || options->implementation != IMPLEMENTATION_COMBINED ||
           options->exclude_idle || options->select;
}

static int read_input(struct calls_input *input)
{
    const struct calls_options_of_user *options = input->options;
    input->trace = &input->read.trace;
    input->read.options = (struct trace_read_options){
        .rules = (enum trace_rules)options->rules,
        .arguments = options->tree != 0,
    };
    input->changed = changes_stacks(&options->common);
    struct load_options load = {.import = {.trace = input->changed ? NULL : &input->read, .event = options->common.event}};
    int status = load_profile_with(options->common.file, &load, &input->selection.profile);
    if (status != EXIT_OK)
        return status;
    if (!input->read.found && (status = selection_of_loaded(&input->selection)) != EXIT_OK)
        return status;
    return (input->read.found ? open_trace(input) : open_profile(input)) == 0 ? EXIT_OK : calls_input_report(input);
}

int calls_input_open(struct calls_input *input, const struct command *command, const struct calls_options_of_user *options)
{
    *input = (struct calls_input){.options = options, .selection.options = &options->common};
    profile_init(&input->selection.profile);
    int status = selection_check(command, &options->common);
    if (status == EXIT_OK)
        status = selection_check_search(command, &options->common);
    if (status == EXIT_OK)
        status = read_input(input);
    if (status != EXIT_OK)
        return status;
    if (entry_search_init(&input->search, input->trace, options->common.search, &input->selection.error) != 0)
        return calls_input_report(input);
    if (wants_all(&options->common.threads))
        keep_threads_with_calls(input);
    const struct seconds_range *range = &options->common.range;
    range_option_resolve(range, (last_time_of_trace(input) - input->zero) / 1e6, &input->start, &input->end);
    input->start = input->zero + input->start * 1e6;
    input->end = input->zero + input->end * 1e6;
    const struct time_ranges *during = &input->selection.during;
    if (input->read.found && during->items.count > 0) {
        input->start = fmax(input->start, during->items.items[0].start * 1000);
        input->end = fmin(input->end, during->items.items[during->items.count - 1].end * 1000);
    }
    return EXIT_OK;
}

void calls_input_free(struct calls_input *input)
{
    entry_search_free(&input->search);
    thread_order_free(&input->order);
    memory_release(input->calls_of);
    trace_calls_free(&input->calls);
    trace_free(&input->read.trace);
    path_free(&input->selected);
    selection_free(&input->selection);
}

int calls_input_report(const struct calls_input *input)
{
    return selection_report(&input->selection);
}

const struct thread_calls *calls_input_thread(const struct calls_input *input, struct thread_index thread)
{
    uint32_t row = input->calls_of[thread.i];
    return row == INDEX_NONE ? NULL : &input->calls.threads.items[row];
}

bool calls_input_within(const struct calls_input *input, const struct call *call)
{
    const struct time_ranges *during = &input->selection.during;
    /* Of a profile the samples outside were left out, and there are no other calls. */
    if (!input->read.found || during->items.count < 2)
        return true;
    for (size_t i = 0; i < during->items.count; i++)
        if (call->ts <= during->items.items[i].end * 1000 && call->ts + call->dur >= during->items.items[i].start * 1000)
            return true;
    return false;
}

/* ---- entries ---- */

struct slice entry_name(const struct calls_input *input, const struct thread_calls *calls, struct call_entry entry)
{
    if (entry.is_call)
        return call_display_name(input->trace, call_function(calls, entry.row));
    return string_table_get(&input->trace->strings, calls->thread->events.items[entry.row].name);
}

struct entry_place entry_place(const struct calls_input *input, const struct thread_calls *calls, struct call_entry entry)
{
    struct entry_place place = {""};
    if (!entry.is_call)
        return place;
    const struct trace_function *function = call_function(calls, entry.row);
    struct slice url = string_table_get(&input->trace->strings, function->url);
    size_t most = sizeof place.text - sizeof ":12345678901";
    if (url.length > most)
        url = slice_from(url, url.length - most);
    size_t length = (size_t)snprintf(place.text, sizeof place.text, "%.*s", (int)url.length, url.text);
    if (length > 0 && function->line >= 0 && function->line < 1e10)
        snprintf(place.text + length, sizeof place.text - length, ":%.0f", function->line + 1);
    return place;
}

/* ---- printing ---- */

void json_put_calls_thread(struct json_output *output, const struct calls_input *input, struct thread_index thread)
{
    const struct thread *named = &input->selection.profile.threads.items[thread.i];
    json_put_handle(output, "handle", 't', thread.i);
    json_put_slice(output, "pid", profile_text(&input->selection.profile, named->pid));
    json_put_slice(output, "tid", profile_text(&input->selection.profile, named->tid));
    json_put_slice_or_null(output, "name", profile_text(&input->selection.profile, named->name));
}

void print_calls_head(const struct calls_input *input, struct thread_index thread, const struct terminal *terminal)
{
    const struct profile *profile = &input->selection.profile;
    const struct thread *named = &profile->threads.items[thread.i];
    struct line line = {0};
    line_print(&line, "thread   t-%u ", thread.i);
    line_add_name(&line, profile_text(profile, named->name), terminal->width / 2);
    if (thread_process_name(profile, named).length > 0) {
        line_print(&line, " of ");
        line_add_name(&line, thread_process_name(profile, named), terminal->width / 4);
    }
    line_print(&line, "%spid ", line.bytes.items && line.bytes.items[line.bytes.count - 1] == ' ' ? "" : ", ");
    line_add_name(&line, profile_text(profile, named->pid), 24);
    output_line(&line);
    print_filters(&input->selection, &line, terminal);
    if (input->events_only) {
        line_print(&line, "note     the trace has no samples: its events are shown");
        output_line(&line);
    }
    if (input->trace->cut) {
        line_print(&line, "note     the file ends in the middle; this is what was there");
        output_line(&line);
    }
    line_free(&line);
}

void line_add_right(struct line *line, const char *text, size_t column)
{
    size_t width = text_width(slice_of(text));
    line_pad(line, column > width ? column - width : 0);
    line_add(line, slice_of(text), width);
}
