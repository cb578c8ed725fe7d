#include "api/func_matches.h"

#include "tree/func_search.h"

static bool match_funcs(const struct func_list *funcs, struct slice text, uint8_t *of_func)
{
    struct func_search search;
    bool fits = func_search_open(&search, funcs, text);
    for (size_t first = 0; fits && first < search.terms.count; first += TERMS_PER_PASS) {
        fits = func_search_pass(&search, first, funcs);
        for (uint32_t func = 0; func < funcs->count && fits; func++)
            of_func[func] |= search.of_func[func] != 0;
    }
    func_search_free(&search);
    return fits;
}

const uint8_t *func_matches_get(struct func_matches *matches, const struct func_list *funcs, struct slice text)
{
    if (matches->made && slice_equal(text_slice(&matches->text), text))
        return matches->of_func;
    func_matches_free(matches);
    matches->of_func = memory_zeroed(funcs->count, 1);
    text_add(&matches->text, text);
    matches->made = matches->of_func && !matches->text.failed && match_funcs(funcs, text, matches->of_func);
    return matches->made ? matches->of_func : NULL;
}

void func_matches_free(struct func_matches *matches)
{
    text_free(&matches->text);
    memory_release(matches->of_func);
    *matches = (struct func_matches){0};
}
