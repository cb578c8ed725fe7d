#include "tree/line_timings.h"

#include "common/map.h"

#include <stdlib.h>

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

/* ---- adding up ---- */

/* Lines get row numbers as they are met. */
struct line_sums {
    struct line_timings *lines;
    struct map by_line;
};

static uint32_t line_row(struct line_sums *sums, uint32_t line)
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

/* Everything that is known of the stacks of a view while lines are added up. */
struct stack_sums {
    double *weight;  /* of samples that end in it; after add_subtrees() in it or below it */
    uint32_t *first; /* the first stack of the profile whose samples end in it, INDEX_NONE = none do */
    uint32_t *row;   /* of the line it is on, INDEX_NONE = not on any that counts */
};

static void stack_sums_free(struct stack_sums *stacks)
{
    memory_release(stacks->weight);
    memory_release(stacks->first);
    memory_release(stacks->row);
}

static int stack_sums_begin(const struct view *view, const struct stack_weights *weights, struct stack_sums *stacks,
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

static void row_add(struct line_row *row, uint32_t first, double self, double total)
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

/* A stack counts for its line unless a caller is on the same line already. */
static int add_totals(const struct view *view, struct stack_sums *stacks, struct line_timings *lines, struct error *error)
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
            row_add(&lines->rows.items[row], stacks->first[stack], 0, stacks->weight[stack]);
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

/* Takes rows out that nothing was counted for (that come to nothing, if `drop_zero`), and sorts the others. */
static void lines_finish(struct line_timings *lines, bool drop_zero)
{
    size_t kept = 0;
    for (size_t i = 0; i < lines->rows.count; i++) {
        const struct line_row *row = &lines->rows.items[i];
        if (drop_zero ? row->self != 0 || row->total != 0 : row->first != INDEX_NONE)
            lines->rows.items[kept++] = *row;
    }
    lines->rows.count = kept;
    if (kept > 1)
        qsort(lines->rows.items, kept, sizeof *lines->rows.items, compare_lines);
}

void line_timings_free(struct line_timings *lines)
{
    vec_free(&lines->rows);
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
        uint32_t row = line_row(sums, position.line);
        if (row == INDEX_NONE)
            return error_out_of_memory(error);
        stacks->row[stack] = row;
        row_add(&sums->lines->rows.items[row], stacks->first[stack], stacks->weight[stack], 0);
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
            status = add_totals(view, &stacks, lines, error);
        stack_sums_free(&stacks);
    }
    lines_finish(lines, true);
    map_free(&sums.by_line);
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
        uint32_t row = line_row(sums, position.line);
        if (row == INDEX_NONE)
            return error_out_of_memory(error);
        double weight = stacks->weight[stack];
        row_add(&sums->lines->rows.items[row], stacks->first[stack], found[stack] == stack ? weight : 0, weight);
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
    lines_finish(lines, false);
    map_free(&sums.by_line);
    positions_free(&positions);
    if (status != 0)
        line_timings_free(lines);
    return status;
}
