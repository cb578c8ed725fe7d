#include "tree/search_change.h"

#include "tree/filter.h"
#include "tree/func_search.h"
#include "tree/step.h"

#include <errno.h>

static bool looks_at(const struct search_terms *terms, enum search_field field)
{
    for (size_t i = 0; i < terms->of_stacks.count; i++)
        if (terms->of_stacks.items[i].field == field)
            return true;
    return false;
}

int search_change_check(enum search_change change, struct slice text, struct error *error)
{
    struct search_terms terms;
    bool of_funcs = change == SEARCH_MERGE || change == SEARCH_COLLAPSE;
    int status = search_terms_read(&terms, text, error);
    if (status == 0 && terms.of_stacks.count + terms.of_threads.count == 0)
        status = error_set(error, -EINVAL, "nothing is searched for");
    else if (status == 0 && change != SEARCH_KEEP && terms.of_threads.count > 0)
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
static uint8_t *choose(struct slice text, const struct func_list *funcs, struct error *error)
{
    uint8_t *chosen = memory_array(funcs->count, 1);
    if (!chosen)
        error_out_of_memory(error);
    else if (func_search_choose(funcs, text, chosen, error) != 0) {
        memory_release(chosen);
        chosen = NULL;
    }
    return chosen;
}

static int apply_to_funcs(bool merge, struct slice text, const struct view *from, struct view *to, struct error *error)
{
    uint8_t *chosen = choose(text, from->funcs, error);
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

int search_change_apply(enum search_change change, struct slice text, const struct view *from, struct view *to,
                        struct error *error)
{
    *to = (struct view){0};
    int status = search_change_check(change, text, error);
    if (status != 0)
        return status;
    if (change == SEARCH_KEEP)
        return filter_search(from, text, to, error);
    if (change == SEARCH_DROP)
        return filter_search_out(from, text, to, error);
    return apply_to_funcs(change == SEARCH_MERGE, text, from, to, error);
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

int search_change_paths(enum search_change change, struct slice text, const struct func_list *funcs, struct path *paths,
                        size_t count, struct error *error)
{
    if (change != SEARCH_MERGE && change != SEARCH_COLLAPSE)
        return 0;
    uint8_t *chosen = choose(text, funcs, error);
    if (!chosen)
        return error->code;
    for (size_t i = 0; i < count; i++)
        rewrite(&paths[i], chosen, funcs->count, change == SEARCH_MERGE);
    memory_release(chosen);
    return 0;
}
