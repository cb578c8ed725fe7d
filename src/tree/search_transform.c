#include "tree/search_transform.h"

#include "tree/filter.h"
#include "tree/func_search.h"
#include "tree/step.h"

#include <errno.h>

static struct slice text_of(const struct transform *transform)
{
    return transform->text ? slice_of(transform->text) : SLICE("");
}

static bool looks_at(const struct search_terms *terms, enum search_field field)
{
    for (size_t i = 0; i < terms->of_stacks.count; i++)
        if (terms->of_stacks.items[i].field == field)
            return true;
    return false;
}

int search_transform_check(enum transform_type type, struct slice text, struct error *error)
{
    struct search_terms terms;
    bool of_funcs = type == MERGE_MATCHING || type == COLLAPSE_MATCHING;
    int status = search_terms_read(&terms, text, error);
    if (status == 0 && terms.of_stacks.count + terms.of_threads.count == 0)
        status = error_set(error, -EINVAL, "nothing is searched for");
    else if (status == 0 && type != KEEP_MATCHING && terms.of_threads.count > 0)
        status = error_set(error, -EINVAL, "only keep-matching can look at threads");
    else if (status == 0 && of_funcs && looks_at(&terms, SEARCH_CATEGORY))
        status = error_set(error, -EINVAL, "a function has no category: only keep-matching and drop-matching look at them");
    search_terms_free(&terms);
    return status;
}

/* ---- functions ---- */

static void merge_chosen(const uint8_t *chosen, struct step *step)
{
    const struct view *from = step->from;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t prefix = of_prefix(from, step->map, stack, INDEX_NONE);
        step->to->prefix[stack] = prefix;
        step->map[stack] = chosen[from->func[stack]] ? prefix : stack;
    }
}

/* `state`: the outermost of the chosen ones that a stack is in. */
static void collapse_chosen(const uint8_t *chosen, struct step *step)
{
    const struct view *from = step->from;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t outermost = of_prefix(from, step->state, stack, INDEX_NONE);
        if (outermost == INDEX_NONE && chosen[from->func[stack]])
            outermost = stack;
        step->state[stack] = outermost;
        step->map[stack] = outermost == INDEX_NONE ? stack : outermost;
    }
}

/* The funcs that the search chooses, to be given to memory_release(); NULL on failure. */
static uint8_t *choose(const struct transform *transform, const struct func_list *funcs, struct error *error)
{
    uint8_t *chosen = memory_array(funcs->count, 1);
    if (!chosen)
        error_out_of_memory(error);
    else if (func_search_choose(funcs, text_of(transform), chosen, error) != 0) {
        memory_release(chosen);
        chosen = NULL;
    }
    return chosen;
}

static int apply_to_funcs(const struct transform *transform, const struct view *from, struct view *to, struct error *error)
{
    bool merge = transform->type == MERGE_MATCHING;
    uint8_t *chosen = choose(transform, from->funcs, error);
    if (!chosen)
        return error->code;
    struct step step;
    int status = step_begin(&step, from, merge ? STEP_PREFIX | STEP_MAP : STEP_MAP | STEP_STATE, to, error);
    if (status == 0) {
        (merge ? merge_chosen : collapse_chosen)(chosen, &step);
        status = step_end(&step, error);
    }
    memory_release(chosen);
    return status;
}

int search_transform_apply(const struct transform *transform, const struct view *from, struct view *to, struct error *error)
{
    int status = search_transform_check(transform->type, text_of(transform), error);
    if (status != 0)
        return status;
    if (transform->type == KEEP_MATCHING)
        return filter_search(from, text_of(transform), to, error);
    if (transform->type == DROP_MATCHING)
        return filter_search_out(from, text_of(transform), to, error);
    return apply_to_funcs(transform, from, to, error);
}

/* ---- paths ---- */

static void rewrite(struct path *path, const uint8_t *chosen, size_t func_count, bool merge)
{
    size_t kept = 0;
    for (size_t i = 0; i < path->funcs.count; i++) {
        uint32_t func = path->funcs.items[i];
        bool is_chosen = func < func_count && chosen[func];
        if (!is_chosen || !merge)
            path->funcs.items[kept++] = func;
        if (is_chosen && !merge)
            break;
    }
    path->funcs.count = kept;
}

int search_transform_paths(const struct transform *transform, const struct func_list *funcs, struct path *paths, size_t count,
                           struct error *error)
{
    if (transform->type != MERGE_MATCHING && transform->type != COLLAPSE_MATCHING)
        return 0;
    uint8_t *chosen = choose(transform, funcs, error);
    if (!chosen)
        return error->code;
    for (size_t i = 0; i < count; i++)
        rewrite(&paths[i], chosen, funcs->count, transform->type == MERGE_MATCHING);
    memory_release(chosen);
    return 0;
}
