/* sonde info: what is in a profile, and how good it is. */
#include "cli/info.h"

#include "cli/commands.h"
#include "cli/load.h"
#include "cli/report.h"
#include "cli/threads.h"

#include <math.h>

/* ---- gathering ---- */

/* Added if it is new; NULL when the heap is empty. */
static struct info_process *find_process(struct info *info, struct string_index pid)
{
    struct slice text = profile_text(&info->profile, pid);
    uint64_t hash = hash_u64(pid.i);
    uint32_t row;
    for (struct map_probe probe = map_probe(&info->process_rows, hash); map_probe_next(&probe, &row);)
        if (slice_equal(info->processes.items[row].pid, text))
            return &info->processes.items[row];
    struct info_process process = {text, SLICE(""), NAN, NAN};
    row = (uint32_t)info->processes.count;
    bool ok = vec_push(&info->processes, process) && map_insert(&info->process_rows, hash, row);
    return ok ? &info->processes.items[row] : NULL;
}

/* A thread tells when its process started and ended, and threads of one process agree; the earliest and the latest are taken
 * where they do not. */
static bool gather_process(struct info *info, const struct thread *thread)
{
    struct info_process *process = find_process(info, thread->pid);
    if (!process)
        return false;
    if (process->name.length == 0)
        process->name = thread_process_name(&info->profile, thread);
    process->start = fmin(process->start, thread->process_startup_time);
    process->end = fmax(process->end, thread->process_shutdown_time);
    return true;
}

static bool gather_frames(struct info *info)
{
    const struct profile *profile = &info->profile;
    size_t func_total = profile_func_count(profile);
    bool *bare = memory_zeroed(func_total + 1, sizeof *bare);
    if (!bare)
        return false;
    for (size_t i = 0; i < func_total; i++) {
        struct func func = func_table_get(&profile->funcs, func_at(i));
        bare[i] = !func.is_js && module_name_is_address(profile_text(profile, func.name));
    }
    for (size_t i = 0; i < frame_count(&profile->frames); i++) {
        bool is_bare = bare[frame_func(&profile->frames, frame_at(i)).i];
        info->bare_frames += is_bare;
        info->native_frames += is_bare || column_get(&profile->frames.address, i) != COLUMN_ABSENT;
    }
    memory_release(bare);
    return true;
}

double info_page_faults(const struct thread *thread)
{
    double sum = 0;
    for (size_t i = 0; i < allocation_count(&thread->page_faults); i++)
        sum += column_get_number(&thread->page_faults.weight, i);
    return sum;
}

static int gather(struct info *info)
{
    for (size_t i = 0; i < info->profile.threads.count; i++) {
        const struct thread *thread = &info->profile.threads.items[i];
        struct thread_times times = thread_times(&info->profile, thread);
        info->sample_count += times.samples;
        info->look_count += times.looks;
        info->has_times |= !isnan(times.waiting_ms);
        info->has_faults |= thread->page_faults.present;
        info->marker_count += marker_count(&thread->markers);
        if (!gather_process(info, thread))
            return error_out_of_memory(&info->error);
    }
    if (!gather_frames(info) || !module_list_collect(&info->profile, &info->modules))
        return error_out_of_memory(&info->error);
    info->span = profile_time_span(&info->profile);
    info->quality = quality_of(&info->profile);
    if (memory_use_find(&info->profile, info->span.start, &info->memory, &info->error) != 0)
        return info->error.code;
    if (isnan(info->quality.taken))
        info->quality.taken = (double)info->sample_count;
    if (isnan(info->quality.looks) && info->has_times)
        info->quality.looks = (double)info->look_count;
    return 0;
}

/* ---- the command ---- */

static int run(const struct command *command, int count, char **arguments)
{
    struct common_options options = {0};
    int status = options_parse(command, count, arguments, &options);
    if (status != OPTIONS_GO_ON)
        return status;
    struct info info = {.file = options.file};
    status = load_profile(options.file, &info.profile);
    if (status == EXIT_OK && gather(&info) != 0)
        status = report_file(load_name(options.file), &info.error);
    if (status == EXIT_OK)
        status = options.json ? info_print_json(&info) : info_print_text(&info, &options);
    vec_free(&info.processes);
    map_free(&info.process_rows);
    module_list_free(&info.modules);
    profile_free(&info.profile);
    return status;
}

static const struct option own_options[] = {
    OPTION_ENTRY_LIMIT("show at most N processes, threads, counters and modules\n(20; JSON always has all of them)"),
    OPTION_ENTRY_JSON,
    OPTION_ENTRIES_TERMINAL,
    {0},
};
static const struct option_group own_group = {"output", own_options};

const struct command info_command = {
    .name = "info",
    .arguments = "FILE [options]",
    .summary = "what is in a profile: processes, threads, CPU time, samples, counters, quality",
    .example = "sonde info profile.json.gz",
    .description =
        "Shows what a profile holds: product, start, duration, processes, threads with their CPU time and\n"
        "numbers of samples and markers, counters, and how many native frames have no symbol.\n"
        "Of a recording it also shows how long threads waited, and how long they wanted a CPU and had none,\n"
        "which clock the samples were taken by, and what would allow a better one; with allocations the peak, what is\n"
        "left at the end, how many bytes each recorded one stands for, and which share of the CPU time that took.\n"
        "Threads are sorted by CPU time; their handles (t-0, t-1, …) are what --thread takes.\n"
        "\n"
        "Modules whose functions are not fully known are listed with the share of samples that have a frame in\n"
        "them, and with what would help.",
    .examples = "  sonde info profile.json.gz\n"
                "  sonde info --json - < profile.json | jq '.threads[].name'\n",
    .groups = {&own_group},
    .run = run,
};
