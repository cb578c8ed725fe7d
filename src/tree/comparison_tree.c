#include "tree/comparison_tree.h"

#include <math.h>
#include <stdlib.h>

/* A node of one run that is on its way to the roots; its weight counts on each level. */
struct climber {
    uint32_t run, leaf, at; /* call nodes */
    uint32_t below;         /* the compared node that was reached */
};

struct builder {
    const struct comparison *comparison;
    const struct compared_run *runs;
    const struct comparison_tree_cut *cut;
    struct comparison_tree *tree;
    struct map by_key; /* parent and key */
    VEC(struct climber) climbers;
};

/* INDEX_NONE when the heap is empty. */
static uint32_t node_of(struct builder *builder, uint32_t parent, uint32_t key)
{
    struct comparison_tree *tree = builder->tree;
    uint64_t hash = hash_combine(parent, key);
    uint32_t row;
    for (struct map_probe probe = map_probe(&builder->by_key, hash); map_probe_next(&probe, &row);)
        if (tree->nodes.items[row].parent == parent && tree->nodes.items[row].key == key)
            return row;
    struct compared_node node = {
        .key = key,
        .parent = parent,
        .depth = parent == INDEX_NONE ? 0 : tree->nodes.items[parent].depth + 1,
    };
    row = (uint32_t)tree->nodes.count;
    return vec_push(&tree->nodes, node) && map_insert(&builder->by_key, hash, row) ? row : INDEX_NONE;
}

/* Of a single run; a side with several has their mean. */
static double share_of_run(const struct builder *builder, uint32_t run)
{
    enum comparison_side side = builder->runs[run].side;
    return builder->runs[run].scale / (double)builder->comparison->side_runs[side];
}

static void add_total(struct builder *builder, uint32_t run, uint32_t row, double total, struct uncertainty uncertainty)
{
    const struct compared_run *of = &builder->runs[run];
    struct compared_node *node = &builder->tree->nodes.items[row];
    double share = share_of_run(builder, run);
    node->total[of->side] += total * share;
    node->variance[of->side] += uncertainty.variance * share * share;
}

/* ---- top-down ---- */

static bool add_top_down(struct builder *builder, uint32_t run)
{
    const struct call_tree *tree = &builder->runs[run].answer->tree;
    const struct call_node_table *nodes = tree->nodes;
    uint32_t *row_of = memory_array((size_t)nodes->count + 1, sizeof *row_of);
    bool fits = row_of;
    for (uint32_t node = 0; node < nodes->count && fits; node++) {
        uint32_t parent = nodes->parent[node];
        row_of[node] = INDEX_NONE;
        if (!tree->shown[node] || nodes->depth[node] >= builder->cut->depth)
            continue;
        uint32_t key = builder->comparison->keys_of[run][nodes->func[node]];
        uint32_t row = parent == INDEX_NONE ? INDEX_NONE : row_of[parent];
        if (key == INDEX_NONE) { /* what it counts comes to nothing */
            row_of[node] = row;
            continue;
        }
        row_of[node] = row = node_of(builder, row, key);
        fits = row != INDEX_NONE;
        if (!fits)
            break;
        add_total(builder, run, row, tree->total[node], tree->total_uncertainty[node]);
        builder->tree->nodes.items[row].self[builder->runs[run].side] += tree->self[node] * share_of_run(builder, run);
    }
    memory_release(row_of);
    return fits;
}

/* ---- bottom-up ---- */

static bool add_leaves(struct builder *builder, uint32_t run)
{
    const struct call_tree *tree = &builder->runs[run].answer->tree;
    bool fits = true;
    for (uint32_t node = 0; node < tree->nodes->count && fits; node++)
        if (tree->self[node] != 0)
            fits = vec_push(&builder->climbers, ((struct climber){run, node, node, INDEX_NONE}));
    return fits;
}

/* One level further: those whose callers are below --min, and those at a root, stay behind. */
static bool climb(struct builder *builder)
{
    size_t kept = 0;
    bool fits = true;
    for (size_t i = 0; i < builder->climbers.count && fits; i++) {
        struct climber climber = builder->climbers.items[i];
        const struct call_tree *tree = &builder->runs[climber.run].answer->tree;
        const struct call_node_table *nodes = tree->nodes;
        if (climber.at == INDEX_NONE ||
            (climber.below != INDEX_NONE && compared_node_size(&builder->tree->nodes.items[climber.below]) < builder->cut->min))
            continue;
        uint32_t key = builder->comparison->keys_of[climber.run][nodes->func[climber.at]];
        uint32_t row = key == INDEX_NONE ? INDEX_NONE : node_of(builder, climber.below, key);
        fits = row != INDEX_NONE;
        if (!fits)
            break;
        double self = tree->self[climber.leaf];
        add_total(builder, climber.run, row, self, tree->self_uncertainty[climber.leaf]);
        if (climber.below == INDEX_NONE)
            builder->tree->nodes.items[row].self[builder->runs[climber.run].side] += self * share_of_run(builder, climber.run);
        builder->climbers.items[kept++] = (struct climber){climber.run, climber.leaf, nodes->parent[climber.at], row};
    }
    builder->climbers.count = kept;
    return fits;
}

