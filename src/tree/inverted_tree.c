#include "tree/inverted_tree.h"

#include <math.h>
#include <stdlib.h>

/* ---- categories ----
 *
 * The category of an inverted node is merged over all call nodes it stands for, including those without self, of which there
 * may be many more than with. Where all call nodes of a func have one category, any of them tells it. So an entry without self
 * is followed upwards only as long as there is a func above it whose call nodes differ. */

static bool differs(const struct call_node_table *nodes, uint32_t a, uint32_t b)
{
    return nodes->pair[a] != nodes->pair[b] || (nodes->inlined && nodes->inlined[a] != nodes->inlined[b]);
}

/* `first` has a number for each func. `matters` is zeroed. */
static void find_what_matters(const struct call_node_table *nodes, uint32_t func_count, uint32_t *first, uint8_t *func_differs,
                              uint8_t *matters)
{
    for (uint32_t func = 0; func < func_count; func++)
        first[func] = INDEX_NONE;
    for (uint32_t node = 0; node < nodes->count; node++) {
        uint32_t func = nodes->func[node];
        if (first[func] == INDEX_NONE)
            first[func] = node;
        else
            func_differs[func] |= differs(nodes, first[func], node);
    }
    for (uint32_t node = 0; node < nodes->count; node++) {
        uint32_t parent = nodes->parent[node];
        matters[node] = func_differs[nodes->func[node]] || (parent != INDEX_NONE && matters[parent]);
    }
}

/* ---- groups ---- */

static bool group_add(struct inverted_tree *inverted, const struct inverted_entry *entry, uint32_t order)
{
    const struct call_node_table *nodes = inverted->tree->nodes;
    uint32_t at = entry->at, func = nodes->func[at];
    uint32_t inlined = nodes->inlined ? nodes->inlined[at] : INLINED_NOT;
    uint32_t index = inverted->group_of_func[func];
    if (index == INDEX_NONE) {
        index = (uint32_t)inverted->groups.count;
        struct inverted_group group = {.func = func, .order = INDEX_NONE, .pair = nodes->pair[at], .inlined = inlined};
        group.first = INFINITY;
        if (!vec_push(&inverted->groups, group))
            return false;
        inverted->group_of_func[func] = index;
    }
    struct inverted_group *group = &inverted->groups.items[index];
    group->count++;
    group->pair = pair_merge(group->pair, nodes->pair[at], nodes->default_pair);
    group->inlined = inlined_merge(group->inlined, inlined);
    if (entry->self != 0) {
        group->order = group->has_self ? group->order : order;
        group->total += entry->self;
        if (inverted->tree->self_uncertainty)
            uncertainty_add(&group->uncertainty, inverted->tree->self_uncertainty[entry->leaf]);
        if (inverted->first_times)
            group->first = fmin(group->first, inverted->first_times[entry->leaf]);
        group->has_self = true;
        group->has_children |= nodes->parent[at] != INDEX_NONE;
    }
    return true;
}

