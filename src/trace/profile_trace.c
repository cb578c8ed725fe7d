#include "trace/profile_trace.h"

#include "markers/marker_list.h"
#include "trace/event_sort.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* The root; other nodes have their row as their id. */
enum { ROOT_ID = 0 };

struct converter {
    struct trace *trace;
    const struct profile *profile;
    const struct sampled_stacks *stacks;
    double zero; /* ms */
    struct marker_catalog catalog;
    uint32_t *nodes;     /* of each stack, in the thread at hand; INDEX_NONE = it has none yet */
    uint32_t *functions; /* of each func: that of the profile at hand; INDEX_NONE = it has none yet */
    size_t func_count;
    struct map children;       /* nodes of the thread at hand by parent and func */
    VEC(struct node_key) keys; /* of these nodes */
    VEC(uint32_t) path;        /* stacks that still need a node */
    struct error *error;
};

struct node_key {
    uint32_t parent, func;
};

/* Samples are exact to the microsecond at best, and whole numbers stay whole whatever is done to them. */
static double sample_time(const struct converter *converter, double ms)
{
    return round((ms - converter->zero) * 1000);
}

/* Markers to the nanosecond. */
static double marker_time(const struct converter *converter, double ms)
{
    return round((ms - converter->zero) * 1e6) / 1000;
}

static struct string_index add_text(struct converter *converter, struct slice text)
{
    struct string_index index = string_table_add(&converter->trace->strings, text);
    if (!string_exists(index))
        error_out_of_memory(converter->error);
    return index;
}

/* ---- functions ---- */

/* Native code is known by its library, scripts by their file. */
static void find_place(struct converter *converter, const struct func *func, struct trace_function *function)
{
    const struct profile *profile = converter->profile;
    struct slice place = SLICE("");
    bool in_library = false;
    if (func->resource.i < profile->resources.rows.count) {
        const struct resource *resource = &profile->resources.rows.items[func->resource.i];
        in_library = resource->type == RESOURCE_LIBRARY;
        place = profile_text(profile, resource->name);
    }
    function->line = function->column = -1;
    if (!in_library && func->source.i < profile->sources.rows.count) {
        place = profile_text(profile, profile->sources.rows.items[func->source.i].filename);
        if (func->line != INDEX_NONE && func->line > 0)
            function->line = func->line - 1;
        if (func->column != INDEX_NONE && func->column > 0)
            function->column = func->column - 1;
    }
    function->url = add_text(converter, place);
}

/* A row past the end of the table stands for a resource. */
static struct func func_of(const struct profile *profile, uint32_t row)
{
    size_t own = profile_func_count(profile);
    if (row < own)
        return func_table_get(&profile->funcs, func_at(row));
    return (struct func){
        .name = profile->resources.rows.items[row - own].name,
        .resource = resource_at(row - own),
        .source = source_none(),
        .line = INDEX_NONE,
        .column = INDEX_NONE,
    };
}

static uint32_t function_of(struct converter *converter, struct trace_profile *out, uint32_t row)
{
    uint32_t *known = &converter->functions[row];
    if (*known != INDEX_NONE)
        return *known;
    struct func func = func_of(converter->profile, row);
    char handle[16];
    snprintf(handle, sizeof handle, "f-%u", row);
    struct trace_function function = {.kind = STRING_NONE, .lib = STRING_NONE};
    function.name = add_text(converter, profile_text(converter->profile, func.name));
    /* Functions are what the profile says they are, whatever their names. */
    function.script_id = add_text(converter, slice_of(handle));
    find_place(converter, &func, &function);
    *known = trace_profile_add_function(out, &function);
    return *known;
}

/* ---- nodes ---- */

static struct string_index category_of(struct converter *converter, uint32_t stack)
{
    const struct profile *profile = converter->profile;
    uint32_t row = converter->stacks->category[stack];
    struct slice name =
        row < profile->categories.rows.count ? profile_text(profile, profile->categories.rows.items[row].name) : SLICE("");
    return add_text(converter, name);
}

