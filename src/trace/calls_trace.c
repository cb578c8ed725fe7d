/* Calls where there are events: the samples of a thread and its events are gone through in the order of time, and a stack of
 * running calls follows them.
 *
 *     open     the events that are open, outermost first
 *     running  the calls that run, outermost first
 *     locks    how many of the running calls are out of reach of what comes: they began before an event that is open
 *
 * An item with a stack of its own (a sample, or an event for which one was taken) is compared with the running calls from the
 * topmost lock on. Where they differ the running ones end, and the rest of the item's stack begins. Other items only prove that
 * what runs still runs.
 *
 * Two things are done otherwise than in the engine, because its way costs the depth of the stack for each item:
 *
 * Durations. In the engine whatever cuts the stack at time t, even where it cuts nothing off, sets the duration of every
 * running call to max(t - ts, 0). Nobody looks at a duration while the call runs. So the last setting counts: the one that cut
 * the call off, or, for calls that are never cut off, the last one of all, provided that they were there already. It is enough
 * to set the durations of what is cut off, and to remember the last t and how many were left by it. This does not depend on
 * times that only grow.
 *
 * Comparisons. Two calls are the same if script, function and line are, so frames have to be compared one by one. But mostly
 * the stack of a sample has most of its nodes in common with the one before. So each running call keeps the node that it was
 * last found the same as, or was made from, and a stack is gone through from its leaf: where it meets the node of a running
 * call, all that is between the lock and there is the same without a look. For when that node was noted, everything from the
 * lock of that time on up to it was found the same as its callers. If a caller was noted anew since then, so was the node, or
 * it was cut off. And the lock of that time was not higher than today's: locks only grow towards the top, because they are
 * heights of a stack that never falls below the topmost of them, and whatever takes a lock away cuts the stack at it. */
#include "trace/calls.h"
#include "trace/trace_names.h"

#include <errno.h>
#include <math.h>

struct running_call {
    uint32_t call;
    uint32_t node; /* the same as the call */
};

struct open_event {
    uint32_t row;
    bool takes_samples;
};

struct engine {
    struct thread_calls *out;
    const struct cpu_model *model;
    const struct trace *trace;
    const struct calls_options *options;
    uint32_t *shown; /* of each node of the model: how many frames its stack has that are not left out */
    VEC(struct open_event) open;
    VEC(struct running_call) running;
    VEC(uint32_t) locks;
    VEC(uint32_t) frames; /* of the stack that is compared, innermost first */
    bool fake;            /* samples are taken though no event says that scripts run */
    double last_cut;      /* when the stack was cut, or could have been, and … */
    size_t left_by_cut;   /* … how many calls were left then */
    double hidden[4];     /* ids of nodes that are not calls */
};

/* The stack of an item. Hidden nodes have their place in it. */
struct item_stack {
    uint32_t leaf;
    bool garbage_on_top;
    double ts;
    int64_t sample_index;
};

/* --- nodes --- */

/* Frames of the engine's runtime are left out unless they are asked for. */
static int count_shown(struct engine *engine, struct error *error)
{
    const struct cpu_model *model = engine->model;
    struct string_index runtime = string_table_find(&engine->trace->strings, SLICE("native V8Runtime"));
    bool leave_out = !engine->options->show_all && string_exists(runtime);
    engine->shown = memory_array(model->nodes.count, sizeof *engine->shown);
    if (!engine->shown)
        return error_out_of_memory(error);
    engine->shown[0] = 0;
    for (uint32_t row = 1; row < model->nodes.count; row++) {
        bool left_out = leave_out && string_same(cpu_model_function(model, row)->url, runtime);
        engine->shown[row] = engine->shown[model->nodes.items[row].parent] + !left_out;
    }
    return 0;
}

/* `row` itself, or the first of its callers that is not left out; the root where there is none. */
static uint32_t shown_node(const struct engine *engine, uint32_t row)
{
    const struct cpu_model_node *nodes = engine->model->nodes.items;
    while (row != 0 && engine->shown[row] == engine->shown[nodes[row].parent])
        row = nodes[row].parent;
    return row;
}

static double id_of(const struct cpu_model *model, uint32_t row)
{
    return row == INDEX_NONE ? NAN : cpu_model_raw(model, row)->id;
}

static bool is_hidden(const struct engine *engine, uint32_t row)
{
    double id = id_of(engine->model, row);
    return id == engine->hidden[0] || id == engine->hidden[1] || id == engine->hidden[2] || id == engine->hidden[3];
}

/* Neither address nor column count, nor the calling context. */
static bool same_function(const struct cpu_model *model, uint32_t a, uint32_t b)
{
    const struct trace_function *x = cpu_model_function(model, a), *y = cpu_model_function(model, b);
    return string_same(x->script_id, y->script_id) && string_same(x->name, y->name) && x->line == y->line;
}

