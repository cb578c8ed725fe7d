#include "tree/call_sites.h"

#include "tree/line_sums.h"
#include "tree/node_stacks.h"
#include "tree/stack_positions.h"

#include <math.h>
#include <stdlib.h>

struct site_sums {
    struct call_sites *sites;
    struct map by_place;
};

/* INDEX_NONE when the heap is empty. */
static uint32_t site_row(struct site_sums *sums, uint32_t func, struct stack_position at)
{
    uint64_t hash = hash_combine(hash_combine(func, at.source), at.line);
    uint32_t row;
    for (struct map_probe probe = map_probe(&sums->by_place, hash); map_probe_next(&probe, &row);) {
        const struct call_site *site = &sums->sites->rows.items[row];
        if (site->func == func && site->source == at.source && site->line == at.line)
            return row;
    }
    row = (uint32_t)sums->sites->rows.count;
    struct call_site fresh = {.func = func, .source = at.source, .line = at.line, .first = INDEX_NONE};
    if (!vec_push(&sums->sites->rows, fresh) || !map_insert(&sums->by_place, hash, row))
        return INDEX_NONE;
    return row;
}

/* `found`: for each stack the one of the call, if it has it. */
static int add_up(const struct stack_positions *positions, const struct stack_sums *stacks, const uint32_t *found,
                  struct site_sums *sums, struct error *error)
{
    const struct view *view = positions->view;
    for (uint32_t stack = 0; stack < view->count; stack++) {
        uint32_t caller = found[stack] == INDEX_NONE ? INDEX_NONE : view->prefix[found[stack]];
        if (caller == INDEX_NONE || stacks->first[stack] == INDEX_NONE)
            continue;
        uint32_t row = site_row(sums, view->func[caller], stack_position_of(positions, caller));
        if (row == INDEX_NONE)
            return error_out_of_memory(error);
        struct call_site *site = &sums->sites->rows.items[row];
        site->total += stacks->weight[stack];
        if (stacks->first[stack] < site->first)
            site->first = stacks->first[stack];
    }
    return 0;
}

static int compare_sites(const void *left, const void *right)
{
    const struct call_site *a = left, *b = right;
    double x = fabs(a->total), y = fabs(b->total);
    if (x != y)
        return x > y ? -1 : 1;
    return a->first != b->first ? (a->first < b->first ? -1 : 1) : (a->line > b->line) - (a->line < b->line);
}

/* Of the node of `path`, or where that is NULL of `func`. */
static int find_sites(const struct view *view, const struct call_node_table *nodes, const struct stack_weights *weights,
                      const struct path *path, bool inverted, uint32_t func, struct call_sites *sites, struct error *error)
{
    *sites = (struct call_sites){0};
    struct site_sums sums = {.sites = sites};
    struct stack_positions positions;
    struct stack_sums stacks;
    int status = stack_positions_read(view, &positions, error);
    if (status != 0)
        return status;
    status = stack_sums_begin(view, weights, &stacks, error);
    if (status == 0) {
        if (path)
            node_stacks_find(view, nodes, path, inverted, stacks.row);
        else
            func_stacks_find(view, func, stacks.row);
        status = add_up(&positions, &stacks, stacks.row, &sums, error);
        stack_sums_free(&stacks);
    }
    map_free(&sums.by_place);
    stack_positions_free(&positions);
    if (status != 0)
        call_sites_free(sites);
    else if (sites->rows.count > 1)
        qsort(sites->rows.items, sites->rows.count, sizeof *sites->rows.items, compare_sites);
    return status;
}

int call_sites_of_path(const struct view *view, const struct call_node_table *nodes, const struct stack_weights *weights,
                       const struct path *path, bool inverted, struct call_sites *sites, struct error *error)
{
    return find_sites(view, nodes, weights, path, inverted, INDEX_NONE, sites, error);
}

int call_sites_of_func(const struct view *view, const struct stack_weights *weights, uint32_t func, struct call_sites *sites,
                       struct error *error)
{
    return find_sites(view, NULL, weights, NULL, false, func, sites, error);
}

void call_sites_free(struct call_sites *sites)
{
    vec_free(&sites->rows);
}
