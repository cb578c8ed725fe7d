#include "cli/selection_output.h"

#include "print/estimate.h"
#include "profile/quality.h"

#include <stdio.h>

/* ---- as JSON ---- */

static void put_path(struct json_output *output, const char *key, const struct func_list *funcs, const struct path *path)
{
    json_write_key(output->writer, key);
    if (path->funcs.count == 0) {
        json_write_null(output->writer);
        return;
    }
    json_write_begin_array(output->writer);
    for (size_t i = 0; i < path->funcs.count; i++)
        json_write_string(output->writer, func_list_name(funcs, path->funcs.items[i]));
    json_write_end_array(output->writer);
}

void json_put_transforms(struct json_output *output, const struct selection *selection, const struct path *selected)
{
    const struct text_list *transforms = &selection->options->transforms;
    json_write_key(output->writer, "transforms");
    json_write_begin_array(output->writer);
    for (size_t i = 0; i < transforms->values.count; i++)
        json_write_text(output->writer, transforms->values.items[i]);
    json_write_end_array(output->writer);
    if (selection->query.selected)
        put_path(output, "selected", selection->whole.funcs, selected);
}

void json_put_selection(struct json_output *output, const struct selection *selection, const struct answer *answer,
                        const char *key_of_file)
{
    json_put_text(output, key_of_file, selection->options->file);
    json_put_threads(output, &selection->profile, &selection->threads);
    json_put_text(output, "weightType", weight_type_name(answer->weights.type));
    json_put_number(output, "sampleCount", (double)answer->tree.row_count);
    json_put_number(output, "rootTotal", answer->tree.root_total);
    json_put_boolean(output, "inverted", selection->options->invert);
    if (selection->query.group != GROUP_NONE)
        json_put_text(output, "group", grouping_names[selection->query.group]);
    json_put_transforms(output, selection, &answer->selected);
}

void json_put_func(struct json_output *output, const struct func_list *funcs, uint32_t func)
{
    if (func_list_is_grouped(funcs))
        json_put_null(output, "func");
    else
        json_put_handle(output, "func", 'f', func);
    json_put_slice(output, "name", func_list_name(funcs, func));
    json_put_slice_or_null(output, "lib", func_list_resource_name(funcs, func));
}

void json_put_uncertainty(struct json_output *output, const char *key, struct uncertainty uncertainty)
{
    char name[40];
    snprintf(name, sizeof name, "%sError", key);
    json_put_number(output, name, uncertainty_is_few(uncertainty) ? NAN : uncertainty_error(uncertainty));
}

void json_put_tiers(struct json_output *output, const struct tier_list *tiers, uint32_t func)
{
    if (tier_list_main(tiers, func).tier == TIER_NONE)
        return;
    json_write_key(output->writer, "tiers");
    json_write_begin_object(output->writer);
    for (enum frame_tier tier = TIER_NONE + 1; tier < TIER_COUNT; tier++) {
        double share = tier_list_share(tiers, func, tier);
        if (share > 0) {
            json_write_key_slice(output->writer, frame_tier_name(tier));
            json_write_number(output->writer, share);
        }
    }
    json_write_end_object(output->writer);
}

/* ---- for people ---- */

static void print_threads(const struct selection *selection, struct line *line, const struct terminal *terminal)
{
    const struct profile *profile = &selection->profile;
    const struct thread_list *threads = &selection->threads;
    if (threads->items.count > 4) {
        line_print(line, "threads  %zu, added up", threads->items.count);
        output_line(line);
        return;
    }
    for (size_t i = 0; i < threads->items.count; i++) {
        const struct thread *thread = &profile->threads.items[threads->items.items[i].i];
        line_print(line, "thread   t-%u ", threads->items.items[i].i);
        line_add_name(line, profile_text(profile, thread->name), terminal->width / 2);
        struct slice process = thread_process_name(profile, thread);
        if (process.length > 0) {
            line_print(line, " of ");
            line_add_name(line, process, terminal->width / 4);
        }
        struct slice pid = profile_text(profile, thread->pid);
        line_print(line, ", pid %.*s", (int)pid.length, pid.text);
        output_line(line);
    }
}

