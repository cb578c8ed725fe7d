#include "trace/entry_tree.h"

#include "trace/entry_walk.h"

#include <math.h>

/* ---- nodes ---- */

static uint32_t *first_of(struct entry_tree *tree, uint32_t parent)
{
    return parent == INDEX_NONE ? &tree->first : &tree->nodes.items[parent].first_child;
}

static uint32_t *last_of(struct entry_tree *tree, uint32_t parent)
{
    return parent == INDEX_NONE ? &tree->last : &tree->nodes.items[parent].last_child;
}

/* Puts a node behind the other children of its parent. */
static void link_node(struct entry_tree *tree, uint32_t row, uint32_t parent)
{
    uint32_t *last = last_of(tree, parent);
    if (*last == INDEX_NONE)
        *first_of(tree, parent) = row;
    else
        tree->nodes.items[*last].next_child = row;
    *last = row;
    tree->nodes.items[row].parent = parent;
    tree->nodes.items[row].next_child = INDEX_NONE;
}

/* INDEX_NONE when the heap is empty. */
static uint32_t add_node(struct entry_tree *tree, uint32_t parent, uint32_t identity, struct string_index group,
                         struct call_entry example)
{
    uint32_t row = (uint32_t)tree->nodes.count;
    if (row == INDEX_NONE || !vec_push(&tree->nodes, ((struct entry_tree_node){
                                                         .first_child = INDEX_NONE,
                                                         .last_child = INDEX_NONE,
                                                         .identity = identity,
                                                         .group = group,
                                                         .example = example,
                                                     })))
        return INDEX_NONE;
    link_node(tree, row, parent);
    return row;
}

/* The part of an entry that lies within the window, in ms. Its end is divided once, as a whole. */
static double clipped(const struct entry_tree *tree, uint32_t place)
{
    struct entry_times times = entry_times(tree->calls, tree->calls->entries.items[place]);
    return fmin((times.ts + times.dur) / 1000, tree->end) - fmax(times.ts / 1000, tree->start);
}

/* ---- top-down, and the log ---- */

static struct string_index group_of(const struct entry_tree *tree, uint32_t place)
{
    return tree->names.group_of.count > 0 ? tree->names.group_of.items[place] : STRING_NONE;
}

static uint32_t find_or_add_child(struct entry_tree *tree, uint32_t parent, uint32_t place)
{
    uint32_t identity = tree->names.identity_of.items[place];
    struct string_index group = group_of(tree, place);
    uint64_t hash = hash_combine((uint64_t)parent << 32 | identity, group.i);
    uint32_t row;
    for (struct map_probe probe = map_probe(&tree->by_key, hash); map_probe_next(&probe, &row);) {
        const struct entry_tree_node *node = &tree->nodes.items[row];
        if (node->parent == parent && node->identity == identity && string_same(node->group, group))
            return row;
    }
    row = add_node(tree, parent, identity, group, tree->calls->entries.items[place]);
    return row != INDEX_NONE && map_insert(&tree->by_key, hash, row) ? row : INDEX_NONE;
}

struct trie {
    struct entry_tree *tree;
    bool aggregates;
    VEC(uint32_t) path; /* rows of the nodes that are open */
};

static bool add_entry(struct trie *trie, uint32_t place, double duration, bool stays_open)
{
    struct entry_tree *tree = trie->tree;
    uint32_t parent = trie->path.count > 0 ? trie->path.items[trie->path.count - 1] : INDEX_NONE;
    uint32_t row = trie->aggregates ? find_or_add_child(tree, parent, place)
                                    : add_node(tree, parent, tree->names.identity_of.items[place], STRING_NONE,
                                               tree->calls->entries.items[place]);
    if (row == INDEX_NONE || (stays_open && !vec_push(&trie->path, row)))
        return false;
    struct entry_tree_node *node = &tree->nodes.items[row];
    node->self += duration;
    node->total += duration;
    node->count++;
    if (parent != INDEX_NONE)
        tree->nodes.items[parent].self -= duration;
    return true;
}

