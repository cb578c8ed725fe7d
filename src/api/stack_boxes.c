#include "api/stack_boxes.h"

#include <errno.h>

/* A call that goes on. */
struct open_call {
    uint32_t node;
    double left, start;
};

struct drawing {
    const struct stack_scale *scale;
    const struct ancestors *ancestors;
    const struct thread_stacks *stacks;
    struct stack_boxes *boxes;
    struct open_call *open; /* for each lane */
    size_t first, end;      /* the rows in the window */
    size_t change;          /* same_width: the stack that is being drawn, by its number */
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t levels_at(const struct drawing *of, size_t row)
{
    return thread_stacks_levels(of->stacks, of->ancestors->nodes, row);
}

/* ---- where ---- */

static bool has_changed(const struct thread_stacks *stacks, size_t row)
{
    return stacks->node[row] != stacks->node[row - 1];
}

/* Rows that stand for some of the window. */
static void find_rows(struct drawing *of)
{
    const struct thread_stacks *stacks = of->stacks;
    of->first = times_lower_bound(stacks->time, stacks->first, stacks->end, of->scale->window.start);
    if (!stacks->precede && of->first > stacks->first)
        of->first--;
    if (of->first < stacks->end && thread_stacks_finish(stacks, of->first) <= of->scale->window.start)
        of->first++;
    of->end = times_lower_bound(stacks->start, of->first, stacks->end, of->scale->window.end);
}

static size_t count_changes(const struct drawing *of)
{
    size_t changes = of->first < of->end;
    for (size_t row = of->first + 1; row < of->end; row++)
        changes += has_changed(of->stacks, row);
    return changes;
}

/* The pixel of a time or, if all stacks are of the same width, of the beginning of the current one. */
static double pixel_at(const struct drawing *of, double time)
{
    const struct stack_scale *scale = of->scale;
    double at = scale->same_width ? (double)of->change / (double)of->boxes->changes
                                  : (time - scale->window.start) / (scale->window.end - scale->window.start);
    double pixel = at * scale->width;
    return pixel > 0 ? pixel < scale->width ? pixel : scale->width : 0;
}

/* ---- calls ---- */

static bool close_call(struct drawing *of, uint32_t depth, double right, double end)
{
    const struct call_node_table *nodes = of->ancestors->nodes;
    const struct open_call *open = &of->open[depth - of->scale->from];
    struct stack_call call = {
        .node = open->node,
        .category = pair_category(nodes->pair[open->node]),
        .left = open->left,
        .right = right,
        .start = open->start,
        .end = end,
        .highlighted = of->scale->matches && of->scale->matches[nodes->func[open->node]],
    };
    return stack_lane_add(&of->boxes->lanes[depth - of->scale->from], &call, of->scale->width);
}

/* The calls of a row from a depth on. */
static void open_calls(struct drawing *of, size_t row, uint32_t depth, double left, double start)
{
    uint32_t from = of->scale->from, end = least(levels_at(of, row), of->scale->until);
    depth = most(depth, from);
    if (depth >= end)
        return;
    uint32_t node = ancestor_at(of->ancestors, of->stacks->node[row], end - 1);
    for (uint32_t at = end; at-- > depth; node = of->ancestors->nodes->parent[node])
        of->open[at - from] = (struct open_call){node, left, start};
}

/* Those of the first row in the window began with it, or before. */
static void open_first(struct drawing *of)
{
    const struct thread_stacks *stacks = of->stacks;
    uint32_t from = of->scale->from, covered = least(levels_at(of, of->first), of->scale->until);
    open_calls(of, of->first, from, 0, 0);
    for (size_t row = of->first; covered > from; row--) {
        double start = thread_stacks_begin(stacks, row);
        uint32_t shared = row > stacks->first ? stacks->shared[row] : 0;
        while (covered > from && covered > shared) {
            covered--;
            of->open[covered - from].left = pixel_at(of, start);
            of->open[covered - from].start = start;
        }
    }
}

/* Those of the last row in the window go on for some time. */
static bool close_last(struct drawing *of)
{
    const struct thread_stacks *stacks = of->stacks;
    uint32_t from = of->scale->from, covered = least(levels_at(of, of->end - 1), of->scale->until);
    of->change++;
    for (size_t row = of->end; covered > from; row++) {
        double end = thread_stacks_finish(stacks, row - 1), right = pixel_at(of, end);
        uint32_t shared = row < stacks->end ? stacks->shared[row] : 0;
        while (covered > from && covered > shared)
            if (!close_call(of, --covered, right, end))
                return false;
    }
    return true;
}

/* From one row to the next: those end that it has not, and others begin. */
static bool draw_step(struct drawing *of, size_t row)
{
    const struct stack_scale *scale = of->scale;
    if (!has_changed(of->stacks, row))
        return true;
    uint32_t shared = of->stacks->shared[row], levels = least(levels_at(of, row - 1), scale->until);
    double end = thread_stacks_finish(of->stacks, row - 1), start = thread_stacks_begin(of->stacks, row);
    of->change++;
    double right = pixel_at(of, end), left = pixel_at(of, start);
    for (uint32_t depth = most(shared, scale->from); depth < levels; depth++)
        if (!close_call(of, depth, right, end))
            return false;
    open_calls(of, row, shared, left, start);
    return true;
}

int stack_boxes_draw(const struct stack_scale *scale, const struct ancestors *ancestors, const struct thread_stacks *stacks,
                     struct stack_boxes *boxes)
{
    struct drawing of = {.scale = scale, .ancestors = ancestors, .stacks = stacks, .boxes = boxes};
    uint32_t until = least(scale->until, stacks->levels);
    *boxes = (struct stack_boxes){.lane_count = until > scale->from ? until - scale->from : 0};
    boxes->lanes = memory_zeroed(boxes->lane_count, sizeof *boxes->lanes);
    of.open = memory_array(boxes->lane_count, sizeof *of.open);
    find_rows(&of);
    boxes->changes = count_changes(&of);
    bool fits = boxes->lanes && of.open;
    if (fits && boxes->changes > 0) {
        open_first(&of);
        for (size_t row = of.first + 1; row < of.end && fits; row++)
            fits = draw_step(&of, row);
        fits = fits && close_last(&of);
    }
    for (uint32_t lane = 0; lane < boxes->lane_count && fits; lane++)
        fits = stack_lane_finish(&boxes->lanes[lane]);
    memory_release(of.open);
    return fits ? 0 : -ENOMEM;
}

void stack_boxes_free(struct stack_boxes *boxes)
{
    for (uint32_t lane = 0; lane < boxes->lane_count && boxes->lanes; lane++)
        stack_lane_free(&boxes->lanes[lane]);
    memory_release(boxes->lanes);
    *boxes = (struct stack_boxes){0};
}
