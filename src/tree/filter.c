#include "tree/filter.h"

#include "common/lower_case.h"
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

/* So many terms are looked for in one pass: a bit each. */
enum { TERMS_PER_PASS = 32 };

struct search {
    VEC(struct slice) terms; /* lower-cased; they point into `lowered` */
    char *lowered;
    VEC(char) scratch;     /* the text being looked at, lower-cased */
    uint32_t *of_resource; /* for each resource: the terms found in its name */
    uint32_t *of_source;   /* for each source: those found in its filename */
    uint32_t *of_func;     /* for each func: those found in any of its texts */
};

static void search_free(struct search *search)
{
    vec_free(&search->terms);
    vec_free(&search->scratch);
    memory_release(search->lowered);
    memory_release(search->of_resource);
    memory_release(search->of_source);
    memory_release(search->of_func);
}

static bool is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static struct slice trimmed(struct slice text)
{
    while (text.length > 0 && is_space(text.text[0]))
        text = slice_from(text, 1);
    while (text.length > 0 && is_space(text.text[text.length - 1]))
        text = slice_until(text, text.length - 1);
    return text;
}

static bool search_split(struct search *search, struct slice text)
{
    search->lowered = memory_array(lower_case_room(text), 1);
    if (!search->lowered)
        return false;
    struct slice rest = {search->lowered, lower_case(text, search->lowered)};
    for (;;) {
        const char *comma = rest.length > 0 ? memchr(rest.text, ',', rest.length) : NULL;
        struct slice term = trimmed(comma ? slice_until(rest, (size_t)(comma - rest.text)) : rest);
        if (term.length > 0 && !vec_push(&search->terms, term))
            return false;
        if (!comma)
            return true;
        rest = slice_from(rest, (size_t)(comma - rest.text) + 1);
    }
}

/* Which of the terms from `first` on are in `text`. False when the heap is empty. */
static bool search_text(struct search *search, size_t first, struct slice text, uint32_t *found)
{
    *found = 0;
    if (!vec_reserve(&search->scratch, lower_case_room(text) + 1))
        return false;
    struct slice lowered = {search->scratch.items, lower_case(text, search->scratch.items)};
    for (size_t i = 0; i < TERMS_PER_PASS && first + i < search->terms.count; i++)
        *found |= (uint32_t)slice_contains(lowered, search->terms.items[first + i]) << i;
    return true;
}

static bool search_all_texts(struct search *search, size_t first, const struct func_list *funcs)
{
    const struct profile *profile = funcs->profile;
    for (size_t i = 0; i < profile->resources.rows.count; i++)
        if (!search_text(search, first, profile_text(profile, profile->resources.rows.items[i].name), &search->of_resource[i]))
            return false;
    for (size_t i = 0; i < profile->sources.rows.count; i++)
        if (!search_text(search, first, profile_text(profile, profile->sources.rows.items[i].filename), &search->of_source[i]))
            return false;
    for (uint32_t func = 0; func < funcs->count; func++) {
        if (!search_text(search, first, func_list_name(funcs, func), &search->of_func[func]))
            return false;
        if (funcs->resource[func] != INDEX_NONE)
            search->of_func[func] |= search->of_resource[funcs->resource[func]];
        if (funcs->source[func] != INDEX_NONE)
            search->of_func[func] |= search->of_source[funcs->source[func]];
    }
    return true;
}

/* Drops the stacks in which not all of the terms from `first` on were found. `state` collects what was found from the root. */
static void search_stacks(const struct search *search, size_t first, struct step *step)
{
    size_t terms = search->terms.count - first;
    uint32_t all = terms >= TERMS_PER_PASS ? UINT32_MAX : (UINT32_C(1) << terms) - 1;
    const struct view *from = step->from;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        step->state[stack] = of_prefix(from, step->state, stack, 0) | search->of_func[from->func[stack]];
        if (step->state[stack] != all)
            step->map[stack] = INDEX_NONE;
    }
}

static int search_run(struct search *search, const struct view *from, struct view *to, struct error *error)
{
    struct step step;
    int status = step_begin(&step, from, STEP_MAP | STEP_STATE, to, error);
    if (status != 0)
        return status;
    for (uint32_t stack = 0; stack < from->count; stack++)
        step.map[stack] = stack;
    bool searched = true;
    for (size_t first = 0; searched && first < search->terms.count; first += TERMS_PER_PASS) {
        searched = search_all_texts(search, first, from->funcs);
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
    const struct profile *profile = from->profile;
    struct search search = {
        .of_resource = memory_array(profile->resources.rows.count, sizeof(uint32_t)),
        .of_source = memory_array(profile->sources.rows.count, sizeof(uint32_t)),
        .of_func = memory_array(from->funcs->count, sizeof(uint32_t)),
    };
    int status = 0;
    *to = (struct view){0};
    if (!search.of_resource || !search.of_source || !search.of_func || !search_split(&search, text))
        status = error_out_of_memory(error);
    else if (search.terms.count == 0)
        *to = view_share(from);
    else
        status = search_run(&search, from, to, error);
    search_free(&search);
    return status;
}
