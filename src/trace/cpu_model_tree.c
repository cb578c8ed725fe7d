/* Nodes of a CPU profile become a tree, with hits made into times. */
#include "trace/cpu_model.h"

#include <errno.h>
#include <math.h>

/* Children come from two places: lists of ids, and nodes that name their parent. The latter count only where the first node
 * has no list, and come after the list where another node has one all the same. */
struct children {
    uint32_t *first; /* of each raw node in `rows`, and the end; NULL = nobody names a parent */
    uint32_t *rows;  /* raw */
};

static uint32_t listed_count(const struct trace_node *node)
{
    return node->child_count == INDEX_NONE ? 0 : node->child_count;
}

static uint32_t child_count(const struct trace_profile *profile, const struct children *children, uint32_t raw)
{
    uint32_t named = children->first ? children->first[raw + 1] - children->first[raw] : 0;
    return listed_count(&profile->nodes.items[raw]) + named;
}

/* A raw row; INDEX_NONE where a list has an id that no node has. */
static uint32_t child_at(const struct cpu_model *model, const struct children *children, uint32_t raw, uint32_t place)
{
    const struct trace_node *node = &model->profile->nodes.items[raw];
    uint32_t listed = listed_count(node);
    if (place < listed)
        return node_ids_find(&model->ids, model->profile->children.items[node->first_child + place]);
    return children->rows[children->first[raw] + place - listed];
}

static int children_by_parents(struct children *children, const struct cpu_model *model, struct error *error)
{
    const struct trace_node *nodes = model->profile->nodes.items;
    size_t count = model->profile->nodes.count;
    children->first = memory_zeroed(count + 2, sizeof *children->first);
    children->rows = memory_array(count, sizeof *children->rows);
    if (!children->first || !children->rows)
        return error_out_of_memory(error);
    /* Counted two places further on, so that filling one place further on leaves every beginning where it belongs. */
    for (size_t raw = 1; raw < count; raw++) {
        uint32_t parent = node_ids_find(&model->ids, nodes[raw].parent);
        if (parent != INDEX_NONE)
            children->first[parent + 2]++;
    }
    for (size_t raw = 2; raw < count + 2; raw++)
        children->first[raw] += children->first[raw - 1];
    for (size_t raw = 1; raw < count; raw++) {
        uint32_t parent = node_ids_find(&model->ids, nodes[raw].parent);
        uint32_t named = node_ids_find(&model->ids, nodes[raw].id);
        if (parent != INDEX_NONE)
            children->rows[children->first[parent + 1]++] = named;
    }
    return 0;
}

/* Hits of each raw node, as given or counted from the samples. */
static int count_hits(double *hits, const struct cpu_model *model, struct error *error)
{
    const struct trace_profile *profile = model->profile;
    if (profile->hits.count > 0 && !isnan(profile->hits.items[0])) {
        for (size_t raw = 0; raw < profile->nodes.count; raw++)
            hits[raw] = isnan(profile->hits.items[raw]) ? 0 : profile->hits.items[raw];
        return 0;
    }
    if (!profile->has_samples)
        return error_set(error, -EINVAL, "the CPU profile has neither hit counts nor samples");
    for (size_t i = 0; i < profile->samples.count; i++) {
        uint32_t raw = node_ids_find(&model->ids, profile->samples.items[i]);
        if (raw != INDEX_NONE)
            hits[raw]++;
    }
    return 0;
}

static bool add_node(struct cpu_model *model, uint32_t raw, uint32_t parent)
{
    int32_t depth = parent == INDEX_NONE ? -1 : model->nodes.items[parent].depth + 1;
    if (depth + 1 > model->max_depth)
        model->max_depth = depth + 1;
    model->row_of_raw.items[raw] = (uint32_t)model->nodes.count;
    return vec_push(&model->nodes, ((struct cpu_model_node){raw, model->profile->nodes.items[raw].function, parent, depth}));
}

/* The engine takes children from the end of their list, and so does this: rows are in the order in which it visits them. It has
 * no objection to nodes that are in several places; but they must not be in so many that a small file becomes a big tree, or,
 * where a node is below itself, an endless one. */
