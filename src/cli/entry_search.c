#include "cli/entry_search.h"

#include "common/lower_case.h"
#include "trace/entry_names.h"

#include <errno.h>

static const uint32_t is_known = (uint32_t)1 << ENTRY_SEARCH_TERMS;

static struct slice trimmed(struct slice text)
{
    while (text.length > 0 && text.text[0] == ' ')
        text = slice_from(text, 1);
    while (text.length > 0 && text.text[text.length - 1] == ' ')
        text.length--;
    return text;
}

static int add_terms(struct entry_search *search, const char *text, struct error *error)
{
    for (;; text++) {
        struct slice term = trimmed((struct slice){text, strcspn(text, ",")});
        text += strcspn(text, ",");
        if (search->term_count == ENTRY_SEARCH_TERMS)
            return error_set(error, -E2BIG, "--search: more than %d texts", ENTRY_SEARCH_TERMS);
        char *lower = arena_bytes(&search->arena, lower_case_room(term) + 1);
        if (!lower)
            return error_out_of_memory(error);
        if (term.length > 0)
            search->terms[search->term_count++] = (struct slice){lower, lower_case(term, lower)};
        if (*text == '\0')
            return 0;
    }
}

int entry_search_init(struct entry_search *search, const struct trace *trace, const char *text, struct error *error)
{
    *search = (struct entry_search){.trace = trace};
    if (!text)
        return 0;
    search->known = memory_zeroed(string_table_count(&trace->strings) + 1, sizeof *search->known);
    return search->known ? add_terms(search, text, error) : error_out_of_memory(error);
}

void entry_search_free(struct entry_search *search)
{
    arena_free(&search->arena);
    memory_release(search->known);
    vec_free(&search->lower);
}

static uint32_t terms_in(struct entry_search *search, struct slice text)
{
    if (!vec_reserve(&search->lower, lower_case_room(text) + 1)) {
        search->failed = true;
        return 0;
    }
    struct slice lower = {search->lower.items, lower_case(text, search->lower.items)};
    uint32_t found = is_known;
    for (size_t i = 0; i < search->term_count; i++)
        found |= (uint32_t)slice_contains(lower, search->terms[i]) << i;
    return found;
}

static uint32_t terms_of(struct entry_search *search, struct string_index string)
{
    if (!string_exists(string))
        return 0;
    uint32_t *known = &search->known[string.i];
    if (*known == 0)
        *known = terms_in(search, string_table_get(&search->trace->strings, string));
    return *known;
}

bool entry_search_finds(struct entry_search *search, const struct thread_calls *calls, struct call_entry entry)
{
    uint32_t wanted = ((uint32_t)1 << search->term_count) - 1;
    if (wanted == 0)
        return true;
    uint32_t found;
    if (entry.is_call) {
        const struct trace_node *node = call_node(calls, entry.row);
        found = terms_of(search, node->function) | terms_of(search, node->url);
        if (string_table_get(&search->trace->strings, node->function).length == 0)
            found |= terms_in(search, call_display_name(search->trace, node));
    } else {
        found = terms_of(search, calls->thread->events.items[entry.row].name);
    }
    return (found & wanted) == wanted;
}
