/* Calls of a CPU profile on its own: a call lasts from the first sample that has its node to the first that has not. */
#include "trace/calls.h"

#include <math.h>

struct open_call {
    uint32_t call;
    double start, in_children; /* ms */
};

struct walk {
    struct thread_calls *out;
    const struct cpu_model *model;
    const struct calls_options *options;
    VEC(struct open_call) open;
    VEC(uint32_t) path; /* nodes that are to be opened, innermost first */
};

static int open_call(struct walk *walk, uint32_t node, int32_t depth, size_t sample, struct error *error)
{
    size_t call = walk->out->calls.count;
    double time = walk->model->times.items[sample];
    if (call >= calls_limit(walk->options))
        return calls_too_many(walk->options, error);
    if (!vec_push(&walk->open, ((struct open_call){(uint32_t)call, time, 0})) ||
        !vec_push(&walk->out->calls,
                  ((struct call){
                      .ts = time * 1000, .dur = 0, .self = 0, .node = node, .depth = depth, .sample_index = (int64_t)sample})))
        return error_out_of_memory(error);
    return 0;
}

static void close_call(struct walk *walk, double time)
{
    struct open_call closed = walk->open.items[--walk->open.count];
    double duration = time - closed.start;
    if (walk->open.count > 0)
        walk->open.items[walk->open.count - 1].in_children += duration;
    struct call *call = &walk->out->calls.items[closed.call];
    call->dur = duration * 1000;
    call->self = (duration - closed.in_children) * 1000;
}

/* Closes what is not above `node`, then opens what is between. `previous` is the node of the innermost open call, or the root:
 * every step up from there closes one. */
static int change_path(struct walk *walk, uint32_t previous, uint32_t node, size_t sample, struct error *error)
{
    const struct cpu_model_node *nodes = walk->model->nodes.items;
    walk->path.count = 0;
    while (node != previous) {
        int32_t depth = nodes[node].depth, previous_depth = nodes[previous].depth;
        if (previous_depth >= depth) {
            close_call(walk, walk->model->times.items[sample]);
            previous = nodes[previous].parent;
        }
        if (depth >= previous_depth) {
            if (!vec_push(&walk->path, node))
                return error_out_of_memory(error);
            node = nodes[node].parent;
        }
    }
    for (size_t i = walk->path.count; i-- > 0;) {
        uint32_t opened = walk->path.items[i];
        int result = open_call(walk, opened, nodes[opened].depth, sample, error);
        if (result != 0)
            return result;
    }
    return 0;
}

static int walk_samples(struct walk *walk, struct error *error)
{
    const struct cpu_model *model = walk->model;
    uint32_t previous = 0;
    bool in_garbage = false; /* the innermost call is the garbage collector's, on top of `previous` */
    size_t sample = 0;
    int result = 0;
    while (sample < model->samples.count && model->times.items[sample] < 0)
        sample++;
    for (; result == 0 && sample < model->samples.count; sample++) {
        uint32_t node = model->samples.items[sample];
        double time = model->times.items[sample];
        if (node == INDEX_NONE) {
            while (walk->open.count > 0)
                close_call(walk, time);
            return 0; /* the engine makes nothing of the samples after it */
        }
        if (node == model->garbage) {
            if (!in_garbage)
                result = open_call(walk, node, model->nodes.items[previous].depth + 1, sample, error);
            in_garbage = true;
            continue;
        }
        if (in_garbage)
            close_call(walk, time);
        in_garbage = false;
        result = change_path(walk, previous, node, sample, error);
        previous = node;
    }
    if (result != 0 || model->times.count == 0)
        return result;
    double end = model->times.items[model->samples.count];
    if (end == 0 || isnan(end))
        end = model->end;
    while (walk->open.count > 0)
        close_call(walk, end);
    return 0;
}

int calls_from_samples(struct thread_calls *calls, const struct calls_options *options, struct error *error)
{
    struct walk walk = {.out = calls, .model = calls->model, .options = options};
    int result = walk_samples(&walk, error);
    vec_free(&walk.open);
    vec_free(&walk.path);
    vec_trim(&calls->calls);
    if (result == 0 && !vec_reserve(&calls->entries, calls->calls.count))
        result = error_out_of_memory(error);
    if (result != 0)
        return result;
    for (size_t row = 0; row < calls->calls.count; row++)
        calls->entries.items[row] = entry_of_call((uint32_t)row);
    calls->entries.count = calls->calls.count;
    calls->max_depth = calls->model->max_depth;
    return 0;
}
