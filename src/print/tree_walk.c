#include "print/tree_walk.h"

#include <math.h>

/* All children of `node` (INDEX_NONE: the roots), in order, into walk->children. */
static bool list_children(struct tree_walk *walk, uint32_t node)
{
    return ordered_tree_children(&walk->tree, node, &walk->children, walk->error) == 0;
}

/* ---- the nodes with the largest totals ---- */

struct candidate {
    double size;
    size_t order; /* in which candidates were found: earlier ones win */
    size_t depth;
    uint32_t node;
};

/* A heap, the best candidate first. */
struct candidates {
    VEC(struct candidate) heap;
    size_t found;
};

static bool is_better(const struct candidate *a, const struct candidate *b)
{
    return a->size != b->size ? a->size > b->size : a->order < b->order;
}

static bool candidates_add(struct candidates *candidates, double total, size_t depth, uint32_t node)
{
    if (!vec_push(&candidates->heap, ((struct candidate){fabs(total), candidates->found++, depth, node})))
        return false;
    struct candidate *heap = candidates->heap.items;
    for (size_t at = candidates->heap.count - 1, up; at > 0 && is_better(&heap[at], &heap[up = (at - 1) / 2]); at = up) {
        struct candidate better = heap[at];
        heap[at] = heap[up];
        heap[up] = better;
    }
    return true;
}

static struct candidate candidates_take(struct candidates *candidates)
{
    struct candidate *heap = candidates->heap.items;
    struct candidate best = heap[0];
    size_t count = --candidates->heap.count;
    heap[0] = heap[count];
    for (size_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_better(&heap[child + 1], &heap[child]))
            child++;
        if (!is_better(&heap[child], &heap[at]))
            break;
        struct candidate better = heap[child];
        heap[child] = heap[at];
        heap[at] = better;
    }
    return best;
}

static bool want(struct tree_walk *walk, uint32_t node)
{
    while (walk->wanted.count <= node)
        if (!vec_push(&walk->wanted, 0))
            return false;
    walk->wanted.items[node] = 1;
    return true;
}

/* Marks the `limit` largest nodes. A node is only looked at after its parent was taken, so they make up a tree. */
static void choose_largest(struct tree_walk *walk)
{
    struct candidates candidates = {0};
    uint32_t parent = INDEX_NONE;
    size_t depth = 0;
    for (size_t taken = 0; taken <= walk->cut.limit; taken++) {
        if (depth < walk->cut.depth && !list_children(walk, parent))
            break;
        for (size_t i = 0; depth < walk->cut.depth && i < walk->children.nodes.count; i++) {
            uint32_t node = walk->children.nodes.items[i];
            if (!candidates_add(&candidates, ordered_tree_total(&walk->tree, node), depth, node))
                error_out_of_memory(walk->error);
        }
        if (candidates.heap.count == 0 || taken == walk->cut.limit || walk->error->code != 0)
            break;
        struct candidate best = candidates_take(&candidates);
        if (!want(walk, best.node))
            error_out_of_memory(walk->error);
        parent = best.node;
        depth = best.depth + 1;
    }
    vec_free(&candidates.heap);
}

/* ---- walking ---- */

static bool is_shown(const struct tree_walk *walk, uint32_t node, size_t depth)
{
    if (depth >= walk->cut.depth || fabs(ordered_tree_total(&walk->tree, node)) < walk->cut.min)
        return false;
    return walk->cut.limit == SIZE_MAX || (node < walk->wanted.count && walk->wanted.items[node]);
}

/* Makes the children of `node` the next level, and says how many are cut. */
static bool descend(struct tree_walk *walk, uint32_t node, size_t depth, size_t *cut_count, double *cut_total)
{
    *cut_count = 0;
    *cut_total = 0;
    if (!list_children(walk, node))
        return false;
    size_t first = walk->pending.count;
    for (size_t i = 0; i < walk->children.nodes.count; i++) {
        uint32_t child = walk->children.nodes.items[i];
        if (!is_shown(walk, child, depth)) {
            ++*cut_count;
            *cut_total += ordered_tree_total(&walk->tree, child);
        } else if (!vec_push(&walk->pending, child)) {
            error_out_of_memory(walk->error);
            return false;
        }
    }
    walk->cut_any |= *cut_count > 0;
    double total = node == INDEX_NONE ? walk->tree.answer->tree.root_total : ordered_tree_total(&walk->tree, node);
    if (!vec_push(&walk->levels, ((struct tree_level){first, first, walk->pending.count, total}))) {
        error_out_of_memory(walk->error);
        return false;
    }
    return true;
}

void tree_walk_begin(struct tree_walk *walk, struct answer *answer, bool inverted, const struct tree_cut *cut,
                     struct error *error)
{
    *walk = (struct tree_walk){.tree = {answer, inverted}, .cut = *cut, .error = error};
    if (cut->limit != SIZE_MAX)
        choose_largest(walk);
    if (error->code == 0)
        descend(walk, INDEX_NONE, 0, &walk->cut_roots, &walk->cut_total);
}

static struct tree_row row_of(const struct tree_walk *walk, uint32_t node)
{
    struct ordered_node of = ordered_tree_node(&walk->tree, node);
    return (struct tree_row){
        .node = node,
        .func = of.func,
        .pair = of.pair,
        .inlined = of.inlined,
        .total = of.total,
        .self = of.self,
        .total_uncertainty = of.total_uncertainty,
        .self_uncertainty = of.self_uncertainty,
    };
}

bool tree_walk_next(struct tree_walk *walk, struct tree_row *row)
{
    if (walk->error->code != 0)
        return false;
    while (walk->levels.count > 0) {
        struct tree_level *level = &walk->levels.items[walk->levels.count - 1];
        if (level->next == level->end) {
            walk->pending.count = level->first;
            walk->levels.count--;
            continue;
        }
        *row = row_of(walk, walk->pending.items[level->next]);
        row->depth = walk->levels.count - 1;
        row->sibling = level->next - level->first;
        row->siblings = level->end - level->first;
        row->parent_total = level->total;
        level->next++;
        walk->shown++;
        return descend(walk, row->node, row->depth + 1, &row->cut_children, &row->cut_total);
    }
    return false;
}

int tree_walk_end(struct tree_walk *walk)
{
    vec_free(&walk->pending);
    vec_free(&walk->levels);
    vec_free(&walk->children.nodes);
    vec_free(&walk->wanted);
    return walk->error->code;
}
