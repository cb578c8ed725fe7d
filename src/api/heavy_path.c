#include "api/heavy_path.h"

#include <math.h>

int path_find_node(const struct ordered_tree *tree, const struct path *path, uint32_t *node, struct error *error)
{
    *node = INDEX_NONE;
    if (path->funcs.count == 0)
        return 0;
    if (tree->inverted) {
        size_t length = 0;
        int status = inverted_tree_find(&tree->answer->inverted, path, node, &length, error);
        if (length < path->funcs.count)
            *node = INDEX_NONE;
        return status;
    }
    *node = call_node_find(&tree->answer->nodes, path->funcs.items, path->funcs.count);
    if (*node != INDEX_NONE && !tree->answer->tree.shown[*node])
        *node = INDEX_NONE;
    return 0;
}

/* Categories that a path does not lead into. */
struct avoided {
    struct category_index idle, ready;
};

static bool avoids(const struct avoided *avoided, uint32_t category)
{
    return (category_exists(avoided->idle) && category == avoided->idle.i) ||
           (category_exists(avoided->ready) && category == avoided->ready.i);
}

/* The largest child that is not avoided; INDEX_NONE where there is none. */
static int largest_child(const struct ordered_tree *tree, uint32_t node, const struct avoided *avoided, uint32_t *child,
                         struct error *error)
{
    struct node_list children = {0};
    int status = ordered_tree_children(tree, node, &children, error);
    *child = INDEX_NONE;
    for (size_t i = 0; status == 0 && i < children.nodes.count && *child == INDEX_NONE; i++) {
        uint32_t candidate = children.nodes.items[i];
        if (!avoids(avoided, pair_category(ordered_tree_node(tree, candidate).pair)))
            *child = candidate;
    }
    vec_free(&children.nodes);
    return status;
}

static int extend(const struct ordered_tree *tree, uint32_t node, double split, size_t levels, const struct avoided *avoided,
                  struct path *path, struct error *error)
{
    double total = node == INDEX_NONE ? tree->answer->tree.root_total : ordered_tree_total(tree, node);
    for (size_t i = 0; i < levels; i++) {
        uint32_t child;
        if (largest_child(tree, node, avoided, &child, error) != 0)
            return error->code;
        if (child == INDEX_NONE || fabs(ordered_tree_total(tree, child)) < split * fabs(total))
            return 0;
        if (!path_push(path, ordered_tree_node(tree, child).func))
            return error_out_of_memory(error);
        node = child;
        total = ordered_tree_total(tree, node);
    }
    return 0;
}

int heavy_path_extend(const struct ordered_tree *tree, double split, struct path *path, struct error *error)
{
    uint32_t node;
    int status = path_find_node(tree, path, &node, error);
    if (status != 0 || (node == INDEX_NONE && path->funcs.count > 0))
        return status;
    const struct avoided nothing = {category_none(), category_none()};
    return extend(tree, node, split, HEAVY_MOST_LEVELS, &nothing, path, error);
}

int heavy_path_first(const struct ordered_tree *tree, size_t levels, struct path *path, struct error *error)
{
    const struct profile *profile = tree->answer->view.profile;
    const struct avoided waits = {
        .idle = category_list_find(&profile->categories, &profile->strings, SLICE("Idle")),
        .ready = category_list_find(&profile->categories, &profile->strings, SLICE("Waiting for CPU")),
    };
    return extend(tree, INDEX_NONE, 0, levels, &waits, path, error);
}
