#include "tree/path_rewrite.h"

#include <errno.h>

static size_t path_first(const struct path *path, uint32_t func)
{
    size_t i = 0;
    while (i < path->funcs.count && path->funcs.items[i] != func)
        i++;
    return i;
}

static bool path_starts_with(const struct path *path, const struct path *start)
{
    if (path->funcs.count < start->funcs.count)
        return false;
    for (size_t i = 0; i < start->funcs.count; i++)
        if (path->funcs.items[i] != start->funcs.items[i])
            return false;
    return true;
}

/* Takes the elements [from, to) out. */
static void path_cut(struct path *path, size_t from, size_t to)
{
    size_t gap = to - from;
    for (size_t i = to; i < path->funcs.count; i++)
        path->funcs.items[i - gap] = path->funcs.items[i];
    path->funcs.count -= gap;
}

static void path_remove_all(struct path *path, uint32_t func)
{
    size_t kept = 0;
    for (size_t i = 0; i < path->funcs.count; i++)
        if (path->funcs.items[i] != func)
            path->funcs.items[kept++] = path->funcs.items[i];
    path->funcs.count = kept;
}

/* Of calls of `func` that follow each other directly only the first stays. */
static void path_remove_repeats(struct path *path, uint32_t func)
{
    size_t kept = 0;
    uint32_t before = INDEX_NONE;
    for (size_t i = 0; i < path->funcs.count; i++) {
        uint32_t current = path->funcs.items[i];
        if (current != func || before != func)
            path->funcs.items[kept++] = current;
        before = current;
    }
    path->funcs.count = kept;
}

static void path_focus_subtree(struct path *path, const struct path *focus)
{
    size_t length = focus->funcs.count;
    if (!path_starts_with(path, focus))
        path->funcs.count = 0;
    else if (length > 0)
        path_cut(path, 0, length - 1);
    else if (path->funcs.count > 0) /* as the Firefox Profiler does: "the last -1 elements" */
        path_cut(path, 0, path->funcs.count - 1);
}

static void path_collapse_recursion(struct path *path, uint32_t func)
{
    size_t first = path_first(path, func), last = path->funcs.count;
    if (first == path->funcs.count)
        return;
    while (path->funcs.items[last - 1] != func)
        last--;
    path_cut(path, first, last - 1);
}

static void path_collapse_resource(struct path *path, const struct transform *transform, const struct func_list *funcs)
{
    for (size_t i = 0; i < path->funcs.count; i++) {
        uint32_t func = path->funcs.items[i];
        if (func < funcs->count && funcs->resource[func] == transform->resource)
            path->funcs.items[i] = transform->func;
    }
    path_remove_repeats(path, transform->func);
}

/* ---- focus-category: the categories that the elements of a path have as call nodes ---- */

static int categories_of_path(const struct path *path, const struct call_node_table *nodes, uint32_t *pairs)
{
    uint32_t node = call_node_find(nodes, path->funcs.items, path->funcs.count);
    if (node == INDEX_NONE)
        return -ENOENT;
    for (size_t i = path->funcs.count; i-- > 0; node = nodes->parent[node])
        pairs[i] = nodes->pair[node];
    return 0;
}

/* The same for a path of the inverted tree: for each element over all call nodes whose paths end so. A function that no call
 * node has is a root there all the same, of category 0. */
static int categories_of_inverted_path(const struct path *path, const struct call_node_table *nodes, uint32_t *pairs)
{
    size_t length = path->funcs.count;
    bool found = false;
    for (size_t i = 0; i < length; i++)
        pairs[i] = INDEX_NONE;
    for (uint32_t leaf = 0; leaf < nodes->count; leaf++) {
        uint32_t node = leaf;
        for (size_t i = 0; i < length && node != INDEX_NONE && nodes->func[node] == path->funcs.items[i]; i++) {
            pairs[i] =
                pairs[i] == INDEX_NONE ? nodes->pair[node] : pair_merge(pairs[i], nodes->pair[node], nodes->default_pair);
            found |= i + 1 == length;
            node = nodes->parent[node];
        }
    }
    if (length == 1 && !found) {
        pairs[0] = pair_of(0, 0);
        found = true;
    }
    return found ? 0 : -ENOENT;
}

static int path_focus_category(struct path *path, uint32_t category, const struct call_node_table *nodes, bool inverted,
                               struct error *error)
{
    size_t length = path->funcs.count;
    if (length == 0)
        return 0;
    uint32_t *pairs = memory_array(length, sizeof *pairs);
    if (!pairs)
        return error_out_of_memory(error);
    int status = inverted ? categories_of_inverted_path(path, nodes, pairs) : categories_of_path(path, nodes, pairs);
    size_t kept = 0;
    for (size_t i = 0; status == 0 && i < length; i++)
        if (pair_category(pairs[i]) == category)
            path->funcs.items[kept++] = path->funcs.items[i];
    path->funcs.count = kept;
    memory_release(pairs);
    return status == 0 ? 0 : error_set(error, status, "the selected node is not in the tree");
}

int path_rewrite(struct path *path, const struct transform *transform, const struct func_list *funcs,
                 const struct call_node_table *nodes, bool inverted, struct error *error)
{
    uint32_t func = transform->func;
    size_t first = path_first(path, func);
    bool has_func = first < path->funcs.count;
    switch (transform->type) {
    case FOCUS_SUBTREE:
        path_focus_subtree(path, &transform->path);
        break;
    case FOCUS_FUNCTION:
        path_cut(path, 0, first);
        break;
    case FOCUS_SELF:
        path->funcs.count = has_func ? 1 : 0;
        if (has_func)
            path->funcs.items[0] = func;
        break;
    case FOCUS_CATEGORY:
        return path_focus_category(path, transform->category, nodes, inverted, error);
    case MERGE_CALL_NODE:
        if (transform->path.funcs.count > 0 && path_starts_with(path, &transform->path))
            path_cut(path, transform->path.funcs.count - 1, transform->path.funcs.count);
        break;
    case MERGE_FUNCTION:
        path_remove_all(path, func);
        break;
    case DROP_FUNCTION:
        if (has_func)
            path->funcs.count = 0;
        break;
    case COLLAPSE_RESOURCE:
        path_collapse_resource(path, transform, funcs);
        break;
    case COLLAPSE_DIRECT_RECURSION:
        path_remove_repeats(path, func);
        break;
    case COLLAPSE_RECURSION:
        path_collapse_recursion(path, func);
        break;
    case COLLAPSE_FUNCTION_SUBTREE:
        if (has_func)
            path->funcs.count = first + 1;
        break;
    case KEEP_MATCHING:
    case DROP_MATCHING:
    case MERGE_MATCHING:
    case COLLAPSE_MATCHING:
        return search_change_paths(transform_search_change(transform), transform_search(transform), funcs, path, 1, error);
    case FILTER_SAMPLES:
    case TRANSFORM_TYPES:
        break;
    }
    return 0;
}