/* --- the stack of running calls --- */

static size_t top_lock(const struct engine *engine)
{
    return engine->locks.count > 0 ? engine->locks.items[engine->locks.count - 1] : 0;
}

static size_t pop_lock(struct engine *engine)
{
    size_t lock = top_lock(engine);
    if (engine->locks.count > 0)
        engine->locks.count--;
    return lock;
}

static void end_call(struct engine *engine, size_t place, double time)
{
    struct call *call = &engine->out->calls.items[engine->running.items[place].call];
    double duration = time - call->ts;
    call->dur = duration < 0 ? 0 : duration; /* NaN stays */
}

static void cut(struct engine *engine, size_t depth, double time)
{
    if (depth < top_lock(engine))
        depth = top_lock(engine);
    if (depth > engine->running.count)
        depth = engine->running.count;
    for (size_t place = depth; place < engine->running.count; place++)
        end_call(engine, place, time);
    engine->running.count = depth;
    engine->left_by_cut = depth;
    engine->last_cut = time;
}

static int begin_call(struct engine *engine, uint32_t node, const struct item_stack *stack, struct error *error)
{
    size_t call = engine->out->calls.count;
    if (call >= calls_limit(engine->options))
        return calls_too_many(engine->options, error);
    if (!vec_push(&engine->running, ((struct running_call){(uint32_t)call, node})) ||
        !vec_push(&engine->out->calls,
                  ((struct call){
                      .ts = stack->ts, .dur = 0, .self = NAN, .node = node, .depth = -1, .sample_index = stack->sample_index})))
        return error_out_of_memory(error);
    return 0;
}

/* Nodes can be noted where they are not in their own stack: the collector on top of others, or what hidden nodes call. Nobody
 * asks for them there. */
static bool is_known(const struct engine *engine, size_t place, uint32_t node)
{
    return place < engine->running.count && engine->running.items[place].node == node;
}

/* Collects the frames of a stack from the leaf on, down to the lock or to one that is known. *place is that of the last frame
 * collected. */
static int collect_frames(struct engine *engine, uint32_t leaf, size_t lock, size_t *place, struct error *error)
{
    uint32_t node = shown_node(engine, leaf);
    size_t at = engine->shown[leaf];
    bool fits = true;
    engine->frames.count = 0;
    for (; fits && at > lock && !is_known(engine, at - 1, node); at--) {
        fits = vec_push(&engine->frames, node);
        node = shown_node(engine, engine->model->nodes.items[node].parent);
    }
    *place = at;
    return fits ? 0 : error_out_of_memory(error);
}

/* The running calls become those of the stack. */
static int follow_stack(struct engine *engine, const struct item_stack *stack, struct error *error)
{
    const struct cpu_model *model = engine->model;
    size_t lock = top_lock(engine);
    size_t shown = engine->shown[stack->leaf];
    size_t length = shown + stack->garbage_on_top;
    size_t place;
    int result = collect_frames(engine, stack->leaf, lock, &place, error);
    if (result != 0)
        return result;
    if (place < lock)
        place = lock; /* what is below the lock is taken on trust */
    for (; place < length && place < engine->running.count; place++) {
        struct running_call *running = &engine->running.items[place];
        uint32_t node = place == shown ? model->garbage : engine->frames.items[shown - 1 - place];
        if (!same_function(model, node, engine->out->calls.items[running->call].node))
            break;
        running->node = node;
    }
    cut(engine, place, stack->ts);
    for (; result == 0 && place < length; place++) {
        uint32_t node = place == shown ? model->garbage : engine->frames.items[shown - 1 - place];
        if (!is_hidden(engine, node))
            result = begin_call(engine, node, stack, error);
    }
    return result;
}

/* --- items --- */

static double event_end(const struct trace_event *event)
{
    return event->ts + event->dur;
}

static void end_event(struct engine *engine)
{
    struct open_event ended = engine->open.items[--engine->open.count];
    size_t depth = pop_lock(engine);
    cut(engine, depth, event_end(&engine->out->thread->events.items[ended.row]));
}

/* Only the innermost event is looked at: one that has ended waits for those within it that have not. */
static void end_events(struct engine *engine, double time)
{
    while (engine->open.count > 0 &&
           time >= event_end(&engine->out->thread->events.items[engine->open.items[engine->open.count - 1].row]))
        end_event(engine);
}

static bool top_takes_samples(const struct engine *engine)
{
    return engine->open.count > 0 && engine->open.items[engine->open.count - 1].takes_samples;
}

static bool has_trace_id(const struct trace_event *event)
{
    return event->sample_trace_id != 0 && !isnan(event->sample_trace_id);
}

