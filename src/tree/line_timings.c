#include "tree/line_timings.h"

#include "tree/line_sums.h"

/* ---- where stacks are ---- */

/* The columns that say on which line of which source a stack is. */
struct positions {
    const struct view *view;
    uint32_t *frame_line, *frame_location; /* for each frame */
};

static void positions_free(struct positions *positions)
{
    memory_release(positions->frame_line);
    memory_release(positions->frame_location);
}

static int positions_read(const struct view *view, struct positions *positions, struct error *error)
{
    const struct frame_table *frames = &view->profile->frames;
    size_t count = frame_count(frames);
    *positions = (struct positions){
        .view = view,
        .frame_line = memory_array(count, sizeof(uint32_t)),
        .frame_location = memory_array(count, sizeof(uint32_t)),
    };
    if (!positions->frame_line || !positions->frame_location) {
        positions_free(positions);
        return error_out_of_memory(error);
    }
    column_read_u32(&frames->line, 0, count, positions->frame_line);
    column_read_u32(&frames->original_location, 0, count, positions->frame_location);
    return 0;
}

struct position {
    uint32_t source, line; /* INDEX_NONE = unknown */
};

/* What a source map says of the frame, else of the func, else the file as it ran. */
static struct position position_of(const struct positions *positions, uint32_t stack)
{
    const struct view *view = positions->view;
    const struct profile *profile = view->profile;
    uint32_t frame = view->frame[stack], func = view->func[stack];
    bool is_own = func < view->funcs->own_count;
    uint32_t location = positions->frame_location[frame];
    if (location == INDEX_NONE && is_own)
        location = column_get_index(&profile->funcs.original_location, func);
    if (location != INDEX_NONE) {
        const struct location *original = &profile->locations.rows.items[location];
        return (struct position){original->source.i, original->line};
    }
    uint32_t line = positions->frame_line[frame];
    if (line == INDEX_NONE && is_own)
        line = column_get_index(&profile->funcs.line, func);
    return (struct position){view->funcs->source[func], line};
}

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
static int place_stacks(const struct place *place, const struct positions *positions, struct stack_sums *stacks,
                        struct line_sums *sums, struct error *error)
{
    const struct view *view = positions->view;
    for (uint32_t stack = 0; stack < view->count; stack++) {
        if (place->func != INDEX_NONE && view->func[stack] != place->func)
            continue;
        struct position position = position_of(positions, stack);
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
    struct positions positions;
    struct stack_sums stacks;
    int status = positions_read(view, &positions, error);
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
    positions_free(&positions);
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

/* For each stack at or below the node, the stack that is the node: INDEX_NONE for all others. */
static void find_node_stacks(const struct view *view, const struct call_node_table *nodes, uint32_t node, uint32_t *found)
{
    for (uint32_t stack = 0; stack < view->count; stack++) {
        uint32_t prefix = view->prefix[stack];
        if (nodes->of_stack[stack] == node)
            found[stack] = stack;
        else
            found[stack] = prefix == INDEX_NONE ? INDEX_NONE : found[prefix];
    }
}

/* The same in an inverted tree: where the functions from a stack upwards are those of the path, the stack at its end. */
static void find_inverted_stacks(const struct view *view, const struct path *path, uint32_t *found)
{
    for (uint32_t leaf = 0; leaf < view->count; leaf++) {
        uint32_t stack = leaf;
        size_t matched = 0;
        found[leaf] = INDEX_NONE;
        while (stack != INDEX_NONE && matched < path->funcs.count && view->func[stack] == path->funcs.items[matched]) {
            found[leaf] = ++matched == path->funcs.count ? stack : INDEX_NONE;
            stack = view->prefix[stack];
        }
    }
}

/* `found` is where a stack's frame of the node is. What ends in that very stack is self: in an inverted tree this is so for
 * roots and never for others. */
static int add_found(const struct positions *positions, const struct stack_sums *stacks, const uint32_t *found,
                     struct line_sums *sums, struct error *error)
{
    for (uint32_t stack = 0; stack < positions->view->count; stack++) {
        if (found[stack] == INDEX_NONE || stacks->first[stack] == INDEX_NONE)
            continue;
        struct position position = position_of(positions, found[stack]);
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
    uint32_t node = inverted ? INDEX_NONE : call_node_find(nodes, path->funcs.items, path->funcs.count);
    if (node == INDEX_NONE && !inverted)
        return 0;
    struct line_sums sums = {.lines = lines};
    struct positions positions;
    struct stack_sums stacks;
    int status = positions_read(view, &positions, error);
    if (status != 0)
        return status;
    status = stack_sums_begin(view, weights, &stacks, error);
    if (status == 0) {
        if (inverted)
            find_inverted_stacks(view, path, stacks.row);
        else
            find_node_stacks(view, nodes, node, stacks.row);
        status = add_found(&positions, &stacks, stacks.row, &sums, error);
        stack_sums_free(&stacks);
    }
    line_sums_finish(&sums, false);
    positions_free(&positions);
    if (status != 0)
        line_timings_free(lines);
    return status;
}
