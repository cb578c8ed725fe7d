#include "tree/comparison_boxes.h"

#include <stdlib.h>

struct places {
    const struct comparison *comparison;
    const struct compared_node *nodes;
};

/* Roots, which have no parent, are first. */
static int compare_places(const void *left, const void *right, void *context)
{
    const struct places *places = context;
    const struct func_keys *keys = &places->comparison->keys;
    const struct compared_node *nodes = places->nodes;
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    uint32_t a = nodes[x].parent + 1, b = nodes[y].parent + 1;
    if (a != b)
        return a < b ? -1 : 1;
    int order = slice_compare(func_key_name(keys, nodes[x].key), func_key_name(keys, nodes[y].key));
    return order != 0 ? order : (x > y) - (x < y);
}

/* Children stand behind their parents. Bottom-up all of a node is what ended in the root, so self is not what its callers
 * leave of it. */
static void find_widths(const struct comparison_tree *tree, bool inverted, struct comparison_boxes *boxes)
{
    const struct compared_node *nodes = tree->nodes.items;
    double *width = boxes->width;
    for (size_t i = tree->nodes.count; i-- > 0;) {
        double own = inverted ? compared_node_size(&nodes[i])
                              : fmax(fabs(nodes[i].self[SIDE_BASE]), fabs(nodes[i].self[SIDE_NEW])) + width[i];
        width[i] = fmax(own, width[i]);
        *(nodes[i].parent == INDEX_NONE ? &boxes->whole : &width[nodes[i].parent]) += width[i];
    }
    double scale = boxes->whole > 0 ? 1 / boxes->whole : 0;
    for (size_t i = 0; i < tree->nodes.count; i++)
        width[i] *= scale;
}

/* Siblings stand side by side, behind their parent. */
static void find_places(const struct comparison_tree *tree, struct comparison_boxes *boxes)
{
    const struct compared_node *nodes = tree->nodes.items;
    double next = 0;
    for (size_t i = 0; i < tree->nodes.count; i++) {
        uint32_t node = boxes->by_parent[i], parent = nodes[node].parent;
        bool is_first = i > 0 && parent != nodes[boxes->by_parent[i - 1]].parent;
        boxes->left[node] = is_first ? boxes->left[parent] : next;
        next = boxes->left[node] + boxes->width[node];
    }
}

int comparison_boxes_lay_out(const struct comparison *comparison, const struct comparison_tree *tree, bool inverted,
                             struct comparison_boxes *boxes, struct error *error)
{
    size_t count = tree->nodes.count;
    *boxes = (struct comparison_boxes){
        .left = memory_zeroed(count + 1, sizeof *boxes->left),
        .width = memory_zeroed(count + 1, sizeof *boxes->width),
        .by_parent = memory_array(count + 1, sizeof *boxes->by_parent),
    };
    if (!boxes->left || !boxes->width || !boxes->by_parent)
        return error_out_of_memory(error);
    struct places places = {comparison, tree->nodes.items};
    find_widths(tree, inverted, boxes);
    for (uint32_t i = 0; i < count; i++)
        boxes->by_parent[i] = i;
    if (count > 1)
        qsort_r(boxes->by_parent, count, sizeof *boxes->by_parent, compare_places, &places);
    find_places(tree, boxes);
    return 0;
}

void comparison_boxes_free(struct comparison_boxes *boxes)
{
    memory_release(boxes->left);
    memory_release(boxes->width);
    memory_release(boxes->by_parent);
    *boxes = (struct comparison_boxes){0};
}

uint32_t comparison_boxes_levels(const struct comparison_boxes *boxes, const struct comparison_tree *tree, double least)
{
    uint32_t levels = 0;
    for (size_t i = 0; i < tree->nodes.count; i++)
        if (boxes->width[i] >= least && tree->nodes.items[i].depth + 1 > levels)
            levels = tree->nodes.items[i].depth + 1;
    return levels;
}