static int build_trie(struct entry_tree *tree, struct entry_walk *walk, const struct entry_tree_options *options,
                      struct error *error)
{
    struct trie trie = {.tree = tree, .aggregates = options->kind == ENTRY_TREE_TOP_DOWN};
    bool instants = options->instants || !trie.aggregates, ok = true;
    enum entry_step step;
    for (uint32_t place; ok && entry_walk_next(walk, &step, &place);)
        if (step == ENTRY_START)
            ok = add_entry(&trie, place, clipped(tree, place), true);
        else if (step == ENTRY_END)
            trie.path.count--;
        else if (instants)
            ok = add_entry(&trie, place, 0, false);
    vec_free(&trie.path);
    if (!ok || walk->failed)
        return error_out_of_memory(error);
    for (uint32_t row = tree->first; row != INDEX_NONE; row = tree->nodes.items[row].next_child)
        tree->self -= tree->nodes.items[row].total;
    return 0;
}

/* ---- bottom-up: the first level ---- */

/* What is known of an identity while the entries pass by. */
struct identity_sum {
    double self, total;
    double outermost; /* the duration of the outermost entry that is open */
    uint64_t count;
    uint32_t open; /* entries of this identity that are open, one in the other */
    uint32_t node; /* INDEX_NONE while it has none */
    uint32_t first;
    bool has_callers;
};

struct first_level {
    struct entry_tree *tree;
    struct identity_sum *sums;
    VEC(uint32_t) order; /* identities, as they first ended */
    VEC(uint32_t) open;  /* instances */
    VEC(uint32_t) ended; /* instances */
};

static uint32_t identity_of_instance(const struct entry_tree *tree, uint32_t instance)
{
    return tree->names.identity_of.items[tree->instances.items[instance].place];
}

static bool start_instance(struct first_level *level, uint32_t place)
{
    struct entry_tree *tree = level->tree;
    double duration = clipped(tree, place);
    uint32_t caller = level->open.count > 0 ? level->open.items[level->open.count - 1] : INDEX_NONE;
    uint32_t instance = (uint32_t)tree->instances.count;
    if (!vec_push(&tree->instances, ((struct tree_instance){place, caller, duration})) || !vec_push(&level->open, instance))
        return false;
    if (caller != INDEX_NONE)
        tree->instances.items[caller].self -= duration;
    else
        tree->self -= duration;
    struct identity_sum *sum = &level->sums[tree->names.identity_of.items[place]];
    if (sum->open++ == 0)
        sum->outermost = duration;
    return true;
}

static bool end_instance(struct first_level *level)
{
    struct entry_tree *tree = level->tree;
    uint32_t instance = level->open.items[--level->open.count];
    uint32_t identity = identity_of_instance(tree, instance);
    struct identity_sum *sum = &level->sums[identity];
    if (sum->count++ == 0) {
        sum->first = instance;
        if (!vec_push(&level->order, identity))
            return false;
    }
    sum->self += tree->instances.items[instance].self;
    if (--sum->open == 0)
        sum->total += sum->outermost;
    sum->has_callers |= level->open.count > 0;
    return vec_push(&level->ended, instance);
}

/* A node for each identity that has time of its own, each with room for its leaves. */
static bool add_first_nodes(struct first_level *level)
{
    struct entry_tree *tree = level->tree;
    uint64_t leaves = 0;
    for (size_t i = 0; i < level->order.count; i++) {
        struct identity_sum *sum = &level->sums[level->order.items[i]];
        sum->node = INDEX_NONE;
        if (sum->self <= 0)
            continue;
        uint32_t place = tree->instances.items[sum->first].place;
        sum->node = add_node(tree, INDEX_NONE, level->order.items[i], group_of(tree, place), tree->calls->entries.items[place]);
        if (sum->node == INDEX_NONE)
            return false;
        struct entry_tree_node *node = &tree->nodes.items[sum->node];
        node->self = sum->self;
        node->total = sum->total;
        node->count = sum->count;
        node->has_callers = sum->has_callers;
        node->first_leaf = (uint32_t)leaves;
        leaves += sum->count;
    }
    if (!vec_reserve(&tree->leaves, leaves))
        return false;
    tree->leaves.count = leaves;
    for (size_t i = 0; i < level->ended.count; i++) {
        uint32_t instance = level->ended.items[i];
        uint32_t row = level->sums[identity_of_instance(tree, instance)].node;
        if (row == INDEX_NONE)
            continue;
        struct entry_tree_node *node = &tree->nodes.items[row];
        tree->leaves.items[node->first_leaf + node->leaf_count++] = (struct tree_leaf){instance, instance};
    }
    return true;
}

