/* Callers by their depth, and what two nodes have in common, against climbing step by step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tree/ancestors.h"

#include <stdlib.h>

enum { NODES = 400 };

static struct call_node_table nodes;
static struct ancestors ancestors;

/* A random forest, numbered depth first: each node is a child of the one before, or of a caller of it. */
static void make_nodes(unsigned seed, unsigned depth_chance)
{
    srand(seed);
    for (uint32_t node = 0; node < NODES; node++) {
        uint32_t parent = node == 0 ? INDEX_NONE : node - 1;
        while (parent != INDEX_NONE && (unsigned)rand() % 100 >= depth_chance)
            parent = nodes.parent[parent];
        nodes.parent[node] = parent;
        nodes.depth[node] = parent == INDEX_NONE ? 0 : nodes.depth[parent] + 1;
        nodes.subtree_end[node] = node + 1;
        for (uint32_t above = parent; above != INDEX_NONE; above = nodes.parent[above])
            nodes.subtree_end[above] = node + 1;
    }
}

static uint32_t climb(uint32_t node, uint32_t depth)
{
    while (nodes.depth[node] > depth)
        node = nodes.parent[node];
    return node;
}

static uint32_t count_shared(uint32_t a, uint32_t b)
{
    uint32_t depth = nodes.depth[a] < nodes.depth[b] ? nodes.depth[a] : nodes.depth[b];
    for (uint32_t levels = depth + 1; levels > 0; levels--)
        if (climb(a, levels - 1) == climb(b, levels - 1))
            return levels;
    return 0;
}

static void jumps_lead_where_steps_do(void **state)
{
    (void)state;
    struct error error = {0};
    static uint32_t parent[NODES], depth[NODES], end[NODES];
    nodes = (struct call_node_table){.count = NODES, .parent = parent, .depth = depth, .subtree_end = end};
    for (unsigned seed = 0; seed < 40; seed++) {
        make_nodes(seed, 30 + seed * 7 / 4);
        assert_int_equal(ancestors_build(&nodes, &ancestors, &error), 0);
        for (uint32_t node = 0; node < NODES; node++) {
            uint32_t at = nodes.depth[node] > 0 ? (uint32_t)rand() % (nodes.depth[node] + 1) : 0,
                     other = (uint32_t)rand() % NODES;
            assert_int_equal(ancestor_at(&ancestors, node, at), climb(node, at));
            assert_int_equal(ancestors_shared(&ancestors, node, other), count_shared(node, other));
            assert_int_equal(ancestors_shared(&ancestors, node, node), nodes.depth[node] + 1);
        }
        ancestors_free(&ancestors);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jumps_lead_where_steps_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