/* By their ids; 0 where the heap is empty. */
static size_t count_processes(const struct profile *profile)
{
    struct map pids = {0};
    size_t count = 0;
    bool failed = false;
    for (size_t i = 0; i < profile->threads.count && !failed; i++) {
        uint32_t pid = profile->threads.items[i].pid.i, row = 0;
        bool known = false;
        for (struct map_probe probe = map_probe(&pids, hash_u64(pid)); !known && map_probe_next(&probe, &row);)
            known = row == pid;
        count += !known;
        failed = !known && !map_insert(&pids, hash_u64(pid), pid);
    }
    map_free(&pids);
    return failed ? 0 : count;
}

static bool any_thread_counts_cpu(const struct profile *profile)
{
    for (size_t i = 0; i < profile->threads.count; i++)
        if (strategy_is_of_thread(profile, &profile->threads.items[i], STRATEGY_CPU))
            return true;
    return false;
}

/* Where one thread was chosen for want of --thread: that there are others, and how to see them all. */
static void print_others(const struct selection *selection, bool of_samples, struct line *line)
{
    const struct profile *profile = &selection->profile;
    const struct common_options *options = selection->options;
    if (options->threads.values.count > 0 || profile->threads.count < 2 || selection_is_of_allocations(options))
        return;
    size_t processes = count_processes(profile);
    bool by_cpu = of_samples && options->strategy == STRATEGY_TIMING && any_thread_counts_cpu(profile);
    line_print(line, "         … of %s threads", number_grouped((double)profile->threads.count, 0).text);
    if (processes > 1)
        line_print(line, " in %s processes", number_grouped((double)processes, 0).text);
    line_print(line, "; all together%s: %s%s--thread all%s", by_cpu ? ", by CPU time" : "",
               selection->command ? selection->command : "", selection->command ? " " : "", by_cpu ? " --strategy cpu" : "");
    output_line(line);
}

static void print_filter(struct line *line, const char *name, const char *value, const struct terminal *terminal)
{
    line_print(line, "filter   %s", name);
    if (value) {
        line_print(line, " ");
        line_add_name(line, slice_of(value), terminal->width - line->width);
    }
    output_line(line);
}

static void print_during(const struct selection *selection, struct line *line, const struct terminal *terminal)
{
    double ms = 0;
    for (size_t i = 0; i < selection->during.items.count; i++)
        ms += selection->during.items.items[i].end - selection->during.items.items[i].start;
    line_print(line, "filter   --during ");
    line_add_name(line, slice_of(selection->options->during), terminal->width / 2);
    line_print(line, ": %s", number_duration(ms).text);
    if (selection->during.items.count > 1)
        line_print(line, " in %s ranges", number_grouped((double)selection->during.items.count, 0).text);
    output_line(line);
}

/* Of several events that the file had: which one is shown, and how to see the others. */
static void print_event(const struct selection *selection, struct line *line, const struct terminal *terminal)
{
    struct quality quality = quality_of(&selection->profile);
    if (slice_is(quality.samples_of, "events")) {
        line_print(line, "note     the file has no samples: events are shown as calls, with the time that they took");
        output_line(line);
    }
    if (quality.event.length == 0 || !quality.events)
        return;
    const char *before = "";
    struct value events = value_read(quality.events);
    const uint8_t *at = events.rest;
    line_print(line, "event    ");
    line_add_name(line, quality.event, terminal->width / 2);
    line_print(line, "; with --event also ");
    for (uint32_t i = 0; i < events.count; i++, at = value_skip(at)) {
        struct slice name = profile_text(&selection->profile, value_read_key(&at));
        struct value samples = value_read(at);
        double count;
        if (slice_equal(name, quality.event) || !value_as_number(&samples, &count))
            continue;
        line_print(line, "%s", before);
        line_add_name(line, name, terminal->width / 2);
        line_print(line, " (%s)", number_grouped(count, 0).text);
        before = ", ";
    }
    output_line(line);
}

