#include "tree/transform.h"

#include "tree/marker_ranges.h"
#include "tree/step.h"

#include <errno.h>

void transform_free(struct transform *transform)
{
    path_free(&transform->path);
    memory_release(transform->text);
    *transform = (struct transform){0};
}

void transform_list_free(struct transform_list *list)
{
    for (size_t i = 0; i < list->items.count; i++)
        transform_free(&list->items.items[i]);
    vec_free(&list->items);
}

/* States of a stack that are not row numbers or lengths. */
#define STATE_NONE (UINT32_MAX - 1)

static bool shows(const struct transform *transform, const struct view *view, uint32_t func)
{
    return func_list_shows(view->funcs, transform->implementation, func);
}

/* How much of the path is matched at a stack, given how much of it was at its parent; STATE_NONE where the path leads
 * elsewhere. A function of the path matches even where the implementation hides it. */
static uint32_t match_next(const struct transform *transform, const struct view *view, uint32_t matched, uint32_t func)
{
    if (func == transform->path.funcs.items[matched])
        return matched + 1;
    return shows(transform, view, func) ? STATE_NONE : matched;
}

/* ---- focus ---- */

static void focus_subtree(const struct transform *transform, struct step *step)
{
    const struct view *from = step->from;
    size_t length = transform->path.funcs.count;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t matched = of_prefix(from, step->state, stack, 0);
        step->map[stack] = INDEX_NONE;
        if (matched == length) {
            step->map[stack] = step_keep(step, stack, of_prefix(from, step->map, stack, INDEX_NONE));
        } else if (matched != STATE_NONE) {
            matched = match_next(transform, from, matched, from->func[stack]);
            if (matched == length)
                step->map[stack] = step_keep(step, stack, INDEX_NONE);
        }
        step->state[stack] = matched;
    }
}

/* From the leaf up: the stack that the path ends at, INDEX_NONE where it leads elsewhere. `next` holds the nearest stack from
 * each one upwards that is shown, so that long runs of hidden frames are passed over at once. */
static uint32_t match_upwards(const struct transform *transform, const struct view *view, const uint32_t *next, uint32_t stack)
{
    const struct path *path = &transform->path;
    size_t matched = 0;
    while (stack != INDEX_NONE) {
        uint32_t wanted = path->funcs.items[matched];
        if (wanted >= view->funcs->count || shows(transform, view, wanted))
            stack = next[stack];
        if (stack == INDEX_NONE)
            break;
        if (view->func[stack] == wanted) {
            if (++matched == path->funcs.count)
                return stack;
        } else if (shows(transform, view, view->func[stack])) {
            break;
        }
        stack = view->prefix[stack];
    }
    return INDEX_NONE;
}

static void focus_subtree_inverted(const struct transform *transform, struct step *step)
{
    const struct view *from = step->from;
    bool everything = transform->path.funcs.count == 0;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        bool shown = shows(transform, from, from->func[stack]);
        step->state[stack] = shown ? stack : of_prefix(from, step->state, stack, INDEX_NONE);
        step->map[stack] = everything ? stack : match_upwards(transform, from, step->state, stack);
    }
}

static void focus_function(const struct transform *transform, struct step *step)
{
    const struct view *from = step->from;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t prefix = of_prefix(from, step->map, stack, INDEX_NONE);
        bool keep = prefix != INDEX_NONE || from->func[stack] == transform->func;
        step->map[stack] = keep ? step_keep(step, stack, prefix) : INDEX_NONE;
    }
}

static void focus_self(const struct transform *transform, struct step *step)
{
    const struct view *from = step->from;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t prefix = of_prefix(from, step->map, stack, INDEX_NONE);
        uint32_t func = from->func[stack];
        step->map[stack] = INDEX_NONE;
        if (func == transform->func)
            step->map[stack] = step_keep(step, stack, INDEX_NONE);
        else if (prefix != INDEX_NONE && !shows(transform, from, func))
            step->map[stack] = step_keep(step, stack, prefix);
    }
}

static void focus_category(const struct transform *transform, struct step *step)
{
    const struct view *from = step->from;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t prefix = of_prefix(from, step->map, stack, INDEX_NONE);
        bool keep = pair_category(from->pair[stack]) == transform->category;
        step->map[stack] = keep ? step_keep(step, stack, prefix) : prefix;
    }
}

