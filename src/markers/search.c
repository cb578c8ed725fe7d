#include "markers/search.h"

#include "common/decimal.h"
#include "common/lower_case.h"
#include "markers/field.h"

#include <math.h>

enum needle_answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

/* ---- needles ---- */

static bool needles_add(struct needles *needles, struct slice text)
{
    return vec_push(&needles->texts, text);
}

static bool needles_prepare(struct needles *needles, size_t string_count)
{
    if (needles->texts.count == 0)
        return true;
    needles->known = memory_zeroed(string_count > 0 ? string_count : 1, 1);
    return needles->known != NULL;
}

static void needles_free(struct needles *needles)
{
    vec_free(&needles->texts);
    memory_release(needles->known);
}

static bool needles_in(const struct needles *needles, struct marker_search *search, struct slice text)
{
    if (!vec_reserve(&search->lower.bytes, lower_case_room(text) + 1)) {
        search->failed = true;
        return false;
    }
    struct slice lower = {search->lower.bytes.items, lower_case(text, search->lower.bytes.items)};
    for (size_t i = 0; i < needles->texts.count; i++)
        if (slice_contains(lower, needles->texts.items[i]))
            return true;
    return false;
}

/* Each string is looked at once, however many markers have it. */
static bool needles_in_string(const struct needles *needles, struct marker_search *search, struct string_index string)
{
    if (needles->texts.count == 0 || !string_exists(string))
        return false;
    uint8_t *known = &needles->known[string.i];
    if (*known == ANSWER_UNKNOWN)
        *known = needles_in(needles, search, marker_text(&search->catalog->texts, string)) ? ANSWER_YES : ANSWER_NO;
    return *known == ANSWER_YES;
}

static bool needles_in_value(const struct needles *needles, struct marker_search *search, const uint8_t *at)
{
    struct value value = value_read(at);
    if (value.kind == VALUE_STRING)
        return needles_in_string(needles, search, value.string);
    if (needles->texts.count == 0 || value.kind == VALUE_NULL)
        return false;
    text_cut(&search->text, 0);
    field_add_text(&search->text, search->catalog, at);
    search->failed |= search->text.failed;
    return needles_in(needles, search, text_slice(&search->text));
}

/* ---- terms ---- */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_key_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The length of the key in `key:text`; 0 where the term has another form. */
static size_t key_length(struct slice term)
{
    size_t length = 0;
    while (length < term.length && is_key_character(term.text[length]))
        length++;
    return length + 1 < term.length && term.text[length] == ':' ? length : 0;
}

static bool key_is(const struct marker_search *search, struct string_index key, struct slice lower)
{
    struct slice text = marker_text(&search->catalog->texts, key);
    char folded[256];
    if (lower_case_room(text) > sizeof folded)
        return false;
    return slice_equal((struct slice){folded, lower_case(text, folded)}, lower);
}

static bool find_schema_keys(const struct marker_search *search, struct field_search *field)
{
    for (size_t i = 0; i < search->catalog->schemas.count; i++) {
        const struct marker_schema *schema = search->catalog->schemas.items[i];
        for (size_t j = 0; j < schema->fields.count; j++) {
            struct string_index key = schema->fields.items[j].key;
            if (key_is(search, key, field->key) && !vec_push(&field->keys, key))
                return false;
        }
    }
    return true;
}

/* What is looked for in the field `key`; NULL when the heap is empty. */
static struct field_search *field_search_of(struct marker_search *search, struct slice key)
{
    for (size_t i = 0; i < search->fields.count; i++)
        if (slice_equal(search->fields.items[i].key, key))
            return &search->fields.items[i];
    struct field_search field = {
        .key = key,
        .is_name = slice_is(key, "name"),
        .is_category = slice_is(key, "cat"),
        .is_type = slice_is(key, "type"),
    };
    if (find_schema_keys(search, &field) && vec_push(&search->fields, field))
        return &search->fields.items[search->fields.count - 1];
    vec_free(&field.keys);
    return NULL;
}

