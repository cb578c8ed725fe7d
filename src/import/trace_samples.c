/* The samples of a Chrome trace: nodes become stacks, and where a sample says its line a stack of its own. */
#include "import/cpu_nodes.h"
#include "import/trace_import.h"
#include "import/v8_samples.h"

#include <errno.h>
#include <math.h>

/* A stack of a node with another line on top. */
struct placed_stack {
    uint32_t node;
    uint32_t line, column; /* from 1 on; INDEX_NONE = unknown */
    uint32_t stack;
};

struct sample_import {
    struct trace_import *import;
    const struct trace_profile *from;
    VEC(struct cpu_node) nodes;
    uint32_t *row_of; /* by node of `from`: of `nodes`, INDEX_NONE for a root that the exporter added */
    uint32_t *stack_of;
    struct map by_id; /* to nodes of `from` */
    VEC(struct placed_stack) placed;
    struct map placed_rows;
    struct v8_samples samples;
};

/* ---- nodes ---- */

static uint64_t hash_id(double id)
{
    uint64_t bits;
    memcpy(&bits, &id, sizeof bits);
    return hash_u64(bits);
}

static uint32_t find_node(const struct sample_import *samples, double id)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&samples->by_id, hash_id(id)); map_probe_next(&probe, &row);)
        if (samples->from->nodes.items[row].id == id)
            return row;
    return INDEX_NONE;
}

/* From 0 on in traces, from 1 on in profiles. */
static uint32_t position_of(double from_0)
{
    return from_0 >= 0 && from_0 < INDEX_NONE - 1 ? (uint32_t)from_0 + 1 : INDEX_NONE;
}

static enum cpu_node_kind kind_of(struct slice kind)
{
    if (slice_is(kind, "script"))
        return CPU_NODE_SCRIPT;
    if (slice_is(kind, "label"))
        return CPU_NODE_LABEL;
    return slice_is(kind, "native") ? CPU_NODE_NATIVE : CPU_NODE_UNTOLD;
}

static struct string_index unless_empty(const struct profile *profile, struct string_index string)
{
    return profile_text(profile, string).length > 0 ? string : STRING_NONE;
}

static bool add_nodes(struct sample_import *samples)
{
    const struct profile *profile = samples->import->profile;
    const struct trace_profile *from = samples->from;
    for (size_t i = 0; i < from->nodes.count; i++) {
        const struct trace_node *node = &from->nodes.items[i];
        const struct trace_function *function = &from->functions.items[node->function];
        struct slice kind = profile_text(profile, function->kind);
        samples->row_of[i] = INDEX_NONE;
        if (!isnan(node->id) && find_node(samples, node->id) == INDEX_NONE &&
            !map_insert(&samples->by_id, hash_id(node->id), (uint32_t)i))
            return false;
        if (slice_is(kind, "root"))
            continue;
        samples->row_of[i] = (uint32_t)samples->nodes.count;
        struct cpu_node own = {
            .id = (uint32_t)i,
            .parent_id = INDEX_NONE,
            .parent = INDEX_NONE,
            .name = unless_empty(profile, function->name),
            .url = unless_empty(profile, function->url),
            .lib = unless_empty(profile, function->lib),
            .line = position_of(function->line),
            .column = position_of(function->column),
            .kind = kind_of(kind),
        };
        if (!vec_push(&samples->nodes, own))
            return false;
    }
    return true;
}

static void set_parent(struct sample_import *samples, uint32_t node, uint32_t parent)
{
    if (node != INDEX_NONE && parent != INDEX_NONE && samples->row_of[node] != INDEX_NONE)
        samples->nodes.items[samples->row_of[node]].parent = samples->row_of[parent];
}

/* Nodes name their children or their parent. One whose parent is not there is a root. */
static void join_nodes(struct sample_import *samples)
{
    const struct trace_profile *from = samples->from;
    for (uint32_t i = 0; i < from->nodes.count; i++) {
        const struct trace_node *node = &from->nodes.items[i];
        for (uint32_t c = 0; node->child_count != INDEX_NONE && c < node->child_count; c++)
            set_parent(samples, find_node(samples, from->children.items[node->first_child + c]), i);
        if (!isnan(node->parent))
            set_parent(samples, i, find_node(samples, node->parent));
    }
}

/* ---- stacks ---- */

static uint32_t given_position(const struct numbers *numbers, size_t index)
{
    double number = index < numbers->count ? numbers->items[index] : 0;
    return number >= 1 && number < INDEX_NONE ? (uint32_t)number : INDEX_NONE;
}

/* INDEX_NONE when the heap is empty. */
static uint32_t placed_stack(struct sample_import *samples, uint32_t node, uint32_t line, uint32_t column)
{
    struct profile *profile = samples->import->profile;
    uint64_t hash = hash_combine(node, hash_combine(line, column));
    uint32_t row;
    for (struct map_probe probe = map_probe(&samples->placed_rows, hash); map_probe_next(&probe, &row);) {
        const struct placed_stack *placed = &samples->placed.items[row];
        if (placed->node == node && placed->line == line && placed->column == column)
            return placed->stack;
    }
    struct stack_index plain = stack_at(samples->stack_of[node]);
    struct frame frame = frame_table_get(&profile->frames, stack_frame(&profile->stacks, plain));
    frame.line = line;
    frame.column = column;
    struct stack_index stack = stack_table_append(&profile->stacks, stack_prefix(&profile->stacks, plain),
                                                  frame_table_append(&profile->frames, &frame));
    struct placed_stack placed = {node, line, column, stack.i};
    row = (uint32_t)samples->placed.count;
    return vec_push(&samples->placed, placed) && map_insert(&samples->placed_rows, hash, row) ? stack.i : INDEX_NONE;
}