/* ---- merge and drop: merged stacks stay in the table, with nothing below them ---- */

static void merge_call_node(const struct transform *transform, struct step *step)
{
    const struct view *from = step->from;
    size_t length = transform->path.funcs.count;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t prefix = of_prefix(from, step->map, stack, INDEX_NONE);
        uint32_t matched = length > 0 ? of_prefix(from, step->state, stack, 0) : STATE_NONE;
        if (matched != STATE_NONE)
            matched = match_next(transform, from, matched, from->func[stack]);
        bool merge = matched == length;
        step->to->prefix[stack] = prefix;
        step->map[stack] = merge ? prefix : stack;
        step->state[stack] = merge ? STATE_NONE : matched;
    }
}

static void merge_function(const struct transform *transform, struct step *step)
{
    const struct view *from = step->from;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t prefix = of_prefix(from, step->map, stack, INDEX_NONE);
        step->to->prefix[stack] = prefix;
        step->map[stack] = from->func[stack] == transform->func ? prefix : stack;
    }
}

static void drop_function(const struct transform *transform, struct step *step)
{
    const struct view *from = step->from;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        bool dropped = from->func[stack] == transform->func || of_prefix(from, step->map, stack, 0) == INDEX_NONE;
        step->map[stack] = dropped ? INDEX_NONE : stack;
    }
}

/* ---- collapse ---- */

/* `state` is the parent of the outermost call of the chain a stack is in, STATE_NONE outside of chains. Inner calls become
 * siblings of the outermost one, and so fall into the same call node. */
static void collapse_direct_recursion(const struct transform *transform, struct step *step)
{
    const struct view *from = step->from;
    const uint32_t *funcs = step->to->func;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t prefix = from->prefix[stack], func = funcs[stack];
        uint32_t chain = of_prefix(from, step->state, stack, STATE_NONE);
        if (chain == STATE_NONE)
            chain = func == transform->func ? prefix : STATE_NONE;
        else if (shows(transform, from, func)) {
            if (func == transform->func)
                prefix = chain;
            else
                chain = STATE_NONE;
        }
        step->to->prefix[stack] = prefix;
        step->state[stack] = chain;
    }
}

static void collapse_resource(const struct transform *transform, struct step *step)
{
    const struct view *from = step->from;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t func = from->func[stack];
        step->to->func[stack] = from->funcs->resource[func] == transform->resource ? transform->func : func;
    }
    collapse_direct_recursion(transform, step);
}

/* `state` is the parent of the outermost call above a stack, STATE_NONE where there is none. */
static void collapse_recursion(const struct transform *transform, struct step *step)
{
    const struct view *from = step->from;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t prefix = from->prefix[stack];
        uint32_t outer = of_prefix(from, step->state, stack, STATE_NONE);
        bool is_call = from->func[stack] == transform->func;
        if (is_call && outer == STATE_NONE)
            outer = prefix;
        step->to->prefix[stack] = is_call ? outer : prefix;
        step->state[stack] = outer;
    }
}

static void collapse_function_subtree(const struct transform *transform, struct step *step)
{
    const struct view *from = step->from;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t outermost = of_prefix(from, step->state, stack, STATE_NONE);
        if (outermost == STATE_NONE && from->func[stack] == transform->func)
            outermost = stack;
        step->state[stack] = outermost;
        step->map[stack] = outermost == STATE_NONE ? stack : outermost;
    }
}

/* ---- filter-samples ---- */

static bool path_holds(const struct path *path, uint32_t func)
{
    for (size_t i = 0; i < path->funcs.count; i++)
        if (path->funcs.items[i] == func)
            return true;
    return false;
}

static void filter_function_include(const struct transform *transform, struct step *step)
{
    const struct view *from = step->from;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        bool included = of_prefix(from, step->map, stack, INDEX_NONE) != INDEX_NONE;
        step->map[stack] = included || path_holds(&transform->path, from->func[stack]) ? stack : INDEX_NONE;
    }
}

static void filter_stack_prefix(const struct transform *transform, struct step *step)
{
    const struct view *from = step->from;
    const struct path *path = &transform->path;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t matched = of_prefix(from, step->state, stack, 0);
        if (matched < path->funcs.count)
            matched = from->func[stack] == path->funcs.items[matched] ? matched + 1 : STATE_NONE;
        step->state[stack] = matched;
        step->map[stack] = matched == path->funcs.count ? stack : INDEX_NONE;
    }
}

