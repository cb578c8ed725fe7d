#include "import/cpuprofile.h"

#include "import/cpuprofile_file.h"
#include "import/location.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* V8 samples more often than is of use in a call tree: samples closer to the last one kept than this are left out, as the
 * Firefox Profiler does. */
static const double INTERVAL = 0.5; /* ms */

enum { OTHER, IDLE, JAVASCRIPT, GARBAGE, GRAPHICS, NATIVE };

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

static struct category_index node_category(struct slice name, bool has_place)
{
    if (slice_is(name, "(idle)"))
        return category_at(IDLE);
    if (slice_is(name, "(root)") || slice_is(name, "(program)"))
        return category_at(OTHER);
    if (slice_is(name, "(garbage collector)"))
        return category_at(GARBAGE);
    bool is_script = has_place || slice_is(name, "<WASM UNNAMED>") || slice_is(name, "(unresolved function)");
    return category_at(is_script ? JAVASCRIPT : NATIVE);
}

static struct func_index add_func(struct profile *profile, struct location_resolver *resolver, const struct cpu_node *node,
                                  struct category_index category)
{
    struct func func = {
        .name = string_exists(node->name) ? node->name : string_table_add(&profile->strings, SLICE("(anonymous)")),
        .is_js = category.i == JAVASCRIPT,
        .relevant_for_js = category.i == NATIVE,
        .resource = resource_none(),
        .source = source_none(),
        .line = node->line,
        .column = node->column,
        .original_location = location_none(),
    };
    if (!string_exists(func.name))
        return func_none();
    if (func.is_js && string_exists(node->url)) {
        struct source source = {STRING_NONE, node->url, 1, 1, STRING_NONE, STRING_NONE};
        func.source = source_table_add(&profile->sources, &source);
        if (!source_exists(func.source))
            return func_none();
    }
    if (func.is_js) {
        struct slice uri = string_exists(node->url) ? profile_text(profile, node->url) : SLICE("<unknown>");
        func.resource = location_script_resource(resolver, uri);
        if (!resource_exists(func.resource))
            return func_none();
    }
    return func_table_add(&profile->funcs, &func);
}

/* What a node gives the frame table. */
struct node_frame {
    uint32_t id;
    uint32_t row;
    struct func_index func;
    struct category_index category;
};

static int compare_frames(const void *a, const void *b)
{
    const struct node_frame *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Funcs come in the order of the file, frames in that of the ids. `frame_of` gets the frame of each node. */
static int append_frames(struct cpuprofile_builder *builder, struct node_frame *frames, uint32_t *frame_of)
{
    struct profile *profile = builder->profile;
    size_t count = builder->file.nodes.count;
    struct location_resolver resolver;
    location_resolver_init(&resolver, profile);
    for (size_t i = 0; i < count && builder->error->code == 0; i++) {
        const struct cpu_node *node = &builder->file.nodes.items[i];
        bool has_place = string_exists(node->url) || node->line != INDEX_NONE;
        struct category_index category = node_category(profile_text(profile, node->name), has_place);
        frames[i] = (struct node_frame){node->id, (uint32_t)i, add_func(profile, &resolver, node, category), category};
        if (!func_exists(frames[i].func))
            error_out_of_memory(builder->error);
    }
    location_resolver_free(&resolver);
    if (builder->error->code != 0)
        return builder->error->code;
    qsort(frames, count, sizeof *frames, compare_frames);
    for (size_t i = 0; i < count; i++) {
        const struct cpu_node *node = &builder->file.nodes.items[frames[i].row];
        struct frame frame = {
            .address = COLUMN_ABSENT,
            .lib = lib_none(),
            .category = frames[i].category,
            .subcategory = 0,
            .func = frames[i].func,
            .native_symbol = native_symbol_none(),
            .implementation = STRING_NONE,
            .line = node->line,
            .column = node->column,
            .original_location = location_none(),
        };
        frame_of[frames[i].row] = frame_table_append(&profile->frames, &frame).i;
    }
    return 0;
}

/* Each node is a stack. They come in the order of the file, but parents always before their children. */
static int append_stacks(struct cpuprofile_builder *builder, const uint32_t *frame_of, uint32_t *stack_of, uint32_t *path)
{
    struct stack_table *stacks = &builder->profile->stacks;
    size_t count = builder->file.nodes.count;
    for (size_t i = 0; i < count; i++)
        stack_of[i] = INDEX_NONE;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        uint32_t row = (uint32_t)i;
        for (; row != INDEX_NONE && stack_of[row] == INDEX_NONE; row = builder->file.nodes.items[row].parent) {
            if (length == count)
                return error_set(builder->error, -EINVAL, "node %u is its own ancestor", builder->file.nodes.items[row].id);
            path[length++] = row;
        }
        struct stack_index prefix = row == INDEX_NONE ? stack_none() : stack_at(stack_of[row]);
        while (length-- > 0) {
            prefix = stack_table_append(stacks, prefix, frame_at(frame_of[path[length]]));
            stack_of[path[length]] = prefix.i;
        }
    }
    return 0;
}

static int append_samples(struct cpuprofile_builder *builder, const uint32_t *stack_of, struct sample_table *samples)
{
    double time = builder->file.start_time / 1000, last = 0;
    for (size_t i = 0; i < builder->file.samples.count; i++) {
        time =
            builder->file.has_deltas ? time + builder->file.deltas.items[i] / 1000 : builder->file.timestamps.items[i] / 1000;
        if (!(time - last >= INTERVAL))
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
    static const struct {
        const char *name, *color;
    } categories[] = {
        [OTHER] = {"Other", "grey"},       [IDLE] = {"Idle", "transparent"},   [JAVASCRIPT] = {"JavaScript", "yellow"},
        [GARBAGE] = {"GC / CC", "orange"}, [GRAPHICS] = {"Graphics", "green"}, [NATIVE] = {"Native", "blue"},
    };
    struct profile *profile = builder->profile;
    struct string_table *strings = &profile->strings;
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (!category_exists(
                category_list_add(&profile->categories, strings, slice_of(categories[i].name), slice_of(categories[i].color))))
            return false;
    profile->meta.interval = INTERVAL;
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
    size_t count = builder->file.nodes.count + 1; /* never 0 */
    struct node_frame *frames = memory_array(count, sizeof *frames);
    uint32_t *frame_of = memory_array(count, sizeof *frame_of);
    uint32_t *stack_of = memory_array(count, sizeof *stack_of);
    uint32_t *path = memory_array(count, sizeof *path);
    struct thread *thread = profile_add_thread(builder->profile);
    if (!frames || !frame_of || !stack_of || !path || !thread || !fill_meta(builder, thread))
        error_out_of_memory(builder->error);
    else if (!append_frames(builder, frames, frame_of) && !append_stacks(builder, frame_of, stack_of, path) &&
             !append_samples(builder, stack_of, &thread->samples))
        profile_finish(builder->profile, builder->error);
    memory_release(frames);
    memory_release(frame_of);
    memory_release(stack_of);
    memory_release(path);
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
