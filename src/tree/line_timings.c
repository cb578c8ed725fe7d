#include "tree/line_timings.h"

#include "tree/line_sums.h"
#include "tree/node_stacks.h"
#include "tree/stack_positions.h"

uint32_t line_timings_hottest(const struct line_timings *lines)
{
    const struct line_row *hottest = NULL;
    for (size_t i = 0; i < lines->rows.count; i++) {
        const struct line_row *row = &lines->rows.items[i];
        if (!hottest || row->total > hottest->total || (row->total == hottest->total && row->first < hottest->first))
            hottest = row;
    }
    return hottest ? hottest->line : INDEX_NONE;
}

/* ---- a source, a func ---- */

/* Stacks in `source`, or of `func`; the other one is INDEX_NONE. */
struct place {
    uint32_t source, func;
};

/* Puts each stack on its line and adds what ends there. */
static int place_stacks(const struct place *place, const struct stack_positions *positions, struct stack_sums *stacks,
                        struct line_sums *sums, struct error *error)
{
    const struct view *view = positions->view;
    for (uint32_t stack = 0; stack < view->count; stack++) {
        if (place->func != INDEX_NONE && view->func[stack] != place->func)
            continue;
        struct stack_position position = stack_position_of(positions, stack);
        if (position.line == INDEX_NONE || (place->source != INDEX_NONE && position.source != place->source))
            continue;
        uint32_t row = line_sums_row(sums, position.line);
        if (row == INDEX_NONE)
            return error_out_of_memory(error);
        stacks->row[stack] = row;
        line_row_add(&sums->lines->rows.items[row], stacks->first[stack], stacks->weight[stack], 0);
    }
    return 0;
}

static int line_timings_of_place(const struct view *view, const struct stack_weights *weights, const struct place *place,
                                 struct line_timings *lines, struct error *error)
{
    *lines = (struct line_timings){0};
    struct line_sums sums = {.lines = lines};
    struct stack_positions positions;
    struct stack_sums stacks;
    int status = stack_positions_read(view, &positions, error);
    if (status != 0)
        return status;
    status = stack_sums_begin(view, weights, &stacks, error);
    if (status == 0) {
        status = place_stacks(place, &positions, &stacks, &sums, error);
        if (status == 0)
            status = stack_sums_add_totals(view, &stacks, lines, error);
        stack_sums_free(&stacks);
    }
    line_sums_finish(&sums, true);
    stack_positions_free(&positions);
    if (status != 0)
        line_timings_free(lines);
    return status;
}

int line_timings_of_source(const struct view *view, const struct stack_weights *weights, uint32_t source,
                           struct line_timings *lines, struct error *error)
{
    return line_timings_of_place(view, weights, &(struct place){source, INDEX_NONE}, lines, error);
}

int line_timings_of_func(const struct view *view, const struct stack_weights *weights, uint32_t func,
                         struct line_timings *lines, struct error *error)
{
    return line_timings_of_place(view, weights, &(struct place){INDEX_NONE, func}, lines, error);
}

/* ---- a call node ---- */

/* `found` is where a stack's frame of the node is. What ends in that very stack is self: in an inverted tree this is so for
 * roots and never for others. */
static int add_found(const struct stack_positions *positions, const struct stack_sums *stacks, const uint32_t *found,
                     struct line_sums *sums, struct error *error)
{
    for (uint32_t stack = 0; stack < positions->view->count; stack++) {
        if (found[stack] == INDEX_NONE || stacks->first[stack] == INDEX_NONE)
            continue;
        struct stack_position position = stack_position_of(positions, found[stack]);
        if (position.line == INDEX_NONE)
            continue;
        uint32_t row = line_sums_row(sums, position.line);
        if (row == INDEX_NONE)
            return error_out_of_memory(error);
        double weight = stacks->weight[stack];
        line_row_add(&sums->lines->rows.items[row], stacks->first[stack], found[stack] == stack ? weight : 0, weight);
    }
    return 0;
}

int line_timings_of_path(const struct view *view, const struct call_node_table *nodes, const struct stack_weights *weights,
                         const struct path *path, bool inverted, struct line_timings *lines, struct error *error)
{
    *lines = (struct line_timings){0};
    struct line_sums sums = {.lines = lines};
    struct stack_positions positions;
    struct stack_sums stacks;
    int status = stack_positions_read(view, &positions, error);
    if (status != 0)
        return status;
    status = stack_sums_begin(view, weights, &stacks, error);
    if (status == 0) {
        node_stacks_find(view, nodes, path, inverted, stacks.row);
        status = add_found(&positions, &stacks, stacks.row, &sums, error);
        stack_sums_free(&stacks);
    }
    line_sums_finish(&sums, false);
    stack_positions_free(&positions);
    if (status != 0)
        line_timings_free(lines);
    return status;
}