/* One side of a duration; without a unit in ms. */
static bool read_side(struct slice text, double *ms)
{
    *ms = NAN;
    double seconds;
    if (text.length == 0)
        return true;
    if (!parse_time(text.text, text.length, 1e-3, &seconds))
        return false;
    *ms = seconds * 1e3;
    return true;
}

/* "1ms..20ms", "5ms..", "..2s". What has another form is a text as any other. */
static bool read_durations(struct marker_search *search, struct slice text)
{
    double shortest, longest;
    size_t dots = 0;
    while (dots + 1 < text.length && memcmp(text.text + dots, "..", 2) != 0)
        dots++;
    if (dots + 1 >= text.length || !read_side(slice_until(text, dots), &shortest) ||
        !read_side(slice_from(text, dots + 2), &longest))
        return false;
    search->shortest = fmax(search->shortest, shortest);
    search->longest = fmin(search->longest, longest);
    return true;
}

/* `term` is in lower case and lives as long as the search. */
static bool add_term(struct marker_search *search, struct slice term)
{
    bool minus = term.text[0] == '-';
    struct slice rest = slice_from(term, minus);
    size_t length = key_length(rest);
    if (length == 0) {
        search->any_wanted = true;
        return needles_add(&search->anywhere, term);
    }
    if (!minus && slice_is(slice_until(rest, length), "duration") && read_durations(search, slice_from(rest, length + 1)))
        return true;
    struct field_search *field = field_search_of(search, slice_until(rest, length));
    if (!field)
        return false;
    struct slice text = slice_from(rest, length + 1);
    if (minus) {
        search->any_unwanted = true;
        return needles_add(&field->unwanted, text);
    }
    search->any_wanted = true;
    return needles_add(&field->wanted, text) && needles_add(&search->anywhere, term);
}

static bool add_terms(struct marker_search *search, struct slice terms)
{
    char *lower = arena_bytes(&search->arena, lower_case_room(terms) + 1);
    if (!lower)
        return false;
    struct slice rest = {lower, lower_case(terms, lower)};
    while (rest.length > 0) {
        const char *comma = memchr(rest.text, ',', rest.length);
        struct slice term = slice_until(rest, comma ? (size_t)(comma - rest.text) : rest.length);
        rest = slice_from(rest, comma ? term.length + 1 : term.length);
        while (term.length > 0 && is_space(term.text[0]))
            term = slice_from(term, 1);
        while (term.length > 0 && is_space(term.text[term.length - 1]))
            term.length--;
        if (term.length > 0 && !add_term(search, term))
            return false;
    }
    return true;
}

static bool prepare(struct marker_search *search)
{
    size_t strings =
        string_table_count(&search->catalog->texts.profile->strings) + string_table_count(&search->catalog->texts.added);
    bool ok = needles_prepare(&search->anywhere, strings);
    for (size_t i = 0; i < search->fields.count; i++)
        ok = ok && needles_prepare(&search->fields.items[i].wanted, strings) &&
             needles_prepare(&search->fields.items[i].unwanted, strings);
    return ok;
}

int marker_search_init(struct marker_search *search, const struct marker_catalog *catalog, struct slice terms,
                       struct error *error)
{
    *search = (struct marker_search){.catalog = catalog, .shortest = NAN, .longest = NAN};
    if (!add_terms(search, terms) || !prepare(search))
        return error_out_of_memory(error);
    return 0;
}

void marker_search_free(struct marker_search *search)
{
    needles_free(&search->anywhere);
    for (size_t i = 0; i < search->fields.count; i++) {
        vec_free(&search->fields.items[i].keys);
        needles_free(&search->fields.items[i].wanted);
        needles_free(&search->fields.items[i].unwanted);
    }
    vec_free(&search->fields);
    arena_free(&search->arena);
    text_free(&search->text);
    text_free(&search->lower);
}

