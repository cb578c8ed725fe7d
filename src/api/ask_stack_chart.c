/* stack_chart: the calls of threads over time, in device pixels. */
#include "api/ask.h"

#include "api/func_texts.h"
#include "api/row_flags.h"
#include "api/stack_boxes.h"

#include <errno.h>
#include <math.h>

enum { STACK_CHART_MOST_BOXES = 500000 };

struct chart_columns {
    VEC(uint32_t) threads, levels, changes;
    VEC(uint32_t) node, func, depth, name, library;
    VEC(uint16_t) track, left, width, category;
    VEC(uint8_t) flags;
    VEC(double) start, end;
    VEC(uint16_t) tick, tick_track; /* samples, where they are not too close */
};

static void chart_columns_free(struct chart_columns *columns)
{
    vec_free(&columns->threads);
    vec_free(&columns->levels);
    vec_free(&columns->changes);
    vec_free(&columns->node);
    vec_free(&columns->func);
    vec_free(&columns->depth);
    vec_free(&columns->name);
    vec_free(&columns->library);
    vec_free(&columns->track);
    vec_free(&columns->left);
    vec_free(&columns->width);
    vec_free(&columns->category);
    vec_free(&columns->flags);
    vec_free(&columns->start);
    vec_free(&columns->end);
    vec_free(&columns->tick);
    vec_free(&columns->tick_track);
}

static uint8_t flags_of(const struct call_node_table *nodes, const struct stack_box *box, const struct func_texts *texts)
{
    uint8_t flags = nodes->inlined ? row_inlined_flag(nodes->inlined[box->node]) : 0;
    flags |= func_is_label(texts) ? ROW_LABEL : 0;
    flags |= box->highlighted ? ROW_HIGHLIGHTED : 0;
    return flags | (box->merged ? ROW_MERGED : 0);
}

static bool add_box(struct asking *asking, struct chart_columns *columns, uint32_t depth, const struct stack_box *box)
{
    const struct call_node_table *nodes = &asking->kept->answer.nodes;
    uint32_t func = nodes->func[box->node];
    struct func_texts texts = func_texts_of(asking->whole->funcs, func);
    reply_use_string(asking->reply, texts.name);
    reply_use_string(asking->reply, texts.library);
    return vec_push(&columns->track, (uint16_t)(columns->threads.count - 1)) && vec_push(&columns->node, box->node) &&
           vec_push(&columns->func, func) && vec_push(&columns->depth, depth) && vec_push(&columns->name, texts.name.i) &&
           vec_push(&columns->library, texts.library.i) && vec_push(&columns->category, (uint16_t)box->category) &&
           vec_push(&columns->flags, flags_of(nodes, box, &texts)) && vec_push(&columns->left, (uint16_t)box->left) &&
           vec_push(&columns->width, (uint16_t)(box->right - box->left)) &&
           vec_push(&columns->start, box->start - asking->start) && vec_push(&columns->end, box->end - asking->start);
}

static int add_boxes(struct asking *asking, struct chart_columns *columns, uint32_t from, const struct stack_boxes *boxes)
{
    for (uint32_t lane = 0; lane < boxes->lane_count; lane++) {
        size_t count = boxes->lanes[lane].boxes.count;
        if (columns->node.count + count > STACK_CHART_MOST_BOXES)
            return asking_refuse(asking, NULL, "there are more than %d boxes", STACK_CHART_MOST_BOXES);
        for (size_t i = 0; i < count; i++)
            if (!add_box(asking, columns, from + lane, &boxes->lanes[lane].boxes.items[i]))
                return -ENOMEM;
    }
    return 0;
}

/* Device pixels from one sample to the next, at least, for ticks to be told apart. */
enum { LEAST_TICK_DISTANCE = 8 };

/* Where samples are that have a stack; none where they would be too close. */
static bool add_ticks(const struct stack_scale *scale, const struct thread_stacks *stacks, struct chart_columns *columns)
{
    double length = scale->window.end - scale->window.start;
    size_t before = columns->tick.count;
    for (size_t row = stacks->first; row < stacks->end && !scale->same_width; row++) {
        double time = stacks->time[row];
        if (stacks->node[row] == INDEX_NONE || !(time >= scale->window.start && time < scale->window.end))
            continue;
        if (columns->tick.count - before >= scale->width / LEAST_TICK_DISTANCE) {
            columns->tick.count = columns->tick_track.count = before;
            return true;
        }
        if (!vec_push(&columns->tick, (uint16_t)((time - scale->window.start) / length * scale->width)) ||
            !vec_push(&columns->tick_track, (uint16_t)(columns->threads.count - 1)))
            return false;
    }
    return true;
}