static int compare_groups(const void *a, const void *b)
{
    const struct inverted_group *x = a, *y = b;
    double total_x = fabs(x->total), total_y = fabs(y->total);
    if (total_x != total_y)
        return total_x > total_y ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void sort_groups(struct inverted_group *groups, size_t count)
{
    enum { FEW = 12 };
    if (count > FEW) {
        qsort(groups, count, sizeof *groups, compare_groups);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        struct inverted_group group = groups[i];
        size_t at = i;
        for (; at > 0 && compare_groups(&group, &groups[at - 1]) < 0; at--)
            groups[at] = groups[at - 1];
        groups[at] = group;
    }
}

/* Forgets the groups, on success and failure alike. */
static void groups_clear(struct inverted_tree *inverted)
{
    for (size_t i = 0; i < inverted->groups.count; i++)
        inverted->group_of_func[inverted->groups.items[i].func] = INDEX_NONE;
    inverted->groups.count = 0;
}

/* Those that are not shown go, the others come in the order they are shown. Roots are shown even if their total is 0. */
static void groups_arrange(struct inverted_tree *inverted, bool roots, uint32_t first_entry)
{
    size_t kept = 0;
    for (size_t i = 0; i < inverted->groups.count; i++) {
        struct inverted_group *group = &inverted->groups.items[i];
        inverted->group_of_func[group->func] = INDEX_NONE;
        if (group->has_self && (roots || group->total != 0 || group->has_children))
            inverted->groups.items[kept++] = *group;
    }
    inverted->groups.count = kept;
    sort_groups(inverted->groups.items, kept);
    for (uint32_t i = 0; i < kept; i++) {
        struct inverted_group *group = &inverted->groups.items[i];
        inverted->group_of_func[group->func] = i;
        group->next = first_entry;
        first_entry += group->count;
    }
}

/* The entries [first, end) in the order of their groups; those without one go. */
static void entries_arrange(struct inverted_tree *inverted, uint32_t first, uint32_t end)
{
    const struct call_node_table *nodes = inverted->tree->nodes;
    uint32_t kept = 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t index = inverted->group_of_func[nodes->func[inverted->entries[i].at]];
        if (index == INDEX_NONE)
            continue;
        inverted->scratch[inverted->groups.items[index].next++] = inverted->entries[i];
        kept++;
    }
    memcpy(inverted->entries + first, inverted->scratch + first, kept * sizeof *inverted->entries);
}

/* ---- nodes ---- */

static bool add_node(struct inverted_tree *inverted, uint32_t parent, const struct inverted_group *group, uint32_t end_entry)
{
    uint32_t depth = parent == INDEX_NONE ? 0 : inverted->nodes.items[parent].depth + 1;
    struct inverted_node node = {
        .total = group->total,
        .uncertainty = group->uncertainty,
        .first = group->first,
        .func = group->func,
        .parent = parent,
        .depth = depth,
        .pair = group->pair,
        .inlined = group->inlined,
        .has_children = group->has_children,
        .expanded = !group->has_children,
        .first_entry = end_entry - group->count,
        .end_entry = end_entry,
    };
    return inverted->nodes.count < INDEX_NONE && vec_push(&inverted->nodes, node);
}

/* Makes nodes below `parent` from the entries [first, end), which are at the level of the new nodes already. */
static int make_nodes(struct inverted_tree *inverted, uint32_t parent, uint32_t first, uint32_t end, struct error *error)
{
    bool fits = true;
    for (uint32_t i = first; i < end && fits; i++) {
        const struct inverted_entry *entry = &inverted->entries[i];
        fits = group_add(inverted, entry, parent == INDEX_NONE ? entry->at : inverted->tree->nodes->func[entry->at]);
    }
    if (fits) {
        groups_arrange(inverted, parent == INDEX_NONE, first);
        if (end - first > 1)
            entries_arrange(inverted, first, end);
        for (size_t i = 0; i < inverted->groups.count && fits; i++) {
            const struct inverted_group *group = &inverted->groups.items[i];
            fits = add_node(inverted, parent, group, end - first > 1 ? group->next : group->next + 1);
        }
    }
    groups_clear(inverted);
    return fits ? 0 : error_out_of_memory(error);
}

/* Moves the entries [first, end) one level up; those that are at a root already, or that nothing depends on, go. */
static uint32_t entries_ascend(struct inverted_tree *inverted, uint32_t first, uint32_t end)
{
    const uint32_t *parents = inverted->tree->nodes->parent;
    uint32_t kept = first;
    for (uint32_t i = first; i < end; i++) {
        struct inverted_entry entry = inverted->entries[i];
        entry.at = parents[entry.at];
        if (entry.at != INDEX_NONE && (entry.self != 0 || inverted->matters[entry.at]))
            inverted->entries[kept++] = entry;
    }
    return kept;
}

