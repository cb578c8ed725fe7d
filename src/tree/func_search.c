#include "tree/func_search.h"

#include "common/lower_case.h"

void func_search_free(struct func_search *search)
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

static bool search_split(struct func_search *search, struct slice text)
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

bool func_search_open(struct func_search *search, const struct func_list *funcs, struct slice text)
{
    const struct profile *profile = funcs->profile;
    *search = (struct func_search){
        .of_resource = memory_array(profile->resources.rows.count, sizeof(uint32_t)),
        .of_source = memory_array(profile->sources.rows.count, sizeof(uint32_t)),
        .of_func = memory_array(funcs->count, sizeof(uint32_t)),
    };
    return search->of_resource && search->of_source && search->of_func && search_split(search, text);
}

/* Which of the terms from `first` on are in `text`. False when the heap is empty. */
static bool search_text(struct func_search *search, size_t first, struct slice text, uint32_t *found)
{
    *found = 0;
    if (!vec_reserve(&search->scratch, lower_case_room(text) + 1))
        return false;
    struct slice lowered = {search->scratch.items, lower_case(text, search->scratch.items)};
    for (size_t i = 0; i < TERMS_PER_PASS && first + i < search->terms.count; i++)
        *found |= (uint32_t)slice_contains(lowered, search->terms.items[first + i]) << i;
    return true;
}

bool func_search_pass(struct func_search *search, size_t first, const struct func_list *funcs)
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
