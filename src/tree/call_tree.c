#include "tree/call_tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static void add_self(const struct view *view, const struct call_node_table *nodes, const struct stack_weights *weights,
                     struct call_tree *tree)
{
    for (uint32_t source = 0; source < weights->count; source++) {
        if (weights->rows[source] == 0)
            continue;
        uint32_t stack = view_sample_stack(view, source);
        if (stack == INDEX_NONE)
            continue;
        tree->self[nodes->of_stack[stack]] += weights->weight[source];
        if (tree->self_uncertainty)
            uncertainty_add(&tree->self_uncertainty[nodes->of_stack[stack]], weights->uncertainty[source]);
        tree->row_count += weights->rows[source];
    }
}

/* Children come after their parents, so one pass backwards sees every total complete. */
static void add_totals(const struct call_node_table *nodes, struct call_tree *tree)
{
    for (uint32_t node = nodes->count; node-- > 0;) {
        uint32_t parent = nodes->parent[node];
        tree->root_total += fabs(tree->self[node]);
        if (tree->self_uncertainty)
            uncertainty_add(&tree->root_uncertainty, tree->self_uncertainty[node]);
        tree->total[node] += tree->self[node];
        tree->shown[node] |= tree->total[node] != 0;
        if (tree->self_uncertainty)
            uncertainty_add(&tree->total_uncertainty[node], tree->self_uncertainty[node]);
        if (parent == INDEX_NONE)
            continue;
        tree->total[parent] += tree->total[node];
        tree->shown[parent] |= tree->shown[node];
        if (tree->self_uncertainty)
            uncertainty_add(&tree->total_uncertainty[parent], tree->total_uncertainty[node]);
    }
}

int call_tree_build(const struct view *view, const struct call_node_table *nodes, const struct stack_weights *weights,
                    struct call_tree *tree, struct error *error)
{
    *tree = (struct call_tree){
        .nodes = nodes,
        .self = memory_zeroed(nodes->count, sizeof(double)),
        .total = memory_zeroed(nodes->count, sizeof(double)),
        .shown = memory_zeroed(nodes->count, 1),
    };
    if (weights->uncertainty) {
        tree->self_uncertainty = memory_zeroed(nodes->count, sizeof *tree->self_uncertainty);
        tree->total_uncertainty = memory_zeroed(nodes->count, sizeof *tree->total_uncertainty);
    }
    bool has_uncertainty = tree->self_uncertainty && tree->total_uncertainty;
    if (!tree->self || !tree->total || !tree->shown || (weights->uncertainty && !has_uncertainty)) {
        call_tree_free(tree);
        return error_out_of_memory(error);
    }
    add_self(view, nodes, weights, tree);
    add_totals(nodes, tree);
    /* No total is larger than the sum of all, so this one look is enough. */
    if (!isfinite(tree->root_total)) {
        call_tree_free(tree);
        return error_set(error, -ERANGE, "the weights add up to more than a number can hold");
    }
    return 0;
}

void call_tree_free(struct call_tree *tree)
{
    memory_release(tree->self);
    memory_release(tree->total);
    memory_release(tree->self_uncertainty);
    memory_release(tree->total_uncertainty);
    memory_release(tree->shown);
    *tree = (struct call_tree){0};
}

/* ---- order ---- */

/* Numbers ascend with funcs among siblings, so they decide between equal totals. */
static int compare_nodes(const void *a, const void *b, void *data)
{
    const struct call_tree *tree = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double total_x = fabs(tree->total[x]), total_y = fabs(tree->total[y]);
    if (total_x != total_y)
        return total_x > total_y ? -1 : 1;
    return (x > y) - (x < y);
}

bool call_tree_children(const struct call_tree *tree, uint32_t node, struct node_list *children)
{
    const struct call_node_table *nodes = tree->nodes;
    uint32_t child = node == INDEX_NONE ? 0 : node + 1;
    uint32_t end = node == INDEX_NONE ? nodes->count : nodes->subtree_end[node];
    children->nodes.count = 0;
    for (; child < end; child = nodes->subtree_end[child])
        if (tree->shown[child] && !vec_push(&children->nodes, child))
            return false;
    if (children->nodes.count > 1)
        qsort_r(children->nodes.items, children->nodes.count, sizeof(uint32_t), compare_nodes, (void *)tree);
    return true;
}

uint32_t call_tree_heaviest(const struct call_tree *tree, uint32_t node)
{
    uint32_t heaviest = node;
    for (uint32_t i = node; i < tree->nodes->subtree_end[node]; i++)
        if (fabs(tree->self[i]) > fabs(tree->self[heaviest]))
            heaviest = i;
    return heaviest;
}
