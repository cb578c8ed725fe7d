#include "api/node_places.h"

#include <string.h>

static void find_top_down(const struct call_node_table *nodes, const struct path *selected, uint8_t *places)
{
    uint32_t node = call_node_find(nodes, selected->funcs.items, selected->funcs.count);
    uint32_t first = node == INDEX_NONE ? nodes->count : node;
    uint32_t end = node == INDEX_NONE ? nodes->count : nodes->subtree_end[node];
    for (uint32_t i = 0; i < nodes->count; i++)
        places[i] = i < first ? NODE_BEFORE : i < end ? NODE_SELECTED : NODE_AFTER;
}

/* Siblings are in the order of their funcs, as in the table. */
static enum node_place inverted_place(const struct call_node_table *nodes, const struct path *selected, uint32_t node)
{
    for (size_t i = 0; i < selected->funcs.count; i++, node = nodes->parent[node]) {
        if (node == INDEX_NONE || nodes->func[node] < selected->funcs.items[i])
            return NODE_BEFORE;
        if (nodes->func[node] > selected->funcs.items[i])
            return NODE_AFTER;
    }
    return NODE_SELECTED;
}

void node_places_find(const struct call_node_table *nodes, const struct path *selected, bool inverted, uint8_t *places)
{
    if (selected->funcs.count == 0)
        memset(places, NODE_SELECTED, nodes->count);
    else if (!inverted)
        find_top_down(nodes, selected, places);
    else
        for (uint32_t node = 0; node < nodes->count; node++)
            places[node] = (uint8_t)inverted_place(nodes, selected, node);
}
