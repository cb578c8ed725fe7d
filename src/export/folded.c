/* Folded stacks: `outer;inner;leaf 12`, the format that flame graph tools read.
 *
 * There is one line for each distinct path of function names that has samples of its own, all given threads together, in the
 * order in which the paths occur first. All functions are in it, of whatever language. The number is the sum of the weights, in
 * microseconds where they are times, rounded, since readers of the format want whole numbers; paths that come to nothing or
 * less are left out. What is weighed otherwise than by samples comes in the order of the stacks.
 *
 * The format has no escapes: a `;` in a name becomes `:`, and line ends become spaces. */
#include "common/map.h"
#include "export/exporter.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A path: its last name, and the path before it. */
struct node {
    uint32_t parent; /* INDEX_NONE for roots */
    uint32_t name;   /* in folder.names */
    double weight;
    bool seen; /* has samples of its own */
};

struct folder {
    const struct profile *profile;
    struct string_table names; /* cleaned */
    uint32_t *name_of_func;    /* by func */
    uint32_t *node_of_stack;   /* by stack */
    VEC(struct node) nodes;    /* parents first */
    struct map by_key;         /* parent and name */
    VEC(uint32_t) order;       /* nodes with samples, by first occurrence */
    VEC(uint32_t) path;        /* of the line being written */
    VEC(char) line;            /* a name, or the lines that are not written yet */
};

/* ---- names ---- */

static bool append(struct folder *folder, struct slice text)
{
    if (!vec_reserve(&folder->line, folder->line.count + text.length))
        return false;
    if (text.length > 0)
        memcpy(folder->line.items + folder->line.count, text.text, text.length);
    folder->line.count += text.length;
    return true;
}

static struct string_index clean_name(struct folder *folder, struct slice name)
{
    folder->line.count = 0;
    if (!append(folder, name))
        return STRING_NONE;
    for (size_t i = 0; i < name.length; i++) {
        char *c = &folder->line.items[i];
        *c = *c == ';' ? ':' : *c == '\n' || *c == '\r' ? ' ' : *c;
    }
    return string_table_add(&folder->names, (struct slice){folder->line.items, folder->line.count});
}

static bool clean_names(struct folder *folder)
{
    const struct profile *profile = folder->profile;
    size_t count = profile_func_count(profile);
    folder->name_of_func = memory_array(count + 1, sizeof *folder->name_of_func);
    for (size_t i = 0; folder->name_of_func && i < count; i++) {
        struct string_index name = clean_name(folder, profile_text(profile, func_name(&profile->funcs, func_at(i))));
        if (!string_exists(name))
            return false;
        folder->name_of_func[i] = name.i;
    }
    return folder->name_of_func != NULL;
}

/* ---- paths ---- */

static uint32_t node_add(struct folder *folder, uint32_t parent, uint32_t name)
{
    uint64_t hash = hash_combine(parent, name);
    uint32_t row;
    for (struct map_probe probe = map_probe(&folder->by_key, hash); map_probe_next(&probe, &row);)
        if (folder->nodes.items[row].parent == parent && folder->nodes.items[row].name == name)
            return row;
    row = (uint32_t)folder->nodes.count;
    struct node node = {.parent = parent, .name = name};
    return map_insert(&folder->by_key, hash, row) && vec_push(&folder->nodes, node) ? row : INDEX_NONE;
}

static bool build_nodes(struct folder *folder)
{
    const struct profile *profile = folder->profile;
    size_t count = stack_count(&profile->stacks);
    folder->node_of_stack = memory_array(count + 1, sizeof *folder->node_of_stack);
    for (size_t i = 0; folder->node_of_stack && i < count; i++) {
        struct stack_index prefix = stack_prefix(&profile->stacks, stack_at(i));
        struct func_index func = frame_func(&profile->frames, stack_frame(&profile->stacks, stack_at(i)));
        uint32_t parent = stack_exists(prefix) ? folder->node_of_stack[prefix.i] : INDEX_NONE;
        folder->node_of_stack[i] = node_add(folder, parent, folder->name_of_func[func.i]);
        if (folder->node_of_stack[i] == INDEX_NONE)
            return false;
    }
    return folder->node_of_stack != NULL;
}