static void filter_stack_suffix(const struct transform *transform, struct step *step)
{
    for (uint32_t stack = 0; stack < step->from->count; stack++)
        step->map[stack] = step->from->func[stack] == transform->path.funcs.items[0] ? stack : INDEX_NONE;
}

static int filter_markers(const struct transform *transform, const struct view *from, const struct thread_index *threads,
                          size_t thread_count, struct view *to, struct error *error)
{
    struct time_ranges ranges = {0};
    struct slice search = slice_of(transform->text ? transform->text : "");
    int status = marker_ranges_find(from->profile, threads, thread_count, search, &ranges, error);
    if (status == 0)
        status = time_ranges_filter(from, &ranges, transform->filter == FILTER_OUTSIDE_MARKER, to, error);
    vec_free(&ranges.items);
    return status;
}

/* ---- all of them ---- */

struct recipe {
    unsigned changes;
    void (*run)(const struct transform *transform, struct step *step);
};

static const struct recipe recipes[TRANSFORM_TYPES] = {
    [FOCUS_SUBTREE] = {STEP_ROWS | STEP_STATE, focus_subtree},
    [FOCUS_FUNCTION] = {STEP_ROWS, focus_function},
    [FOCUS_SELF] = {STEP_ROWS, focus_self},
    [FOCUS_CATEGORY] = {STEP_ROWS, focus_category},
    [MERGE_CALL_NODE] = {STEP_PREFIX | STEP_MAP | STEP_STATE, merge_call_node},
    [MERGE_FUNCTION] = {STEP_PREFIX | STEP_MAP, merge_function},
    [DROP_FUNCTION] = {STEP_MAP, drop_function},
    [COLLAPSE_RESOURCE] = {STEP_PREFIX | STEP_FUNC | STEP_STATE, collapse_resource},
    [COLLAPSE_DIRECT_RECURSION] = {STEP_PREFIX | STEP_STATE, collapse_direct_recursion},
    [COLLAPSE_RECURSION] = {STEP_PREFIX | STEP_STATE, collapse_recursion},
    [COLLAPSE_FUNCTION_SUBTREE] = {STEP_MAP | STEP_STATE, collapse_function_subtree},
};

static const struct recipe inverted_focus = {STEP_MAP | STEP_STATE, focus_subtree_inverted};

static const struct recipe sample_filters[SAMPLE_FILTERS] = {
    [FILTER_FUNCTION_INCLUDE] = {STEP_MAP | STEP_SAMPLES_ONLY, filter_function_include},
    [FILTER_STACK_PREFIX] = {STEP_MAP | STEP_SAMPLES_ONLY | STEP_STATE, filter_stack_prefix},
    [FILTER_STACK_SUFFIX] = {STEP_MAP | STEP_SAMPLES_ONLY, filter_stack_suffix},
};

static const struct recipe *recipe_of(const struct transform *transform)
{
    if (transform->type == FILTER_SAMPLES)
        return &sample_filters[transform->filter];
    if (transform->type == FOCUS_SUBTREE && transform->inverted)
        return &inverted_focus;
    return &recipes[transform->type];
}

int transform_apply(const struct transform *transform, const struct view *from, const struct thread_index *threads,
                    size_t thread_count, struct view *to, struct error *error)
{
    *to = (struct view){0};
    if (transform_is_search(transform))
        return search_change_apply(transform_search_change(transform), transform_search(transform), from, to, error);
    const struct recipe *recipe = recipe_of(transform);
    if (!recipe->run)
        return filter_markers(transform, from, threads, thread_count, to, error);
    if (transform->type == FILTER_SAMPLES && transform->path.funcs.count == 0)
        return error_set(error, -EINVAL, "filter-samples: no function is named");
    if (transform->type == COLLAPSE_RESOURCE && transform->func >= from->funcs->count)
        return error_set(error, -EINVAL, "collapse-resource: there is no function f-%u", transform->func);
    struct step step;
    int status = step_begin(&step, from, recipe->changes, to, error);
    if (status != 0)
        return status;
    recipe->run(transform, &step);
    return step_end(&step, error);
}