/* ---- matching ---- */

static bool means_key(const struct field_search *field, struct string_index key)
{
    for (size_t i = 0; i < field->keys.count; i++)
        if (string_same(field->keys.items[i], key))
            return true;
    return false;
}

static struct string_index category_name(const struct marker_search *search, const struct marker *marker)
{
    const struct category_list *categories = &search->catalog->texts.profile->categories;
    return marker->category.i < categories->rows.count ? categories->rows.items[marker->category.i].name : STRING_NONE;
}

/* Whether one of the terms with a key, wanted or not, is met by the name, the category or the type. */
static bool fields_in_head(struct marker_search *search, const struct marker *marker, bool wanted)
{
    for (size_t i = 0; i < search->fields.count; i++) {
        const struct field_search *field = &search->fields.items[i];
        const struct needles *needles = wanted ? &field->wanted : &field->unwanted;
        if ((field->is_name && needles_in_string(needles, search, marker->name)) ||
            (field->is_category && needles_in_string(needles, search, category_name(search, marker))) ||
            (field->is_type && needles_in_string(needles, search, marker_payload_type(&search->catalog->texts, marker->data))))
            return true;
    }
    return false;
}

static bool fields_in_value(struct marker_search *search, struct string_index key, const uint8_t *value, bool wanted)
{
    for (size_t i = 0; i < search->fields.count; i++) {
        const struct field_search *field = &search->fields.items[i];
        if (means_key(field, key) && needles_in_value(wanted ? &field->wanted : &field->unwanted, search, value))
            return true;
    }
    return false;
}

/* The value of a field that takes part in searches, or NULL. */
static const uint8_t *searchable_value(const struct marker_search *search, const struct marker *marker,
                                       const struct schema_field *field)
{
    const uint8_t *at = value_find(marker->data, field->key);
    if (!at)
        return NULL;
    struct value value = value_read(at);
    if (value.kind == VALUE_NULL || (field_format_is_string_index(field->format) && value.kind != VALUE_STRING))
        return NULL;
    return value.kind == VALUE_STRING && marker_text(&search->catalog->texts, value.string).length == 0 ? NULL : at;
}

static bool payload_matches(struct marker_search *search, const struct marker *marker, bool wanted)
{
    if (!marker->data)
        return false;
    const struct marker_schema *schema =
        marker_catalog_schema(search->catalog, marker_payload_type(&search->catalog->texts, marker->data));
    for (size_t i = 0; schema && i < schema->fields.count; i++) {
        const struct schema_field *field = &schema->fields.items[i];
        const uint8_t *value = searchable_value(search, marker, field);
        if (value && ((wanted && needles_in_value(&search->anywhere, search, value)) ||
                      fields_in_value(search, field->key, value, wanted)))
            return true;
    }
    return false;
}

static bool head_matches(struct marker_search *search, const struct marker *marker)
{
    const struct needles *anywhere = &search->anywhere;
    return needles_in_string(anywhere, search, category_name(search, marker)) ||
           needles_in_string(anywhere, search, marker->name) ||
           needles_in_string(anywhere, search, marker_payload_type(&search->catalog->texts, marker->data));
}

static bool lasts_as_wanted(const struct marker_search *search, const struct marker *marker)
{
    double duration = marker->end - marker->start;
    bool is_any = isnan(search->shortest) && isnan(search->longest);
    return is_any || (!(duration < search->shortest) && !(duration > search->longest) && !isnan(duration));
}

bool marker_search_matches(struct marker_search *search, const struct marker *marker)
{
    if (!lasts_as_wanted(search, marker))
        return false;
    if (search->any_wanted && !head_matches(search, marker) && !fields_in_head(search, marker, true) &&
        !payload_matches(search, marker, true))
        return false;
    return !search->any_unwanted || (!fields_in_head(search, marker, false) && !payload_matches(search, marker, false));
}
