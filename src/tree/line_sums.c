#include "tree/line_sums.h"

#include <stdlib.h>

uint32_t line_sums_row(struct line_sums *sums, uint32_t line)
{
    uint64_t hash = hash_u64(line);
    uint32_t row;
    for (struct map_probe probe = map_probe(&sums->by_line, hash); map_probe_next(&probe, &row);)
        if (sums->lines->rows.items[row].line == line)
            return row;
    row = (uint32_t)sums->lines->rows.count;
    struct line_row fresh = {.line = line, .first = INDEX_NONE};
    if (!vec_push(&sums->lines->rows, fresh) || !map_insert(&sums->by_line, hash, row))
        return INDEX_NONE;
    return row;
}

void stack_sums_free(struct stack_sums *stacks)
{
    memory_release(stacks->weight);
    memory_release(stacks->first);
    memory_release(stacks->row);
}

int stack_sums_begin(const struct view *view, const struct stack_weights *weights, struct stack_sums *stacks,
                     struct error *error)
{
    *stacks = (struct stack_sums){
        .weight = memory_zeroed(view->count, sizeof(double)),
        .first = memory_array(view->count, sizeof(uint32_t)),
        .row = memory_array(view->count, sizeof(uint32_t)),
    };
    if (!stacks->weight || !stacks->first || !stacks->row) {
        stack_sums_free(stacks);
        return error_out_of_memory(error);
    }
    for (uint32_t stack = 0; stack < view->count; stack++)
        stacks->first[stack] = stacks->row[stack] = INDEX_NONE;
    for (uint32_t source = (uint32_t)weights->count; source-- > 0;) {
        uint32_t stack = weights->rows[source] > 0 ? view_sample_stack(view, source) : INDEX_NONE;
        if (stack == INDEX_NONE)
            continue;
        stacks->weight[stack] += weights->weight[source];
        stacks->first[stack] = source;
    }
    return 0;
}

void line_row_add(struct line_row *row, uint32_t first, double self, double total)
{
    row->self += self;
    row->total += total;
    if (first < row->first)
        row->first = first;
}

/* The stacks depth first: `order` is filled with them, `end` with the places in it after the last descendant of each. */
static void depth_first(const struct view *view, uint32_t *order, uint32_t *end, uint32_t *next)
{
    uint32_t next_root = 0;
    for (uint32_t stack = 0; stack < view->count; stack++)
        end[stack] = 1;
    for (uint32_t stack = view->count; stack-- > 0;)
        if (view->prefix[stack] != INDEX_NONE)
            end[view->prefix[stack]] += end[stack];
    for (uint32_t stack = 0; stack < view->count; stack++) {
        uint32_t *place = view->prefix[stack] == INDEX_NONE ? &next_root : &next[view->prefix[stack]];
        uint32_t at = *place;
        *place += end[stack];
        order[at] = stack;
        next[stack] = at + 1;
        end[stack] += at;
    }
}

static void add_subtrees(const struct view *view, struct stack_sums *stacks)
{
    for (uint32_t stack = view->count; stack-- > 0;) {
        uint32_t prefix = view->prefix[stack];
        if (prefix == INDEX_NONE)
            continue;
        stacks->weight[prefix] += stacks->weight[stack];
        if (stacks->first[stack] < stacks->first[prefix])
            stacks->first[prefix] = stacks->first[stack];
    }
}

int stack_sums_add_totals(const struct view *view, struct stack_sums *stacks, struct line_timings *lines, struct error *error)
{
    size_t count = view->count;
    uint32_t *order = memory_array(3 * count, sizeof *order);
    uint32_t *inside_until = memory_zeroed(lines->rows.count, sizeof *inside_until);
    int status = 0;
    if (order && inside_until) {
        uint32_t *end = order + count;
        depth_first(view, order, end, end + count);
        add_subtrees(view, stacks);
        for (uint32_t at = 0; at < count; at++) {
            uint32_t stack = order[at], row = stacks->row[stack];
            if (row == INDEX_NONE || at < inside_until[row])
                continue;
            inside_until[row] = end[stack];
            line_row_add(&lines->rows.items[row], stacks->first[stack], 0, stacks->weight[stack]);
        }
    } else {
        status = error_out_of_memory(error);
    }
    memory_release(order);
    memory_release(inside_until);
    return status;
}

static int compare_lines(const void *a, const void *b)
{
    const struct line_row *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

void line_sums_finish(struct line_sums *sums, bool drop_zero)
{
    struct line_timings *lines = sums->lines;
    size_t kept = 0;
    for (size_t i = 0; i < lines->rows.count; i++) {
        const struct line_row *row = &lines->rows.items[i];
        if (drop_zero ? row->self != 0 || row->total != 0 : row->first != INDEX_NONE)
            lines->rows.items[kept++] = *row;
    }
    lines->rows.count = kept;
    if (kept > 1)
        qsort(lines->rows.items, kept, sizeof *lines->rows.items, compare_lines);
    map_free(&sums->by_line);
}
