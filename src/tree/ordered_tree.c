#include "tree/ordered_tree.h"

#include <math.h>
#include <stdlib.h>

struct ordered_node ordered_tree_node(const struct ordered_tree *tree, uint32_t node)
{
    if (tree->inverted) {
        const struct inverted_node *of = &tree->answer->inverted.nodes.items[node];
        return (struct ordered_node){
            .func = of->func,
            .pair = of->pair,
            .inlined = of->inlined,
            .total = of->total,
            .self = inverted_node_self(of),
            .total_uncertainty = of->uncertainty,
            .self_uncertainty = of->depth == 0 ? of->uncertainty : (struct uncertainty){0},
        };
    }
    const struct call_node_table *nodes = &tree->answer->nodes;
    const struct call_tree *values = &tree->answer->tree;
    return (struct ordered_node){
        .func = nodes->func[node],
        .pair = nodes->pair[node],
        .inlined = nodes->inlined ? nodes->inlined[node] : INLINED_NOT,
        .total = values->total[node],
        .self = values->self[node],
        .total_uncertainty = values->self_uncertainty ? values->total_uncertainty[node] : (struct uncertainty){0},
        .self_uncertainty = values->self_uncertainty ? values->self_uncertainty[node] : (struct uncertainty){0},
    };
}

bool ordered_tree_has_children(const struct ordered_tree *tree, uint32_t node)
{
    if (tree->inverted)
        return tree->answer->inverted.nodes.items[node].has_children;
    const struct call_node_table *nodes = &tree->answer->nodes;
    for (uint32_t child = node + 1; child < nodes->subtree_end[node]; child = nodes->subtree_end[child])
        if (tree->answer->tree.shown[child])
            return true;
    return false;
}

static int compare_roots(const void *left, const void *right, void *data)
{
    const struct inverted_node *nodes = data;
    const struct inverted_node *a = &nodes[*(const uint32_t *)left], *b = &nodes[*(const uint32_t *)right];
    if (fabs(a->total) != fabs(b->total))
        return fabs(a->total) > fabs(b->total) ? -1 : 1;
    return a->func < b->func ? -1 : a->func > b->func;
}

static int inverted_children(struct inverted_tree *inverted, uint32_t node, struct node_list *children, struct error *error)
{
    uint32_t first = 0, count = inverted->root_count;
    children->nodes.count = 0;
    if (node != INDEX_NONE) {
        if (!inverted->nodes.items[node].has_children)
            return 0;
        if (inverted_tree_expand(inverted, node, error) != 0)
            return error->code;
        first = inverted->nodes.items[node].first_child;
        count = inverted->nodes.items[node].child_count;
    }
    if (!vec_reserve(&children->nodes, count))
        return error_out_of_memory(error);
    for (uint32_t i = 0; i < count; i++)
        children->nodes.items[children->nodes.count++] = first + i;
    /* The engine leaves roots of equal totals in the order of the call nodes they stand for, as the Firefox Profiler does. What
     * is shown promises the same order for all siblings: larger totals first, then smaller handles. */
    if (node == INDEX_NONE && count > 0)
        qsort_r(children->nodes.items, count, sizeof *children->nodes.items, compare_roots, inverted->nodes.items);
    return 0;
}

int ordered_tree_children(const struct ordered_tree *tree, uint32_t node, struct node_list *children, struct error *error)
{
    if (tree->inverted)
        return inverted_children(&tree->answer->inverted, node, children, error);
    return call_tree_children(&tree->answer->tree, node, children) ? 0 : error_out_of_memory(error);
}
