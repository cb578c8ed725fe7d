#include "tree/func_search.h"

void func_search_free(struct func_search *search)
{
    search_terms_free(&search->terms);
    memory_release(search->of_resource);
    memory_release(search->of_source);
    memory_release(search->of_func);
    memory_release(search->of_category);
}

int func_search_open(struct func_search *search, const struct func_list *funcs, struct slice text, struct error *error)
{
    const struct profile *profile = funcs->profile;
    *search = (struct func_search){
        .of_resource = memory_array(profile->resources.rows.count, sizeof(uint32_t)),
        .of_source = memory_array(profile->sources.rows.count, sizeof(uint32_t)),
        .of_func = memory_array(funcs->count, sizeof(uint32_t)),
        .of_category = memory_array(profile->categories.rows.count, sizeof(uint32_t)),
    };
    int status = search_terms_read(&search->terms, text, error);
    if (status == 0 && !(search->of_resource && search->of_source && search->of_func && search->of_category))
        status = error_out_of_memory(error);
    return status;
}

/* Which of the terms from `first` on are in `text`, of those that look into `field`. False when the heap is empty. */
static bool search_text(struct func_search *search, size_t first, enum search_field field, struct slice text, uint32_t *found)
{
    const search_term_list *terms = &search->terms.of_stacks;
    struct slice lowered;
    *found = 0;
    if (!search_terms_lower(&search->terms, text, &lowered))
        return false;
    for (size_t i = 0; i < TERMS_PER_PASS && first + i < terms->count; i++) {
        const struct search_term *term = &terms->items[first + i];
        bool looks = term->field == field || (term->field == SEARCH_ANYWHERE && field != SEARCH_CATEGORY);
        *found |= (uint32_t)(looks && search_term_is_in(term, text, lowered)) << i;
    }
    return true;
}

bool func_search_pass(struct func_search *search, size_t first, const struct func_list *funcs)
{
    const struct profile *profile = funcs->profile;
    for (size_t i = 0; i < profile->resources.rows.count; i++)
        if (!search_text(search, first, SEARCH_LIBRARY, profile_text(profile, profile->resources.rows.items[i].name),
                         &search->of_resource[i]))
            return false;
    for (size_t i = 0; i < profile->sources.rows.count; i++)
        if (!search_text(search, first, SEARCH_FILE, profile_text(profile, profile->sources.rows.items[i].filename),
                         &search->of_source[i]))
            return false;
    for (size_t i = 0; i < profile->categories.rows.count; i++)
        if (!search_text(search, first, SEARCH_CATEGORY, profile_text(profile, profile->categories.rows.items[i].name),
                         &search->of_category[i]))
            return false;
    for (uint32_t func = 0; func < funcs->count; func++) {
        if (!search_text(search, first, SEARCH_NAME, func_list_name(funcs, func), &search->of_func[func]))
            return false;
        if (funcs->resource[func] != INDEX_NONE)
            search->of_func[func] |= search->of_resource[funcs->resource[func]];
        if (funcs->source[func] != INDEX_NONE)
            search->of_func[func] |= search->of_source[funcs->source[func]];
    }
    return true;
}

uint32_t func_search_wanted(const struct func_search *search, size_t first)
{
    const search_term_list *terms = &search->terms.of_stacks;
    uint32_t wanted = 0;
    for (size_t i = 0; i < TERMS_PER_PASS && first + i < terms->count; i++)
        wanted |= (uint32_t)!terms->items[first + i].excludes << i;
    return wanted;
}

/* What some terms mark and others exclude. */
struct marks {
    uint8_t *funcs, *excluded, *categories; /* NULL = of no interest */
    bool any_wanted;
};

static int mark_all(const struct func_list *funcs, struct slice text, struct marks *marks, struct error *error)
{
    struct func_search search;
    int status = func_search_open(&search, funcs, text, error);
    for (size_t first = 0; status == 0 && first < search.terms.of_stacks.count; first += TERMS_PER_PASS) {
        if (!func_search_pass(&search, first, funcs)) {
            status = error_out_of_memory(error);
            break;
        }
        uint32_t wanted = func_search_wanted(&search, first);
        marks->any_wanted |= wanted != 0;
        for (uint32_t func = 0; func < funcs->count; func++) {
            marks->funcs[func] |= (search.of_func[func] & wanted) != 0;
            if (marks->excluded)
                marks->excluded[func] |= (search.of_func[func] & ~wanted) != 0;
        }
        for (size_t i = 0; marks->categories && i < funcs->profile->categories.rows.count; i++)
            marks->categories[i] |= (search.of_category[i] & wanted) != 0;
    }
    func_search_free(&search);
    return status;
}

int func_search_mark(const struct func_list *funcs, struct slice text, uint8_t *marked, uint8_t *categories,
                     struct error *error)
{
    memset(marked, 0, funcs->count);
    if (categories)
        memset(categories, 0, funcs->profile->categories.rows.count);
    return mark_all(funcs, text, &(struct marks){.funcs = marked, .categories = categories}, error);
}

int func_search_choose(const struct func_list *funcs, struct slice text, uint8_t *chosen, struct error *error)
{
    struct marks marks = {.funcs = chosen, .excluded = memory_zeroed(funcs->count, 1)};
    if (!marks.excluded)
        return error_out_of_memory(error);
    memset(chosen, 0, funcs->count);
    int status = mark_all(funcs, text, &marks, error);
    for (uint32_t func = 0; status == 0 && func < funcs->count; func++)
        chosen[func] = (chosen[func] || !marks.any_wanted) && !marks.excluded[func];
    memory_release(marks.excluded);
    return status;
}