/* ---- what changed ---- */

static bool compare_nodes(struct builder *builder)
{
    const struct comparison *comparison = builder->comparison;
    struct comparison_tree *tree = builder->tree;
    double *chances = memory_array(tree->nodes.count + 1, sizeof *chances);
    for (size_t i = 0; i < tree->nodes.count && chances; i++) {
        const struct compared_node *node = &tree->nodes.items[i];
        struct measure of[SIDES];
        comparison_measure(comparison, node->total, node->variance, of);
        double least, chance = change_chance(&of[SIDE_BASE], &of[SIDE_NEW], &least);
        chances[i] = least <= comparison->terms.level ? chance : NAN;
    }
    bool fits = chances && changes_correct(chances, tree->nodes.count) == 0;
    for (size_t i = tree->nodes.count; fits && i-- > 0;) {
        struct compared_node *node = &tree->nodes.items[i];
        node->chance = isnan(chances[i]) ? 1 : chances[i];
        node->significant = node->chance <= comparison->terms.level;
        node->leads_to_change |= node->significant;
        if (node->leads_to_change && node->parent != INDEX_NONE)
            tree->nodes.items[node->parent].leads_to_change = true;
    }
    memory_release(chances);
    return fits;
}

/* ---- order ---- */

static int compare_siblings(const void *a, const void *b, void *context)
{
    const struct comparison_tree *tree = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct compared_node *left = &tree->nodes.items[x], *right = &tree->nodes.items[y];
    if (left->parent != right->parent)
        return left->parent < right->parent ? -1 : 1;
    double size = compared_node_size(left), other = compared_node_size(right);
    if (size != other)
        return size > other ? -1 : 1;
    return (left->key > right->key) - (left->key < right->key);
}

/* Children of one parent stand together in a sorted list; from there depth first, by a stack of what is still to be shown. */
static bool put_in_order(struct comparison_tree *tree, double min)
{
    size_t count = tree->nodes.count;
    uint32_t *sorted = memory_array(count + 1, sizeof *sorted), *first = memory_array(count + 1, sizeof *first);
    VEC(uint32_t) pending = {0};
    bool fits = sorted && first;
    for (uint32_t i = 0; i < count && fits; i++)
        sorted[i] = i;
    if (fits)
        qsort_r(sorted, count, sizeof *sorted, compare_siblings, tree);
    for (size_t i = 0; i <= count && fits; i++)
        first[i] = INDEX_NONE;
    /* first[p]: where the children of p begin; roots, whose parent is INDEX_NONE, stand last. */
    for (uint32_t i = (uint32_t)count; fits && i-- > 0;) {
        uint32_t parent = tree->nodes.items[sorted[i]].parent;
        first[parent == INDEX_NONE ? count : parent] = i;
    }
    uint32_t at = fits ? first[count] : INDEX_NONE;
    while (fits) {
        if (at != INDEX_NONE && at < count) {
            const struct compared_node *node = &tree->nodes.items[sorted[at]];
            bool has_next = at + 1 < count && tree->nodes.items[sorted[at + 1]].parent == node->parent;
            if (has_next)
                fits = vec_push(&pending, at + 1);
            if (compared_node_size(node) >= min) {
                fits = fits && vec_push(&tree->order, sorted[at]);
                at = first[sorted[at]];
                if (at != INDEX_NONE)
                    continue;
            }
        }
        if (pending.count == 0)
            break;
        at = pending.items[--pending.count];
    }
    vec_free(&pending);
    memory_release(sorted);
    memory_release(first);
    return fits;
}

int comparison_tree_build(const struct comparison *comparison, const struct compared_run *runs,
                          const struct comparison_tree_cut *cut, struct comparison_tree *tree, struct error *error)
{
    *tree = (struct comparison_tree){0};
    struct builder builder = {.comparison = comparison, .runs = runs, .cut = cut, .tree = tree};
    bool fits = true;
    for (uint32_t run = 0; run < comparison->run_count && fits; run++)
        fits = cut->inverted ? add_leaves(&builder, run) : add_top_down(&builder, run);
    for (size_t level = 0; level < cut->depth && builder.climbers.count > 0 && fits; level++)
        fits = climb(&builder);
    fits = fits && compare_nodes(&builder) && put_in_order(tree, cut->min);
    vec_free(&builder.climbers);
    map_free(&builder.by_key);
    return fits ? 0 : error_out_of_memory(error);
}

void comparison_tree_free(struct comparison_tree *tree)
{
    vec_free(&tree->nodes);
    vec_free(&tree->order);
    *tree = (struct comparison_tree){0};
}
