#include "tree/node_stacks.h"

static void find_top_down(const struct view *view, const struct call_node_table *nodes, uint32_t node, uint32_t *found)
{
    for (uint32_t stack = 0; stack < view->count; stack++) {
        uint32_t prefix = view->prefix[stack];
        if (nodes->of_stack[stack] == node && node != INDEX_NONE)
            found[stack] = stack;
        else
            found[stack] = prefix == INDEX_NONE ? INDEX_NONE : found[prefix];
    }
}

static void find_inverted(const struct view *view, const struct path *path, uint32_t *found)
{
    for (uint32_t leaf = 0; leaf < view->count; leaf++) {
        uint32_t stack = leaf;
        size_t matched = 0;
        found[leaf] = INDEX_NONE;
        while (stack != INDEX_NONE && matched < path->funcs.count && view->func[stack] == path->funcs.items[matched]) {
            found[leaf] = ++matched == path->funcs.count ? stack : INDEX_NONE;
            stack = view->prefix[stack];
        }
    }
}

void node_stacks_find(const struct view *view, const struct call_node_table *nodes, const struct path *path, bool inverted,
                      uint32_t *found)
{
    if (inverted)
        find_inverted(view, path, found);
    else
        find_top_down(view, nodes, call_node_find(nodes, path->funcs.items, path->funcs.count), found);
}

void func_stacks_find(const struct view *view, uint32_t func, uint32_t *found)
{
    for (uint32_t stack = 0; stack < view->count; stack++) {
        uint32_t prefix = view->prefix[stack], above = prefix == INDEX_NONE ? INDEX_NONE : found[prefix];
        found[stack] = above == INDEX_NONE && view->func[stack] == func ? stack : above;
    }
}