static int visit_nodes(struct cpu_model *model, const struct children *children, struct error *error)
{
    struct visit {
        uint32_t row;
        uint32_t left; /* children that are still to be visited */
    };
    VEC(struct visit) path = {0};
    const struct trace_profile *profile = model->profile;
    size_t patience = 2 * (profile->nodes.count + profile->children.count) + 1024;
    int result = 0;
    uint32_t root = node_ids_find(&model->ids, profile->nodes.items[0].id);
    if (!add_node(model, 0, INDEX_NONE) || !vec_push(&path, ((struct visit){0, child_count(profile, children, 0)})))
        goto out_of_memory;
    if (root != INDEX_NONE)
        model->row_of_raw.items[root] = 0;
    while (path.count > 0) {
        struct visit *top = &path.items[path.count - 1];
        if (top->left == 0) {
            path.count--;
            continue;
        }
        uint32_t parent = top->row;
        uint32_t raw = child_at(model, children, model->nodes.items[parent].raw, --top->left);
        if (patience-- == 0 || model->nodes.count >= INT32_MAX) {
            result = error_set(error, -EINVAL, "a node of the CPU profile is its own caller, or has far too many");
            goto out;
        }
        if (raw == INDEX_NONE)
            continue;
        uint32_t row = (uint32_t)model->nodes.count;
        if (!add_node(model, raw, parent) || !vec_push(&path, ((struct visit){row, child_count(profile, children, raw)})))
            goto out_of_memory;
    }
    vec_trim(&model->nodes);
    goto out;
out_of_memory:
    result = error_out_of_memory(error);
out:
    vec_free(&path);
    return result;
}

/* A node is done when the next row is not below it. Its total then goes to its parent: first child first, as in the engine,
 * because sums of doubles depend on their order. */
static int sum_times(struct cpu_model *model, const double *hits, double time_per_hit, struct error *error)
{
    const struct cpu_model_node *nodes = model->nodes.items;
    if (!vec_reserve(&model->node_times, model->nodes.count))
        return error_out_of_memory(error);
    struct cpu_model_times *times = model->node_times.items;
    model->node_times.count = model->nodes.count;
    for (size_t row = 0; row < model->nodes.count; row++)
        times[row].self = times[row].total = hits[nodes[row].raw] * time_per_hit;
    for (size_t row = 1; row <= model->nodes.count; row++) {
        uint32_t parent = row < model->nodes.count ? nodes[row].parent : 0;
        for (uint32_t done = (uint32_t)row - 1; done != parent; done = nodes[done].parent)
            times[nodes[done].parent].total += times[done].total;
    }
    return 0;
}

/* Of the nodes, from the hits of each. */
static int build_times(struct cpu_model *model, struct error *error)
{
    size_t count = model->profile->nodes.count;
    double *hits = memory_zeroed(count, sizeof *hits), all_hits = 0;
    int result = hits ? count_hits(hits, model, error) : error_out_of_memory(error);
    for (size_t raw = 0; result == 0 && raw < count; raw++)
        all_hits += hits[raw];
    if (result == 0)
        result = sum_times(model, hits, (model->end - model->start) / all_hits, error);
    memory_release(hits);
    return result;
}

int cpu_model_build_tree(struct cpu_model *model, struct error *error)
{
    const struct trace_profile *profile = model->profile;
    size_t count = profile->nodes.count;
    if (count == 0)
        return error_set(error, -EINVAL, "the CPU profile has no nodes");
    struct children children = {0};
    int result = 0;
    if (!node_ids_build(&model->ids, profile) || !vec_reserve(&model->row_of_raw, count) ||
        !vec_reserve(&model->nodes, count)) {
        result = error_out_of_memory(error);
        goto out;
    }
    model->row_of_raw.count = count;
    memset(model->row_of_raw.items, 0xff, count * sizeof *model->row_of_raw.items);
    if (profile->nodes.items[0].child_count == INDEX_NONE)
        result = children_by_parents(&children, model, error);
    if (result == 0)
        result = visit_nodes(model, &children, error);
    if (result == 0 && profile->hits.count > 0)
        result = build_times(model, error);
out:
    memory_release(children.first);
    memory_release(children.rows);
    return result;
}
