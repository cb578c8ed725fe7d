/* Nodes are numbered depth first, so rows are ranges of nodes that lie in each other. What a stack weighs is counted for the
 * innermost range that has its node, and goes from there to those around it. */
#include "api/row_mix.h"

#include "common/arena.h"

#include <math.h>
#include <stdlib.h>

struct range {
    uint32_t node, end; /* of nodes */
    uint32_t row;
    uint32_t around; /* the range that it lies in; INDEX_NONE = none */
};

struct mixing {
    struct range *ranges; /* by node */
    size_t count;
    uint32_t categories;
    double *totals; /* `categories` for each range */
};

static int compare_ranges(const void *left, const void *right)
{
    const struct range *a = left, *b = right;
    return (a->node > b->node) - (a->node < b->node);
}

/* The innermost one that has the node. */
static uint32_t range_of(const struct mixing *of, uint32_t node)
{
    size_t low = 0, high = of->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (of->ranges[middle].node <= node)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t at = low == 0 ? INDEX_NONE : (uint32_t)(low - 1);
    while (at != INDEX_NONE && node >= of->ranges[at].end)
        at = of->ranges[at].around;
    return at;
}

static bool make_ranges(struct mixing *of, const struct answer *answer, const struct row_list *list, size_t first, size_t end,
                        struct arena *arena)
{
    of->count = end - first;
    of->ranges = arena_allocate(arena, (of->count + 1) * sizeof *of->ranges);
    if (!of->ranges)
        return false;
    for (size_t i = 0; i < of->count; i++) {
        uint32_t node = list->rows.items[first + i].node;
        of->ranges[i] = (struct range){node, answer->nodes.subtree_end[node], (uint32_t)i, INDEX_NONE};
    }
    if (of->count > 1)
        qsort(of->ranges, of->count, sizeof *of->ranges, compare_ranges);
    for (uint32_t i = 1; i < of->count; i++) {
        uint32_t around = i - 1;
        while (around != INDEX_NONE && of->ranges[i].node >= of->ranges[around].end)
            around = of->ranges[around].around;
        of->ranges[i].around = around;
    }
    return true;
}

static void count_stacks(struct mixing *of, const struct answer *answer)
{
    const struct stack_weights *weights = &answer->weights;
    for (uint32_t source = 0; source < weights->count; source++) {
        uint32_t stack = weights->rows[source] > 0 ? view_sample_stack(&answer->view, source) : INDEX_NONE;
        uint32_t range = stack == INDEX_NONE ? INDEX_NONE : range_of(of, answer->nodes.of_stack[stack]);
        uint32_t category = range == INDEX_NONE ? 0 : pair_category(answer->view.pair[stack]);
        if (range != INDEX_NONE && category < of->categories)
            of->totals[(size_t)range * of->categories + category] += weights->weight[source];
    }
    /* Those that lie in others come after them. */
    for (size_t i = of->count; i-- > 0;)
        for (uint32_t category = 0; category < of->categories && of->ranges[i].around != INDEX_NONE; category++)
            of->totals[(size_t)of->ranges[i].around * of->categories + category] += of->totals[i * of->categories + category];
}

static int compare_parts(const void *left, const void *right)
{
    const struct row_mix_part *a = left, *b = right;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (fabs(a->total) != fabs(b->total))
        return fabs(a->total) > fabs(b->total) ? -1 : 1;
    return (a->category > b->category) - (a->category < b->category);
}

bool row_mix_find(const struct answer *answer, const struct row_list *list, size_t first, size_t end, struct row_mix *mix)
{
    struct arena arena = {0};
    struct mixing of = {.categories = (uint32_t)answer->view.profile->categories.rows.count};
    bool fits = make_ranges(&of, answer, list, first, end, &arena);
    size_t count = of.count * of.categories;
    fits = fits && (of.totals = arena_allocate(&arena, (count + 1) * sizeof *of.totals));
    if (fits) {
        memset(of.totals, 0, count * sizeof *of.totals);
        count_stacks(&of, answer);
    }
    for (size_t i = 0; i < count && fits; i++)
        if (of.totals[i] != 0)
            fits = vec_push(&mix->parts, ((struct row_mix_part){of.ranges[i / of.categories].row, (uint32_t)(i % of.categories),
                                                                of.totals[i]}));
    if (fits && mix->parts.count > 1)
        qsort(mix->parts.items, mix->parts.count, sizeof *mix->parts.items, compare_parts);
    arena_free(&arena);
    return fits;
}

void row_mix_free(struct row_mix *mix)
{
    vec_free(&mix->parts);
}