static bool add_root(struct converter *converter, struct trace_profile *out)
{
    struct string_index none = add_text(converter, SLICE(""));
    struct trace_function function = {-1, -1, add_text(converter, SLICE("(root)")), none, none, STRING_NONE, STRING_NONE};
    struct trace_node root = {
        .id = ROOT_ID,
        .parent = NAN,
        .function = trace_profile_add_function(out, &function),
        .child_count = INDEX_NONE,
    };
    return root.function != INDEX_NONE && vec_push(&out->nodes, root) && vec_push(&out->categories, none) &&
           vec_push(&converter->keys, ((struct node_key){INDEX_NONE, INDEX_NONE}));
}

/* The node of this stack's func called from `parent`, a new one where there is none; INDEX_NONE when the heap is empty. */
static uint32_t child_node(struct converter *converter, struct trace_profile *out, uint32_t parent, uint32_t stack)
{
    struct node_key key = {parent, converter->stacks->func[stack]};
    uint64_t hash = hash_u64((uint64_t)key.parent << 32 | key.func);
    uint32_t row;
    for (struct map_probe probe = map_probe(&converter->children, hash); map_probe_next(&probe, &row);)
        if (converter->keys.items[row].parent == key.parent && converter->keys.items[row].func == key.func)
            return row;
    row = (uint32_t)out->nodes.count;
    struct trace_node node = {
        .id = row,
        .parent = parent,
        .function = function_of(converter, out, key.func),
        .child_count = INDEX_NONE,
    };
    return node.function != INDEX_NONE && vec_push(&out->nodes, node) &&
                   vec_push(&out->categories, category_of(converter, stack)) && vec_push(&converter->keys, key) &&
                   map_insert(&converter->children, hash, row)
               ? row
               : INDEX_NONE;
}

/* The node of a stack, with those of its callers. */
static uint32_t node_of_stack(struct converter *converter, struct trace_profile *out, uint32_t stack)
{
    converter->path.count = 0;
    for (; stack != INDEX_NONE && converter->nodes[stack] == INDEX_NONE; stack = converter->stacks->prefix[stack])
        if (!vec_push(&converter->path, stack))
            return INDEX_NONE;
    uint32_t node = stack == INDEX_NONE ? 0 : converter->nodes[stack];
    for (size_t i = converter->path.count; i-- > 0 && node != INDEX_NONE;) {
        stack = converter->path.items[i];
        node = child_node(converter, out, node, stack);
        converter->nodes[stack] = node;
    }
    return node;
}

/* ---- threads ---- */

static int add_samples(struct converter *converter, const struct sampled_thread *sampled, struct trace_profile *out)
{
    const struct thread *thread = &converter->profile->threads.items[sampled->thread.i];
    size_t count = sample_count(&thread->samples);
    double *times = memory_array(count > 0 ? count : 1, sizeof *times);
    if (!times || !vec_reserve(&out->samples, count + 1) || !vec_reserve(&out->deltas, count + 1) ||
        !add_root(converter, out)) {
        memory_release(times);
        return error_out_of_memory(converter->error);
    }
    sample_table_read_starts(&thread->samples, times);
    double before = 0;
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        if (!isfinite(times[i]))
            continue;
        uint32_t node = node_of_stack(converter, out, sampled->stacks[i]);
        double time = sample_time(converter, times[i]);
        ok = node != INDEX_NONE;
        out->samples.items[out->samples.count++] = node;
        out->deltas.items[out->deltas.count++] = time - before;
        before = time;
    }
    /* Where rows stand for the time before them, it is known when the last one ended. */
    if (ok && count > 0 && sample_table_weights_precede(&thread->samples)) {
        sample_table_read_times(&thread->samples, times);
        out->samples.items[out->samples.count++] = ROOT_ID;
        out->deltas.items[out->deltas.count++] = sample_time(converter, times[count - 1]) - before;
    }
    memory_release(times);
    out->has_samples = out->has_deltas = true;
    return ok ? 0 : error_out_of_memory(converter->error);
}

