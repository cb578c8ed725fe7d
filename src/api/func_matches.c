#include "api/func_matches.h"

#include "tree/func_search.h"

int func_matches_make(struct func_matches *matches, const struct func_list *funcs, struct slice text, struct error *error)
{
    if (matches->of_func && slice_equal(text_slice(&matches->text), text))
        return 0;
    func_matches_free(matches);
    size_t categories = funcs->profile->categories.rows.count;
    matches->of_func = memory_zeroed(funcs->count + 1, 1);
    matches->of_category = memory_zeroed(categories + 1, 1);
    matches->category_count = categories;
    text_add(&matches->text, text);
    int status = matches->of_func && matches->of_category && !matches->text.failed
                     ? func_search_mark(funcs, text, matches->of_func, matches->of_category, error)
                     : error_out_of_memory(error);
    if (status != 0)
        func_matches_free(matches);
    return status;
}

void func_matches_free(struct func_matches *matches)
{
    text_free(&matches->text);
    memory_release(matches->of_func);
    memory_release(matches->of_category);
    *matches = (struct func_matches){0};
}