/* False when the heap is empty. A sample of a node that is not there has no stack. */
static bool stack_of_sample(struct sample_import *samples, size_t index, uint32_t *stack)
{
    const struct trace_profile *from = samples->from;
    uint32_t raw = find_node(samples, from->samples.items[index]);
    uint32_t node = raw == INDEX_NONE ? INDEX_NONE : samples->row_of[raw];
    *stack = node == INDEX_NONE ? INDEX_NONE : samples->stack_of[node];
    uint32_t line = given_position(&from->lines, index), column = given_position(&from->columns, index);
    if (node == INDEX_NONE || line == INDEX_NONE)
        return true;
    if (line == samples->nodes.items[node].line && (column == INDEX_NONE || column == samples->nodes.items[node].column))
        return true;
    *stack = placed_stack(samples, node, line, column);
    return *stack != INDEX_NONE;
}

/* ---- samples ---- */

static bool collect_samples(struct sample_import *samples)
{
    const struct trace_profile *from = samples->from;
    double time = from->start;
    size_t count = from->samples.count < from->deltas.count ? from->samples.count : from->deltas.count;
    for (size_t i = 0; i < count && i < INDEX_NONE; i++) {
        time += from->deltas.items[i];
        if (isfinite(time) && !v8_samples_add(&samples->samples, time / 1000, (uint32_t)i, INDEX_NONE))
            return false;
    }
    v8_samples_sort(&samples->samples);
    return true;
}

/* Nodes that say what they are were written by Sonde, and are of a profile that may be of any kind. */
static bool is_of_v8(const struct trace_profile *profile)
{
    for (size_t i = 0; i < profile->functions.count; i++)
        if (string_exists(profile->functions.items[i].kind))
            return false;
    return true;
}

/* The interval of a profile is that of the thread with the most samples. */
static bool note_interval(struct sample_import *samples, bool is_thin)
{
    struct trace_import *import = samples->import;
    double interval = V8_THIN_INTERVAL;
    if (samples->samples.rows.count <= import->most_samples)
        return true;
    import->most_samples = samples->samples.rows.count;
    if (!is_thin && !v8_samples_interval(&samples->samples, &interval))
        return false;
    import->profile->meta.interval = isnan(interval) ? 1 : interval;
    return true;
}

static bool append_samples(struct sample_import *samples, struct thread *thread)
{
    bool is_v8 = is_of_v8(samples->from), is_thin = is_v8 && samples->import->is_thin;
    if (is_thin)
        v8_samples_thin(&samples->samples, -INFINITY);
    size_t count = samples->samples.rows.count;
    struct v8_sample *rows = samples->samples.rows.items;
    for (size_t i = 0; i < count; i++)
        if (!stack_of_sample(samples, rows[i].index, &rows[i].stack))
            return false;
    if (!note_interval(samples, is_thin))
        return false;
    bool is_timed = (is_v8 && !is_thin) || samples->from->is_timed;
    v8_samples_append(&samples->samples, is_timed, samples->import->profile->meta.interval, &thread->samples);
    if (count > 0) {
        trace_import_note_time(samples->import, rows[0].time);
        trace_import_note_time(samples->import, rows[count - 1].time);
    }
    return sample_table_seal(&thread->samples);
}

static int import_thread(struct trace_import *import, const struct trace_profile *from, struct thread *thread)
{
    struct sample_import samples = {.import = import, .from = from};
    size_t count = from->nodes.count;
    samples.row_of = memory_array(count + 1, sizeof *samples.row_of);
    samples.stack_of = memory_array(count + 1, sizeof *samples.stack_of);
    if (!samples.row_of || !samples.stack_of || !add_nodes(&samples)) {
        error_out_of_memory(import->error);
    } else {
        join_nodes(&samples);
        if (!cpu_nodes_append(import->profile, samples.nodes.items, samples.nodes.count, samples.stack_of, import->error) &&
            (!collect_samples(&samples) || !append_samples(&samples, thread)))
            error_out_of_memory(import->error);
    }
    vec_free(&samples.nodes);
    memory_release(samples.row_of);
    memory_release(samples.stack_of);
    map_free(&samples.by_id);
    vec_free(&samples.placed);
    map_free(&samples.placed_rows);
    v8_samples_free(&samples.samples);
    return import->error->code;
}

int trace_import_samples(struct trace_import *import)
{
    import->profile->meta.interval = 1;
    for (size_t i = 0; i < import->trace.threads.count && import->error->code == 0; i++) {
        uint32_t profile = import->trace.threads.items[i].profile, thread = import->thread_of[i];
        if (profile != INDEX_NONE && thread != INDEX_NONE)
            import_thread(import, &import->trace.profiles.items[profile], &import->profile->threads.items[thread]);
    }
    return import->error->code;
}