static int add_events(struct converter *converter, struct thread_index thread, struct trace_thread *out)
{
    struct marker_list list;
    int status = marker_list_build(&list, &converter->catalog, thread, converter->error);
    if (status == 0 && !vec_reserve(&out->events, list.items.count))
        status = error_out_of_memory(converter->error);
    const struct category_list *categories = &converter->profile->categories;
    for (size_t i = 0; i < list.items.count && status == 0; i++) {
        const struct marker *marker = &list.items.items[i];
        if (!isfinite(marker->start))
            continue;
        struct slice category = marker->category.i < categories->rows.count
                                    ? profile_text(converter->profile, categories->rows.items[marker->category.i].name)
                                    : SLICE("");
        bool lasts = marker_has_end(marker) && marker->end > marker->start && isfinite(marker->end);
        double start = marker_time(converter, marker->start);
        out->events.items[out->events.count++] = (struct trace_event){
            .ts = start,
            .dur = lasts ? marker_time(converter, marker->end) - start : 0,
            .name = add_text(converter, marker_text(&converter->catalog.texts, marker->name)),
            .category = add_text(converter, category),
            .arguments = INDEX_NONE,
            .phase = lasts ? 'X' : 'I',
        };
    }
    marker_list_free(&list);
    if (status == 0 && !events_sort(out->events.items, out->events.count))
        status = error_out_of_memory(converter->error);
    return status;
}

static int add_thread(struct converter *converter, const struct sampled_thread *sampled)
{
    struct trace *trace = converter->trace;
    struct thread_index index = sampled->thread;
    const struct thread *thread = &converter->profile->threads.items[index.i];
    memset(converter->nodes, 0xff, converter->stacks->count * sizeof *converter->nodes);
    memset(converter->functions, 0xff, converter->func_count * sizeof *converter->functions);
    map_clear(&converter->children);
    converter->keys.count = 0;
    struct trace_thread named = {
        .tid = index.i,
        .name = add_text(converter, profile_text(converter->profile, thread->name)),
        .profile = (uint32_t)trace->profiles.count,
    };
    if (!vec_push(&trace->threads, named) || !vec_push(&trace->profiles, ((struct trace_profile){.tid = index.i})))
        return error_out_of_memory(converter->error);
    struct trace_profile *profile = &trace->profiles.items[trace->profiles.count - 1];
    profile->has_owner = true;
    profile->id = STRING_NONE;
    int status = add_samples(converter, sampled, profile);
    return status == 0 ? add_events(converter, index, &trace->threads.items[trace->threads.count - 1]) : status;
}

static int converter_open(struct converter *converter)
{
    const struct profile *profile = converter->profile;
    converter->func_count = profile_func_count(profile) + profile->resources.rows.count;
    converter->nodes = memory_array(converter->stacks->count + 1, sizeof *converter->nodes);
    converter->functions = memory_array(converter->func_count + 1, sizeof *converter->functions);
    if (!converter->nodes || !converter->functions)
        return error_out_of_memory(converter->error);
    return 0;
}

int trace_from_profile(struct trace *trace, const struct profile *profile, const struct sampled_stacks *stacks,
                       const struct sampled_thread *threads, size_t count, double zero, struct error *error)
{
    struct converter converter = {
        .trace = trace, .profile = profile, .stacks = stacks, .zero = isfinite(zero) ? zero : 0, .error = error};
    trace->of_profile = true;
    trace->first_ts = trace->last_ts = NAN;
    int status = marker_catalog_init(&converter.catalog, profile, error);
    if (status == 0)
        status = converter_open(&converter);
    for (size_t i = 0; i < count && status == 0; i++)
        status = add_thread(&converter, &threads[i]);
    if (status == 0)
        status = error->code; /* of a text that could not be added */
    marker_catalog_free(&converter.catalog);
    memory_release(converter.nodes);
    memory_release(converter.functions);
    map_free(&converter.children);
    vec_free(&converter.keys);
    vec_free(&converter.path);
    return status;
}