static bool add_weight(struct folder *folder, uint32_t stack, double weight)
{
    struct node *node = &folder->nodes.items[folder->node_of_stack[stack]];
    node->weight += weight;
    if (!node->seen && !vec_push(&folder->order, folder->node_of_stack[stack]))
        return false;
    return node->seen = true;
}

static bool add_samples(struct folder *folder, const struct sample_table *samples)
{
    bool weighted = sample_table_has(&samples->weight);
    double unit = samples->weight_type == WEIGHT_TRACING_MS ? 1000 : 1;
    for (size_t i = 0; i < sample_count(samples); i++) {
        uint32_t stack = column_get_index(&samples->stack, i);
        double weight = weighted ? column_get_number(&samples->weight, i) * unit : 1;
        if (stack != INDEX_NONE && !isnan(weight) && !add_weight(folder, stack, weight))
            return false;
    }
    return true;
}

static int add_threads(struct folder *folder, const struct thread_index *threads, size_t thread_count,
                       const struct folded_weights *weights, struct error *error)
{
    size_t count = stack_count(&folder->profile->stacks);
    double *values = weights ? memory_zeroed(count + 1, sizeof *values) : NULL;
    bool ok = !weights || values;
    int status = 0;
    for (size_t i = 0; i < thread_count && ok && status == 0; i++)
        if (weights)
            status = weights->weigh(weights->data, threads[i], values, error);
        else
            ok = add_samples(folder, &folder->profile->threads.items[threads[i].i].samples);
    for (size_t i = 0; weights && i < count && ok && status == 0; i++)
        ok = values[i] == 0 || add_weight(folder, (uint32_t)i, values[i]);
    memory_release(values);
    return ok ? status : error_out_of_memory(error);
}

/* ---- lines ---- */

static bool append_line(struct folder *folder, uint32_t node)
{
    folder->path.count = 0;
    for (uint32_t at = node; at != INDEX_NONE; at = folder->nodes.items[at].parent)
        if (!vec_push(&folder->path, folder->nodes.items[at].name))
            return false;
    for (size_t i = folder->path.count; i-- > 0;)
        if (!append(folder, string_table_get(&folder->names, string_at(folder->path.items[i]))) ||
            (i > 0 && !append(folder, SLICE(";"))))
            return false;
    char number[32];
    snprintf(number, sizeof number, " %.0f\n", folder->nodes.items[node].weight);
    return append(folder, slice_of(number));
}

static int write_lines(struct folder *folder, struct byte_sink *sink, struct error *error)
{
    enum { ENOUGH = 64 << 10 };
    folder->line.count = 0;
    for (size_t i = 0; i < folder->order.count; i++) {
        double weight = folder->nodes.items[folder->order.items[i]].weight;
        if (!(weight >= 0.5) || isinf(weight))
            continue;
        if (!append_line(folder, folder->order.items[i]))
            return error_out_of_memory(error);
        if (folder->line.count < ENOUGH)
            continue;
        if (byte_sink_write(sink, (struct slice){folder->line.items, folder->line.count}, error))
            return error->code;
        folder->line.count = 0;
    }
    return byte_sink_write(sink, (struct slice){folder->line.items, folder->line.count}, error);
}

int export_folded(const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                  const struct folded_weights *weights, struct byte_sink *sink, struct error *error)
{
    struct folder folder = {.profile = profile};
    bool built = clean_names(&folder) && build_nodes(&folder);
    int result = built ? add_threads(&folder, threads, thread_count, weights, error) : error_out_of_memory(error);
    if (result == 0)
        result = write_lines(&folder, sink, error);
    string_table_free(&folder.names);
    memory_release(folder.name_of_func);
    memory_release(folder.node_of_stack);
    vec_free(&folder.nodes);
    map_free(&folder.by_key);
    vec_free(&folder.order);
    vec_free(&folder.path);
    vec_free(&folder.line);
    return result;
}