/* The node of the stack that was taken for the event; INDEX_NONE where there is none. */
static uint32_t event_leaf(const struct engine *engine, const struct trace_event *event)
{
    if (!has_trace_id(event))
        return INDEX_NONE;
    double id = trace_profile_stack(engine->model->profile, event->sample_trace_id);
    return id == 0 || isnan(id) ? INDEX_NONE : cpu_model_find(engine->model, id);
}

static int start_event(struct engine *engine, uint32_t row, struct error *error)
{
    const struct trace_event *event = &engine->out->thread->events.items[row];
    if (event->phase == 'I' && !has_trace_id(event))
        return 0;
    end_events(engine, event->ts);

    struct trace_name name = trace_name_read(string_table_get(&engine->trace->strings, event->name));
    if (name.is_task) {
        engine->locks.count = 0;
        cut(engine, 0, event->ts);
        engine->fake = false;
    }
    if (engine->fake) {
        size_t depth = pop_lock(engine);
        cut(engine, depth, event->ts);
        engine->fake = false;
    }
    uint32_t leaf = event_leaf(engine, event);
    if (leaf == INDEX_NONE) {
        cut(engine, engine->running.count, event->ts); /* what runs still runs */
    } else {
        /* Without a sample before it nobody knows what the collector interrupted: the stack is empty, as the root's is. */
        struct item_stack stack = {leaf == engine->model->garbage ? 0 : leaf, false, event->ts, -1};
        int result = follow_stack(engine, &stack, error);
        if (result != 0)
            return result;
    }
    if (engine->options->rules == TRACE_RULES_NEWEST && has_trace_id(event) && !top_takes_samples(engine))
        engine->fake = true;
    if (!vec_push(&engine->locks, (uint32_t)engine->running.count) ||
        !vec_push(&engine->open, ((struct open_event){row, name.is_scripts})))
        return error_out_of_memory(error);
    return 0;
}

static int take_sample(struct engine *engine, const struct item_stack *stack, struct error *error)
{
    end_events(engine, stack->ts);
    if (engine->fake || top_takes_samples(engine))
        return follow_stack(engine, stack, error);
    if (engine->running.count > 0)
        return 0; /* the event that is open runs no scripts, so the sample may be of anything */
    engine->fake = true;
    int result = follow_stack(engine, stack, error);
    if (result == 0 && !vec_push(&engine->locks, 0))
        result = error_out_of_memory(error);
    return result;
}

/* Of equal times events that last come first, then the sample, then events that do not. */
static bool event_before_sample(const struct trace_event *event, double ts)
{
    return event->ts < ts || (!(event->ts > ts) && event_end(event) > ts);
}

static int run(struct engine *engine, struct error *error)
{
    const struct cpu_model *model = engine->model;
    const struct trace_thread *thread = engine->out->thread;
    uint32_t event = 0;
    uint32_t before = INDEX_NONE; /* the node that the collector interrupts */
    int result = 0;
    for (size_t sample = 0; result == 0 && sample < model->samples.count; sample++) {
        uint32_t node = model->samples.items[sample];
        if (node == INDEX_NONE)
            continue;
        double ts = model->times.items[sample] * 1000;
        for (; result == 0 && event < thread->events.count && event_before_sample(&thread->events.items[event], ts); event++)
            result = start_event(engine, event, error);
        if (result != 0)
            break;
        struct item_stack stack = {node, false, ts, (int64_t)sample};
        if (node == model->garbage) {
            stack.leaf = before == INDEX_NONE ? 0 : before;
            stack.garbage_on_top = before != INDEX_NONE;
        }
        if (node != model->garbage || before == INDEX_NONE)
            before = node;
        result = take_sample(engine, &stack, error);
    }
    for (; result == 0 && event < thread->events.count; event++)
        result = start_event(engine, event, error);
    if (result != 0)
        return result;
    while (engine->open.count > 0)
        end_event(engine);
    for (size_t place = 0; place < engine->left_by_cut; place++)
        end_call(engine, place, engine->last_cut);
    return 0;
}

int calls_from_trace(struct thread_calls *calls, const struct trace *trace, const struct calls_options *options,
                     struct error *error)
{
    const struct cpu_model *model = calls->model;
    if (!model)
        return 0;
    if (calls->thread->events.count >= INDEX_NONE)
        return error_set(error, -E2BIG, "a thread of the trace has more than 4 billion events");
    struct engine engine = {.out = calls, .model = model, .trace = trace, .options = options};
    engine.hidden[0] = id_of(model, 0);
    engine.hidden[1] = id_of(model, model->program);
    engine.hidden[2] = id_of(model, model->idle);
    engine.hidden[3] = id_of(model, model->garbage);
    int result = count_shown(&engine, error);
    if (result == 0)
        result = run(&engine, error);
    memory_release(engine.shown);
    vec_free(&engine.open);
    vec_free(&engine.running);
    vec_free(&engine.locks);
    vec_free(&engine.frames);
    vec_trim(&calls->calls);
    return result;
}
