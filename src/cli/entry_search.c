#include "cli/entry_search.h"

#include "trace/entry_names.h"

#include <errno.h>

static const uint32_t is_known = (uint32_t)1 << ENTRY_SEARCH_TERMS;

static int read_terms(struct entry_search *search, const char *text, struct error *error)
{
    int status = search_terms_read(&search->terms, slice_of(text), error);
    const search_term_list *terms = &search->terms.of_stacks;
    if (status == 0 && terms->count > ENTRY_SEARCH_TERMS)
        return error_set(error, -E2BIG, "--search: more than %d texts", ENTRY_SEARCH_TERMS);
    if (status == 0 && search->terms.of_threads.count > 0)
        return error_set(error, -EINVAL, "--search: calls have no thread:, choose it by --thread");
    for (size_t i = 0; status == 0 && i < terms->count; i++) {
        if (terms->items[i].field == SEARCH_CATEGORY)
            return error_set(error, -EINVAL, "--search: calls have no cat:, only names and files");
        *(terms->items[i].excludes ? &search->excluded : &search->wanted) |= (uint32_t)1 << i;
    }
    return status;
}

int entry_search_init(struct entry_search *search, const struct trace *trace, const char *text, struct error *error)
{
    *search = (struct entry_search){.trace = trace};
    if (!text)
        return 0;
    size_t count = string_table_count(&trace->strings) + 1;
    search->known_names = memory_zeroed(count, sizeof *search->known_names);
    search->known_places = memory_zeroed(count, sizeof *search->known_places);
    return search->known_names && search->known_places ? read_terms(search, text, error) : error_out_of_memory(error);
}

void entry_search_free(struct entry_search *search)
{
    search_terms_free(&search->terms);
    memory_release(search->known_names);
    memory_release(search->known_places);
}

static bool looks_at(const struct search_term *term, bool is_place)
{
    if (term->field == SEARCH_ANYWHERE)
        return true;
    return is_place ? term->field == SEARCH_FILE || term->field == SEARCH_LIBRARY : term->field == SEARCH_NAME;
}

static uint32_t terms_in(struct entry_search *search, struct slice text, bool is_place)
{
    const search_term_list *terms = &search->terms.of_stacks;
    struct slice lowered;
    if (!search_terms_lower(&search->terms, text, &lowered)) {
        search->failed = true;
        return 0;
    }
    uint32_t found = is_known;
    for (size_t i = 0; i < terms->count; i++)
        found |= (uint32_t)(looks_at(&terms->items[i], is_place) && search_term_is_in(&terms->items[i], text, lowered)) << i;
    return found;
}

static uint32_t terms_of(struct entry_search *search, struct string_index string, bool is_place)
{
    if (!string_exists(string))
        return 0;
    uint32_t *known = &(is_place ? search->known_places : search->known_names)[string.i];
    if (*known == 0)
        *known = terms_in(search, string_table_get(&search->trace->strings, string), is_place);
    return *known;
}

bool entry_search_finds(struct entry_search *search, const struct thread_calls *calls, struct call_entry entry)
{
    if (search->wanted == 0 && search->excluded == 0)
        return true;
    uint32_t found;
    if (entry.is_call) {
        const struct trace_function *function = call_function(calls, entry.row);
        found = terms_of(search, function->name, false) | terms_of(search, function->url, true);
        if (string_table_get(&search->trace->strings, function->name).length == 0)
            found |= terms_in(search, call_display_name(search->trace, function), false);
    } else {
        found = terms_of(search, calls->thread->events.items[entry.row].name, false);
    }
    return (found & search->wanted) == search->wanted && (found & search->excluded) == 0;
}