static int draw_thread(struct asking *asking, const struct stack_scale *scale, uint32_t thread, struct chart_columns *columns)
{
    struct error error = {0};
    const struct thread_stacks *stacks;
    if (thread >= asking->profile->threads.count)
        return asking_refuse(asking, "threads", "there is no thread %u", thread);
    if (kept_answer_stacks(asking->kept, thread_at(thread), &stacks, &error) != 0)
        return asking_failed(asking, &error);
    struct stack_boxes boxes;
    int status = stack_boxes_draw(scale, &asking->kept->ancestors, stacks, &boxes);
    if (status == 0 && !(vec_push(&columns->threads, thread) && vec_push(&columns->levels, stacks->levels) &&
                         vec_push(&columns->changes, (uint32_t)boxes.changes) && add_ticks(scale, stacks, columns)))
        status = -ENOMEM;
    if (status == 0)
        status = add_boxes(asking, columns, scale->from, &boxes);
    stack_boxes_free(&boxes);
    return status;
}

static void put_columns(struct reply *reply, const struct chart_columns *columns)
{
    size_t threads = columns->threads.count, boxes = columns->node.count;
    reply_begin_columns(reply);
    reply_column(reply, "threads", REPLY_U32, columns->threads.items, threads);
    reply_column(reply, "levels", REPLY_U32, columns->levels.items, threads);
    reply_column(reply, "changes", REPLY_U32, columns->changes.items, threads);
    reply_column(reply, "track", REPLY_U16, columns->track.items, boxes);
    reply_column(reply, "node", REPLY_U32, columns->node.items, boxes);
    reply_column(reply, "func", REPLY_U32, columns->func.items, boxes);
    reply_column(reply, "depth", REPLY_U32, columns->depth.items, boxes);
    reply_column(reply, "name", REPLY_ID, columns->name.items, boxes);
    reply_column(reply, "library", REPLY_ID, columns->library.items, boxes);
    reply_column(reply, "category", REPLY_U16, columns->category.items, boxes);
    reply_column(reply, "flags", REPLY_U8, columns->flags.items, boxes);
    reply_column(reply, "left", REPLY_U16, columns->left.items, boxes);
    reply_column(reply, "width", REPLY_U16, columns->width.items, boxes);
    reply_column(reply, "start", REPLY_F64, columns->start.items, boxes);
    reply_column(reply, "end", REPLY_F64, columns->end.items, boxes);
    reply_column(reply, "tick", REPLY_U16, columns->tick.items, columns->tick.count);
    reply_column(reply, "tick_track", REPLY_U16, columns->tick_track.items, columns->tick.count);
    reply_end_columns(reply);
}

/* The times that were asked for, within the committed range; else the preview range. */
static struct time_range window_of(const struct asking *asking, const struct ask *ask)
{
    struct time_range window = asking_range(asking, true), all = asking_range(asking, false);
    window.start = isnan(ask->window.start) ? window.start : fmax(all.start, ask->window.start + asking->start);
    window.end = isnan(ask->window.end) ? window.end : fmin(all.end, ask->window.end + asking->start);
    return window;
}

static int put_chart(struct asking *asking, const struct ask *ask, const struct stack_scale *scale,
                     struct chart_columns *columns)
{
    const struct query *query = &asking->state.query;
    int status = 0;
    for (size_t i = 0; i < ask->tracks.count && status == 0; i++)
        status = draw_thread(asking, scale, ask->tracks.items[i], columns);
    for (size_t i = 0; i < query->thread_count && !ask->has_tracks && status == 0; i++)
        status = draw_thread(asking, scale, query->threads[i].i, columns);
    if (status != 0)
        return status;
    asking_put_range(asking, scale->window);
    put_columns(asking->reply, columns);
    return 0;
}

int ask_stack_chart(struct asking *asking, const struct ask *ask)
{
    struct stack_scale scale = {
        .window = window_of(asking, ask),
        .width = ask->width,
        .from = ask->depth[0],
        .until = ask->depth[1],
        .same_width = ask->same_width,
    };
    if (range_is_empty(scale.window))
        return asking_refuse(asking, NULL, "the range is empty, there is nothing to be drawn");
    int status = asking_answer(asking);
    if (status == 0)
        status = asking_highlight(asking, ask, &scale.matches);
    if (status != 0)
        return status;
    struct chart_columns columns = {0};
    status = put_chart(asking, ask, &scale, &columns);
    chart_columns_free(&columns);
    return status;
}