int inverted_tree_expand(struct inverted_tree *inverted, uint32_t node, struct error *error)
{
    struct inverted_node *parent = &inverted->nodes.items[node];
    if (parent->expanded)
        return 0;
    uint32_t first = parent->first_entry, first_child = (uint32_t)inverted->nodes.count;
    uint32_t end = entries_ascend(inverted, first, parent->end_entry);
    parent->end_entry = first;
    parent->expanded = true;
    int status = make_nodes(inverted, node, first, end, error);
    parent = &inverted->nodes.items[node];
    parent->first_child = first_child;
    parent->child_count = (uint32_t)inverted->nodes.count - first_child;
    return status;
}

int inverted_tree_expand_all(struct inverted_tree *inverted, struct error *error)
{
    int status = 0;
    for (uint32_t node = 0; node < inverted->nodes.count && status == 0; node++)
        status = inverted_tree_expand(inverted, node, error);
    return status;
}

int inverted_tree_find(struct inverted_tree *inverted, const struct path *path, uint32_t *node, size_t *length,
                       struct error *error)
{
    uint32_t child = 0, end = inverted->root_count;
    *node = INDEX_NONE;
    for (*length = 0; *length < path->funcs.count; (*length)++) {
        while (child < end && inverted->nodes.items[child].func != path->funcs.items[*length])
            child++;
        if (child == end)
            break;
        *node = child;
        int status = inverted_tree_expand(inverted, child, error);
        if (status != 0)
            return status;
        const struct inverted_node *found = &inverted->nodes.items[child];
        child = found->first_child;
        end = found->first_child + found->child_count;
    }
    return 0;
}

/* ---- the whole ---- */

static uint32_t collect_entries(struct inverted_tree *inverted)
{
    const struct call_tree *tree = inverted->tree;
    uint32_t count = 0;
    for (uint32_t node = 0; node < tree->nodes->count; node++)
        if (tree->self[node] != 0 || inverted->matters[node])
            inverted->entries[count++] = (struct inverted_entry){tree->self[node], node, node};
    return count;
}

static bool allocate(struct inverted_tree *inverted, uint32_t func_count)
{
    uint32_t nodes = inverted->tree->nodes->count;
    inverted->entries = memory_array(nodes, sizeof *inverted->entries);
    inverted->scratch = memory_array(nodes, sizeof *inverted->scratch);
    inverted->matters = memory_zeroed(nodes, 1);
    inverted->group_of_func = memory_array(func_count, sizeof *inverted->group_of_func);
    return inverted->entries && inverted->scratch && inverted->matters && inverted->group_of_func;
}

int inverted_tree_build(const struct call_tree *tree, const double *first_times, uint32_t func_count,
                        struct inverted_tree *inverted, struct error *error)
{
    *inverted = (struct inverted_tree){.tree = tree, .first_times = first_times};
    int status = 0;
    uint8_t *func_differs = memory_zeroed(func_count, 1);
    if (!func_differs || !allocate(inverted, func_count))
        status = error_out_of_memory(error);
    if (status == 0) {
        find_what_matters(tree->nodes, func_count, inverted->group_of_func, func_differs, inverted->matters);
        for (uint32_t func = 0; func < func_count; func++)
            inverted->group_of_func[func] = INDEX_NONE;
        status = make_nodes(inverted, INDEX_NONE, 0, collect_entries(inverted), error);
        inverted->root_count = (uint32_t)inverted->nodes.count;
    }
    memory_release(func_differs);
    if (status != 0)
        inverted_tree_free(inverted);
    return status;
}

void inverted_tree_free(struct inverted_tree *inverted)
{
    vec_free(&inverted->nodes);
    vec_free(&inverted->groups);
    memory_release(inverted->entries);
    memory_release(inverted->scratch);
    memory_release(inverted->matters);
    memory_release(inverted->group_of_func);
    *inverted = (struct inverted_tree){0};
}
