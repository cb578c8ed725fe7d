#include "import/cpuprofile.h"

#include "import/cpuprofile_file.h"
#include "import/v8_samples.h"

#include <errno.h>
#include <math.h>

struct cpuprofile_builder {
    struct profile *profile;
    struct cpuprofile_file file;
    struct error *error;
    bool is_thin;
};

bool cpuprofile_has_key(struct slice key)
{
    return slice_is(key, "nodes") || slice_is(key, "head") || slice_is(key, "samples") || slice_is(key, "timeDeltas") ||
           slice_is(key, "timestamps") || slice_is(key, "startTime") || slice_is(key, "endTime");
}

/* ---- the profile ---- */

/* With the rows of their nodes. */
static int collect_samples(struct cpuprofile_builder *builder, struct v8_samples *samples)
{
    const struct cpuprofile_file *file = &builder->file;
    double time = file->start_time / 1000;
    for (size_t i = 0; i < file->samples.count && i < INDEX_NONE; i++) {
        time = file->has_deltas ? time + file->deltas.items[i] / 1000 : file->timestamps.items[i] / 1000;
        uint32_t row = cpuprofile_file_find(file, file->samples.items[i]);
        if (row == INDEX_NONE)
            return error_set(builder->error, -EINVAL, "sample %zu is of node %u, which does not exist", i,
                             file->samples.items[i]);
        if (isfinite(time) && !v8_samples_add(samples, time, (uint32_t)i, row))
            return error_out_of_memory(builder->error);
    }
    return 0;
}

static int append_samples(struct cpuprofile_builder *builder, const uint32_t *stack_of, struct sample_table *table)
{
    static const struct line_ticks no_ticks; /* the Firefox Profiler does not look at them */
    const struct line_ticks *ticks = builder->is_thin ? &no_ticks : &builder->file.ticks;
    struct v8_samples samples = {0};
    double interval = V8_THIN_INTERVAL;
    int failed = collect_samples(builder, &samples);
    if (builder->is_thin)
        v8_samples_thin(&samples, 0);
    v8_samples_sort(&samples);
    if (!failed && !builder->is_thin && !v8_samples_interval(&samples, &interval))
        failed = error_out_of_memory(builder->error);
    if (!failed && !line_ticks_place(ticks, builder->profile, stack_of, builder->file.nodes.count, &samples))
        failed = error_out_of_memory(builder->error);
    builder->profile->meta.interval = isnan(interval) ? 1 : interval;
    if (!failed)
        v8_samples_append(&samples, !builder->is_thin, builder->profile->meta.interval, table);
    v8_samples_free(&samples);
    return failed;
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

static int import(struct byte_source *source, bool is_thin, struct profile *profile, struct error *error)
{
    struct cpuprofile_builder builder = {.profile = profile, .error = error, .is_thin = is_thin};
    if (!cpuprofile_file_read(&builder.file, source, &profile->strings, error))
        build_profile(&builder);
    cpuprofile_file_free(&builder.file);
    return error->code;
}

int cpuprofile_import(struct byte_source *source, struct profile *profile, struct error *error)
{
    return import(source, false, profile, error);
}

int cpuprofile_import_thin(struct byte_source *source, struct profile *profile, struct error *error)
{
    return import(source, true, profile, error);
}
