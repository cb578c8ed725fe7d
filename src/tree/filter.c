#include "tree/filter.h"

#include "tree/func_search.h"
#include "tree/step.h"

/* ---- implementation ---- */

int filter_implementation(const struct view *from, enum implementation implementation, struct view *to, struct error *error)
{
    if (implementation == IMPLEMENTATION_COMBINED) {
        *to = view_share(from);
        return 0;
    }
    struct step step;
    int status = step_begin(&step, from, STEP_ROWS, to, error);
    if (status != 0)
        return status;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t prefix = of_prefix(from, step.map, stack, INDEX_NONE);
        bool shown = func_list_shows(from->funcs, implementation, from->func[stack]);
        step.map[stack] = shown ? step_keep(&step, stack, prefix) : prefix;
    }
    return step_end(&step, error);
}

/* ---- search ---- */

/* Drops the stacks in which not all of the terms from `first` on were found. `state` collects what was found from the root. */
static void search_stacks(const struct func_search *search, size_t first, struct step *step)
{
    uint32_t all = func_search_all(search, first);
    const struct view *from = step->from;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        step->state[stack] = of_prefix(from, step->state, stack, 0) | search->of_func[from->func[stack]];
        if (step->state[stack] != all)
            step->map[stack] = INDEX_NONE;
    }
}

static int search_run(struct func_search *search, const struct view *from, struct view *to, struct error *error)
{
    struct step step;
    int status = step_begin(&step, from, STEP_MAP | STEP_STATE, to, error);
    if (status != 0)
        return status;
    for (uint32_t stack = 0; stack < from->count; stack++)
        step.map[stack] = stack;
    bool searched = true;
    for (size_t first = 0; searched && first < search->terms.count; first += TERMS_PER_PASS) {
        searched = func_search_pass(search, first, from->funcs);
        if (searched)
            search_stacks(search, first, &step);
    }
    status = step_end(&step, error);
    if (status == 0 && !searched) {
        view_free(to);
        status = error_out_of_memory(error);
    }
    return status;
}

int filter_search(const struct view *from, struct slice text, struct view *to, struct error *error)
{
    struct func_search search;
    int status = 0;
    *to = (struct view){0};
    if (!func_search_open(&search, from->funcs, text))
        status = error_out_of_memory(error);
    else if (search.terms.count == 0)
        *to = view_share(from);
    else
        status = search_run(&search, from, to, error);
    func_search_free(&search);
    return status;
}