static int build_first_level(struct entry_tree *tree, struct entry_walk *walk, struct error *error)
{
    struct first_level level = {.tree = tree};
    size_t identities = tree->names.identities.count;
    level.sums = memory_zeroed(identities + 1, sizeof *level.sums);
    tree->child_of = memory_array(identities + 1, sizeof *tree->child_of);
    bool ok = level.sums && tree->child_of;
    if (ok)
        memset(tree->child_of, 0xff, identities * sizeof *tree->child_of);
    enum entry_step step;
    for (uint32_t place; ok && entry_walk_next(walk, &step, &place);)
        if (step == ENTRY_START)
            ok = start_instance(&level, place);
        else if (step == ENTRY_END)
            ok = end_instance(&level);
    ok = ok && !walk->failed && add_first_nodes(&level);
    memory_release(level.sums);
    vec_free(&level.order);
    vec_free(&level.open);
    vec_free(&level.ended);
    return ok ? 0 : error_out_of_memory(error);
}

/* ---- bottom-up: callers ---- */

static uint32_t add_caller(struct entry_tree *tree, uint32_t parent, uint32_t instance)
{
    uint32_t identity = identity_of_instance(tree, instance);
    uint32_t row =
        add_node(tree, parent, identity, STRING_NONE, tree->calls->entries.items[tree->instances.items[instance].place]);
    if (row != INDEX_NONE)
        tree->nodes.items[row].has_callers = tree->instances.items[instance].caller != INDEX_NONE;
    tree->child_of[identity] = row;
    return row;
}

/* Adds up what the leaves of a node give to its callers. Total time is that since the leaf before, whoever called that one, so
 * that where a function called itself it is counted once, for one of the callers. */
static bool sum_callers(struct entry_tree *tree, uint32_t parent)
{
    uint32_t first = tree->nodes.items[parent].first_leaf, count = tree->nodes.items[parent].leaf_count;
    double marker = tree->start;
    for (uint32_t i = first; i < first + count; i++) {
        struct tree_leaf leaf = tree->leaves.items[i];
        const struct tree_instance *instance = &tree->instances.items[leaf.instance];
        uint32_t caller = tree->instances.items[leaf.ancestor].caller;
        if (caller == INDEX_NONE)
            continue;
        uint32_t row = tree->child_of[identity_of_instance(tree, caller)];
        if (row == INDEX_NONE)
            row = add_caller(tree, parent, caller);
        if (row == INDEX_NONE)
            return false;
        struct entry_times times = entry_times(tree->calls, tree->calls->entries.items[instance->place]);
        double end = fmin((times.ts + times.dur) / 1000, tree->end);
        struct entry_tree_node *node = &tree->nodes.items[row];
        node->self += instance->self;
        node->total += end - fmax(times.ts / 1000, marker);
        node->count++;
        marker = end;
    }
    return true;
}

/* The leaves of a node, shared out among its callers, in the place where they are: the node itself needs them no longer. */
static bool share_leaves(struct entry_tree *tree, uint32_t parent)
{
    uint32_t first = tree->nodes.items[parent].first_leaf, count = tree->nodes.items[parent].leaf_count, next = first;
    if (!vec_reserve(&tree->spare, count))
        return false;
    for (uint32_t row = tree->nodes.items[parent].first_child; row != INDEX_NONE; row = tree->nodes.items[row].next_child) {
        tree->nodes.items[row].first_leaf = next;
        next += (uint32_t)tree->nodes.items[row].count;
    }
    if (count > 0)
        memcpy(tree->spare.items, tree->leaves.items + first, count * sizeof *tree->spare.items);
    for (uint32_t i = 0; i < count; i++) {
        struct tree_leaf leaf = tree->spare.items[i];
        uint32_t caller = tree->instances.items[leaf.ancestor].caller;
        if (caller == INDEX_NONE)
            continue;
        struct entry_tree_node *node = &tree->nodes.items[tree->child_of[identity_of_instance(tree, caller)]];
        tree->leaves.items[node->first_leaf + node->leaf_count++] = (struct tree_leaf){leaf.instance, caller};
    }
    tree->nodes.items[parent].leaf_count = 0;
    return true;
}

