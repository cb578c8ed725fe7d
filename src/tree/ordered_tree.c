#include "tree/ordered_tree.h"

#include <math.h>
#include <stdlib.h>

struct ordered_node ordered_tree_node(const struct ordered_tree *tree, uint32_t node)
{
    if (tree->inverted) {
        const struct inverted_node *of = &tree->answer->inverted.nodes.items[node];
        return (struct ordered_node){of->func, of->pair, of->inlined, of->total, inverted_node_self(of)};
    }
    const struct call_node_table *nodes = &tree->answer->nodes;
    return (struct ordered_node){
        .func = nodes->func[node],
        .pair = nodes->pair[node],
        .inlined = nodes->inlined ? nodes->inlined[node] : INLINED_NOT,
        .total = tree->answer->tree.total[node],
        .self = tree->answer->tree.self[node],
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
