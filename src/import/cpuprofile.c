#include "import/cpuprofile.h"

#include "import/cpuprofile_file.h"

#include <errno.h>
#include <math.h>

struct cpuprofile_builder {
    struct profile *profile;
    struct cpuprofile_file file;
    struct error *error;
};

bool cpuprofile_has_key(struct slice key)
{
    return slice_is(key, "nodes") || slice_is(key, "head") || slice_is(key, "samples") || slice_is(key, "timeDeltas") ||
           slice_is(key, "timestamps") || slice_is(key, "startTime") || slice_is(key, "endTime");
}

/* ---- the profile ---- */

static int append_samples(struct cpuprofile_builder *builder, const uint32_t *stack_of, struct sample_table *samples)
{
    double time = builder->file.start_time / 1000, last = 0;
    for (size_t i = 0; i < builder->file.samples.count; i++) {
        time =
            builder->file.has_deltas ? time + builder->file.deltas.items[i] / 1000 : builder->file.timestamps.items[i] / 1000;
        if (!(time - last >= CPU_NODES_INTERVAL))
            continue;
        uint32_t row = cpuprofile_file_find(&builder->file, builder->file.samples.items[i]);
        if (row == INDEX_NONE)
            return error_set(builder->error, -EINVAL, "sample %zu is of node %u, which does not exist", i,
                             builder->file.samples.items[i]);
        column_append_index(&samples->stack, stack_of[row]);
        column_append_number(&samples->time, time);
        last = time;
    }
    return 0;
}

static double in_milliseconds(const struct cpuprofile_builder *builder, double time)
{
    return builder->file.is_nested ? time * 1000 : time / 1000;
}

static bool fill_meta(struct cpuprofile_builder *builder, struct thread *thread)
{
    struct profile *profile = builder->profile;
    struct string_table *strings = &profile->strings;
    if (!cpu_nodes_add_categories(profile))
        return false;
    profile->meta.interval = CPU_NODES_INTERVAL;
    profile->meta.profiling_start_time = in_milliseconds(builder, builder->file.start_time);
    profile->meta.profiling_end_time = in_milliseconds(builder, builder->file.end_time);
    profile->meta.symbolicated = true;
    profile->meta.product = string_table_add(strings, SLICE("Chrome Trace"));
    thread->name = string_table_add(strings, SLICE("Chrome Thread"));
    thread->process_startup_time = thread->register_time = NAN;
    thread->process_type = string_table_add(strings, SLICE("unknown"));
    thread->pid = string_table_add(strings, SLICE("0"));
    thread->tid = string_table_add(strings, SLICE("0:0"));
    thread->tid_is_text = true;
    return string_exists(profile->meta.product) && string_exists(thread->name) && string_exists(thread->process_type) &&
           string_exists(thread->pid) && string_exists(thread->tid);
}

static int build_profile(struct cpuprofile_builder *builder)
{
    const struct cpuprofile_file *file = &builder->file;
    uint32_t *stack_of = memory_array(file->nodes.count + 1, sizeof *stack_of);
    struct thread *thread = profile_add_thread(builder->profile);
    if (!stack_of || !thread || !fill_meta(builder, thread))
        error_out_of_memory(builder->error);
    else if (!cpu_nodes_append(builder->profile, file->nodes.items, file->nodes.count, stack_of, builder->error) &&
             !append_samples(builder, stack_of, &thread->samples))
        profile_finish(builder->profile, builder->error);
    memory_release(stack_of);
    return builder->error->code;
}

int cpuprofile_import(struct byte_source *source, struct profile *profile, struct error *error)
{
    struct cpuprofile_builder builder = {.profile = profile, .error = error};
    if (!cpuprofile_file_read(&builder.file, source, &profile->strings, error))
        build_profile(&builder);
    cpuprofile_file_free(&builder.file);
    return error->code;
}