void print_filters(const struct selection *selection, struct line *line, const struct terminal *terminal)
{
    const struct common_options *options = selection->options;
    print_event(selection, line, terminal);
    if (options->range.given)
        print_filter(line, "--range", options->range.text, terminal);
    if (options->during)
        print_during(selection, line, terminal);
    for (size_t i = 0; i < options->transforms.values.count; i++)
        print_filter(line, "--transform", options->transforms.values.items[i], terminal);
    if (options->implementation != IMPLEMENTATION_COMBINED)
        print_filter(line, "--implementation", implementation_choices[options->implementation], terminal);
    if (options->search)
        print_filter(line, "--search", options->search, terminal);
    if (options->exclude_idle)
        print_filter(line, "--exclude-idle", NULL, terminal);
    if (options->strategy != STRATEGY_TIMING)
        print_filter(line, "--strategy", strategy_names[options->strategy], terminal);
    if (options->at)
        print_filter(line, "--at", options->at, terminal);
    if (options->blocks)
        print_filter(line, "--blocks", NULL, terminal);
    if (options->thin)
        print_filter(line, "--thin", NULL, terminal);
    if (options->group != GROUP_NONE)
        print_filter(line, "--group", grouping_names[options->group], terminal);
}

/* Whether a sample counts for the ms until the next one, which is not what every profile's samples do. Those of pprof are sums
 * that stand one after the other, and those that were made of events are none. */
static bool counts_time_until_next(const struct selection *selection)
{
    const struct profile *profile = &selection->profile;
    if (slice_is(profile_text(profile, profile->meta.product), "pprof") || slice_is(quality_of(profile).samples_of, "events"))
        return false;
    if (selection->options->strategy != STRATEGY_TIMING)
        return selection->options->strategy == STRATEGY_TIME;
    for (size_t i = 0; i < selection->threads.items.count; i++)
        if (!sample_table_weights_follow(&selection->profile.threads.items[selection->threads.items.items[i].i].samples))
            return false;
    return true;
}

/* "2,976 samples", "12.5 ms in 12 rows": the sum that all percentages refer to. */
static void print_sum(const struct selection *selection, const struct answer *answer, struct line *line)
{
    enum weight_type type = answer->weights.type;
    if (answer->tree.self_uncertainty) {
        struct estimate_text total = estimate_text(answer->tree.root_total, answer->tree.root_uncertainty, type, false);
        line_print(line, "total    ");
        line_add(line, slice_of(total.text), total.width);
        if (type != WEIGHT_BYTES)
            line_print(line, " %s", number_unit(0, type));
    } else {
        line_print(line, "total    %s %s", number_weight(answer->tree.root_total, type).text,
                   number_unit(answer->tree.root_total, type));
    }
    if (type == WEIGHT_TRACING_MS && counts_time_until_next(selection))
        line_print(line, " in %s samples, each for the time until the next",
                   number_grouped((double)answer->tree.row_count, 0).text);
    else if (type != WEIGHT_SAMPLES)
        line_print(line, " in %s row%s", number_grouped((double)answer->tree.row_count, 0).text,
                   answer->tree.row_count == 1 ? "" : "s");
    output_line(line);
}

void print_selection(const struct selection *selection, const struct answer *answer, const struct terminal *terminal)
{
    struct line line = {0};
    print_threads(selection, &line, terminal);
    print_others(selection, answer != NULL, &line);
    print_filters(selection, &line, terminal);
    if (answer) {
        print_sum(selection, answer, &line);
        putchar('\n');
    }
    line_free(&line);
}

void print_selected(const struct selection *selection, const struct path *selected)
{
    if (!selection->query.selected)
        return;
    struct line line = {0};
    line_add(&line, SLICE("\nselected "), 9);
    if (selected->funcs.count == 0)
        line_print(&line, "(gone)");
    for (size_t i = 0; i < selected->funcs.count; i++) {
        if (i > 0)
            line_add(&line, SLICE(";"), 1);
        line_add_name(&line, func_list_name(selection->whole.funcs, selected->funcs.items[i]), SIZE_MAX);
    }
    output_line(&line);
    line_free(&line);
}
