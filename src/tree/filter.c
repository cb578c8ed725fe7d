#include "tree/filter.h"

#include "tree/func_search.h"
#include "tree/shared.h"
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

/* Drops the stacks in which not all of the terms from `first` on were found, or one that excludes. `state` collects what was
 * found from the root. */
static void search_stacks(const struct func_search *search, size_t first, struct step *step)
{
    uint32_t wanted = func_search_wanted(search, first);
    const struct view *from = step->from;
    size_t categories = from->profile->categories.rows.count;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t category = pair_category(from->pair[stack]);
        uint32_t found = search->of_func[from->func[stack]] | (category < categories ? search->of_category[category] : 0);
        step->state[stack] = of_prefix(from, step->state, stack, 0) | found;
        if (step->state[stack] != wanted)
            step->map[stack] = INDEX_NONE;
    }
}

/* Stacks that the search kept are dropped, and those that it dropped are kept. */
static void turn_round(struct step *step)
{
    for (uint32_t stack = 0; stack < step->from->count; stack++)
        step->map[stack] = step->map[stack] == INDEX_NONE ? stack : INDEX_NONE;
}

static int search_run(struct func_search *search, const struct view *from, bool keep, struct view *to, struct error *error)
{
    struct step step;
    int status = step_begin(&step, from, STEP_MAP | STEP_STATE, to, error);
    if (status != 0)
        return status;
    for (uint32_t stack = 0; stack < from->count; stack++)
        step.map[stack] = stack;
    bool searched = true;
    for (size_t first = 0; searched && first < search->terms.of_stacks.count; first += TERMS_PER_PASS) {
        searched = func_search_pass(search, first, from->funcs);
        if (searched)
            search_stacks(search, first, &step);
    }
    if (!keep)
        turn_round(&step);
    status = step_end(&step, error);
    if (status == 0 && !searched) {
        view_free(to);
        status = error_out_of_memory(error);
    }
    return status;
}

/* Hides the threads whose names do not have all that is wanted of them, or something that is excluded. */
static int search_threads(struct search_terms *terms, struct view *view, struct error *error)
{
    const struct profile *profile = view->profile;
    uint8_t *hidden = shared_array(profile->threads.count, 1);
    bool fits = hidden != NULL;
    for (size_t i = 0; fits && i < profile->threads.count; i++) {
        struct slice name = profile_text(profile, profile->threads.items[i].name), lowered;
        fits = search_terms_lower(terms, name, &lowered);
        hidden[i] = view->hidden_threads && view->hidden_threads[i];
        for (size_t k = 0; fits && k < terms->of_threads.count; k++) {
            const struct search_term *term = &terms->of_threads.items[k];
            hidden[i] |= search_term_is_in(term, name, lowered) == term->excludes;
        }
    }
    if (!fits) {
        shared_drop(hidden);
        view_free(view);
        return error_out_of_memory(error);
    }
    shared_drop(view->hidden_threads);
    view->hidden_threads = hidden;
    return 0;
}

int filter_search(const struct view *from, struct slice text, struct view *to, struct error *error)
{
    struct func_search search;
    *to = (struct view){0};
    int status = func_search_open(&search, from->funcs, text, error);
    if (status == 0 && search.terms.of_stacks.count > 0)
        status = search_run(&search, from, true, to, error);
    else if (status == 0)
        *to = view_share(from);
    if (status == 0 && search.terms.of_threads.count > 0)
        status = search_threads(&search.terms, to, error);
    func_search_free(&search);
    return status;
}

int filter_search_out(const struct view *from, struct slice text, struct view *to, struct error *error)
{
    struct func_search search;
    *to = (struct view){0};
    int status = func_search_open(&search, from->funcs, text, error);
    if (status == 0)
        status = search_run(&search, from, false, to, error);
    func_search_free(&search);
    return status;
}
