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
    if (!isnan(profile->nodes.items[0].hit_count)) {
        for (size_t raw = 0; raw < profile->nodes.count; raw++)
            hits[raw] = isnan(profile->nodes.items[raw].hit_count) ? 0 : profile->nodes.items[raw].hit_count;
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

static bool add_node(struct cpu_model *model, uint32_t raw, uint32_t parent, double self)
{
    int32_t depth = parent == INDEX_NONE ? -1 : model->nodes.items[parent].depth + 1;
    if (depth + 1 > model->max_depth)
        model->max_depth = depth + 1;
    model->row_of_raw.items[raw] = (uint32_t)model->nodes.count;
    return vec_push(&model->nodes, ((struct cpu_model_node){raw, parent, depth, self, self}));
}

/* The engine takes children from the end of their list, and so does this: rows are in the order in which it visits them. It has
 * no objection to nodes that are in several places; but they must not be in so many that a small file becomes a big tree, or,
 * where a node is below itself, an endless one. */
static int visit_nodes(struct cpu_model *model, const struct children *children, const double *hits, double time_per_hit,
                       struct error *error)
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
    if (!add_node(model, 0, INDEX_NONE, hits[0] * time_per_hit) ||
        !vec_push(&path, ((struct visit){0, child_count(profile, children, 0)})))
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
        if (!add_node(model, raw, parent, hits[raw] * time_per_hit) ||
            !vec_push(&path, ((struct visit){row, child_count(profile, children, raw)})))
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
static void sum_totals(struct cpu_model *model)
{
    struct cpu_model_node *nodes = model->nodes.items;
    for (size_t row = 1; row <= model->nodes.count; row++) {
        uint32_t parent = row < model->nodes.count ? nodes[row].parent : 0;
        for (uint32_t done = (uint32_t)row - 1; done != parent; done = nodes[done].parent)
            nodes[nodes[done].parent].total += nodes[done].total;
    }
}

int cpu_model_build_tree(struct cpu_model *model, struct error *error)
{
    const struct trace_profile *profile = model->profile;
    size_t count = profile->nodes.count;
    if (count == 0)
        return error_set(error, -EINVAL, "the CPU profile has no nodes");
    struct children children = {0};
    double *hits = memory_zeroed(count, sizeof *hits);
    int result = 0;
    if (!hits || !node_ids_build(&model->ids, profile) || !vec_reserve(&model->row_of_raw, count) ||
        !vec_reserve(&model->nodes, count)) {
        result = error_out_of_memory(error);
        goto out;
    }
    model->row_of_raw.count = count;
    memset(model->row_of_raw.items, 0xff, count * sizeof *model->row_of_raw.items);
    result = count_hits(hits, model, error);
    if (result == 0 && profile->nodes.items[0].child_count == INDEX_NONE)
        result = children_by_parents(&children, model, error);
    if (result != 0)
        goto out;

    double all_hits = 0;
    for (size_t raw = 0; raw < count; raw++)
        all_hits += hits[raw];
    result = visit_nodes(model, &children, hits, (model->end - model->start) / all_hits, error);
    if (result == 0)
        sum_totals(model);
out:
    memory_release(children.first);
    memory_release(children.rows);
    memory_release(hits);
    return result;
}
