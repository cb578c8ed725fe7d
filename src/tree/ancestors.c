#include "tree/ancestors.h"

int ancestors_build(const struct call_node_table *nodes, struct ancestors *ancestors, struct error *error)
{
    *ancestors = (struct ancestors){nodes, memory_array(nodes->count, sizeof *ancestors->jump)};
    uint32_t *jump = ancestors->jump;
    if (!jump)
        return error_out_of_memory(error);
    for (uint32_t node = 0; node < nodes->count; node++) {
        uint32_t parent = nodes->parent[node];
        jump[node] = parent == INDEX_NONE ? node : parent;
        if (parent == INDEX_NONE)
            continue;
        uint32_t once = jump[parent], twice = jump[once];
        if (nodes->depth[parent] - nodes->depth[once] == nodes->depth[once] - nodes->depth[twice])
            jump[node] = twice;
    }
    return 0;
}

void ancestors_free(struct ancestors *ancestors)
{
    memory_release(ancestors->jump);
    *ancestors = (struct ancestors){0};
}

uint32_t ancestor_at(const struct ancestors *ancestors, uint32_t node, uint32_t depth)
{
    const struct call_node_table *nodes = ancestors->nodes;
    while (nodes->depth[node] > depth) {
        uint32_t jump = ancestors->jump[node];
        node = nodes->depth[jump] < depth ? nodes->parent[node] : jump;
    }
    return node;
}

static bool contains(const struct call_node_table *nodes, uint32_t node, uint32_t other)
{
    return node <= other && other < nodes->subtree_end[node];
}

uint32_t ancestors_shared(const struct ancestors *ancestors, uint32_t a, uint32_t b)
{
    const struct call_node_table *nodes = ancestors->nodes;
    while (a != INDEX_NONE && !contains(nodes, a, b)) {
        uint32_t jump = ancestors->jump[a];
        a = jump == a || contains(nodes, jump, b) ? nodes->parent[a] : jump;
    }
    return a == INDEX_NONE ? 0 : nodes->depth[a] + 1;
}