int entry_tree_expand(struct entry_tree *tree, uint32_t node, struct error *error)
{
    if (!tree->nodes.items[node].has_callers || tree->nodes.items[node].first_child != INDEX_NONE)
        return 0;
    bool ok = sum_callers(tree, node) && share_leaves(tree, node);
    for (uint32_t row = tree->nodes.items[node].first_child; row != INDEX_NONE; row = tree->nodes.items[row].next_child)
        tree->child_of[tree->nodes.items[row].identity] = INDEX_NONE;
    return ok ? 0 : error_out_of_memory(error);
}

void entry_tree_collapse(struct entry_tree *tree, uint32_t node)
{
    uint32_t first = tree->nodes.items[node].first_child;
    if (first == INDEX_NONE || !tree->nodes.items[node].has_callers)
        return;
    tree->nodes.count = first;
    tree->nodes.items[node].first_child = tree->nodes.items[node].last_child = INDEX_NONE;
    tree->nodes.items[node].has_callers = false;
}

/* ---- groups ---- */

/* Puts the nodes of the first level into groups. Bottom-up, a group counts the self time of its members only. */
static bool wrap_groups(struct entry_tree *tree, enum entry_tree_kind kind)
{
    uint32_t next = tree->first;
    tree->first = tree->last = INDEX_NONE;
    struct map groups = {0};
    bool ok = true;
    while (next != INDEX_NONE && ok) {
        uint32_t row = next, group;
        next = tree->nodes.items[row].next_child;
        struct entry_tree_node *node = &tree->nodes.items[row];
        uint64_t hash = hash_u64(node->group.i);
        struct map_probe probe = map_probe(&groups, hash);
        bool found = false;
        while (!found && map_probe_next(&probe, &group))
            found = string_same(tree->nodes.items[group].group, node->group);
        if (!found) {
            group = add_node(tree, INDEX_NONE, INDEX_NONE, node->group, node->example);
            ok = group != INDEX_NONE && map_insert(&groups, hash, group);
        }
        if (!ok)
            break;
        link_node(tree, row, group);
        node = &tree->nodes.items[row];
        tree->nodes.items[group].self += node->self;
        tree->nodes.items[group].total += kind == ENTRY_TREE_BOTTOM_UP ? node->self : node->total;
        tree->nodes.items[group].count += node->count;
    }
    map_free(&groups);
    return ok;
}

/* ---- the tree ---- */

int entry_tree_build(struct entry_tree *tree, const struct thread_calls *calls, const struct trace *trace,
                     const struct entry_tree_options *options, struct error *error)
{
    enum entry_grouping grouping = options->kind == ENTRY_TREE_LOG ? ENTRY_GROUP_NONE : options->grouping;
    tree->calls = calls;
    tree->start = options->start;
    tree->end = options->end;
    tree->first = tree->last = INDEX_NONE;
    tree->self = tree->total = options->end - options->start;
    int status = entry_names_find(&tree->names, calls, trace, grouping, error);
    if (status != 0)
        return status;
    struct entry_walk walk;
    entry_walk_begin(&walk, calls, trace, options->start, options->end, options->hidden);
    status =
        options->kind == ENTRY_TREE_BOTTOM_UP ? build_first_level(tree, &walk, error) : build_trie(tree, &walk, options, error);
    entry_walk_end(&walk);
    if (status == 0 && grouping != ENTRY_GROUP_NONE && !wrap_groups(tree, options->kind))
        status = error_out_of_memory(error);
    return status;
}

void entry_tree_free(struct entry_tree *tree)
{
    vec_free(&tree->nodes);
    vec_free(&tree->instances);
    vec_free(&tree->leaves);
    vec_free(&tree->spare);
    map_free(&tree->by_key);
    memory_release(tree->child_of);
    entry_names_free(&tree->names);
}
