#include "api/base_profile.h"

#include "tree/func_keys.h"
#include "tree/transform_text.h"

#include <errno.h>
#include <math.h>

struct base_profile *base_profile_open(const struct profile *profile, const char *name, struct error *error)
{
    struct base_profile *base = memory_zeroed(1, sizeof *base);
    if (!base) {
        error_out_of_memory(error);
        return NULL;
    }
    base->profile = profile;
    base->name = memory_array(strlen(name) + 1, 1);
    if (!base->name)
        error_out_of_memory(error);
    if (!base->name || view_open(profile, &base->whole, error) != 0) {
        memory_release(base->name);
        memory_release(base);
        return NULL;
    }
    memcpy(base->name, name, strlen(name) + 1);
    if (first_view_make(profile, &base->first, error) == 0)
        return base;
    base_profile_close(base);
    return NULL;
}

void base_profile_close(struct base_profile *base)
{
    if (!base)
        return;
    base_profile_forget_funcs(base);
    first_view_free(&base->first);
    view_free(&base->whole);
    memory_release(base->name);
    memory_release(base);
}

void base_profile_forget_funcs(struct base_profile *base)
{
    memory_release(base->func_of);
    base->func_of = NULL;
}

/* ---- functions ---- */

enum { OF_BASE, OF_NEW };

/* For each func of the list its key; false when the heap is empty. */
static bool add_keys(struct func_keys *keys, const struct func_list *funcs, int side, uint32_t *key_of)
{
    bool fits = key_of != NULL;
    for (uint32_t func = 0; func < funcs->own_count && fits; func++) {
        key_of[func] = func_keys_add(keys, funcs, func, 1u << side);
        fits = key_of[func] != INDEX_NONE;
    }
    return fits;
}

static uint32_t find_resource(const struct func_list *funcs, struct slice name)
{
    for (uint32_t i = 0; i < funcs->profile->resources.rows.count; i++)
        if (slice_equal(func_list_name(funcs, func_list_collapsed(funcs, i)), name))
            return i;
    return INDEX_NONE;
}

/* What stands for all functions of a library is known by its name. */
static void match_resources(const struct base_profile *base, const struct func_list *funcs)
{
    for (uint32_t func = funcs->own_count; func < funcs->count; func++) {
        uint32_t resource = find_resource(base->whole.funcs, func_list_name(funcs, func));
        base->func_of[func] = resource == INDEX_NONE ? INDEX_NONE : func_list_collapsed(base->whole.funcs, resource);
    }
}

/* As functions are matched that are compared; of several with one name the first. */
static void match_funcs(const struct base_profile *base, const struct func_list *funcs, const struct func_keys *keys,
                        uint32_t *const key_of[2], uint32_t *func_of_key)
{
    for (size_t i = 0; i < keys->rows.count; i++)
        func_of_key[i] = INDEX_NONE;
    for (uint32_t func = base->whole.funcs->own_count; func-- > 0;)
        func_of_key[func_keys_of(keys, key_of[OF_BASE][func])] = func;
    for (uint32_t func = 0; func < funcs->own_count; func++)
        base->func_of[func] = func_of_key[func_keys_of(keys, key_of[OF_NEW][func])];
    match_resources(base, funcs);
}

static int find_funcs(struct base_profile *base, const struct func_list *funcs, struct error *error)
{
    if (base->func_of)
        return 0;
    struct func_keys keys = {0};
    const struct func_list *lists[] = {[OF_BASE] = base->whole.funcs, [OF_NEW] = funcs};
    uint32_t *key_of[2], *func_of_key = NULL;
    base->func_of = memory_array((size_t)funcs->count + 1, sizeof *base->func_of);
    bool fits = base->func_of != NULL;
    for (int side = OF_BASE; side <= OF_NEW; side++) {
        key_of[side] = memory_array((size_t)lists[side]->own_count + 1, sizeof *key_of[side]);
        fits = fits && add_keys(&keys, lists[side], side, key_of[side]);
    }
    fits = fits && func_keys_join(&keys, error) == 0;
    if (fits)
        func_of_key = memory_array(keys.rows.count + 1, sizeof *func_of_key);
    if (func_of_key)
        match_funcs(base, funcs, &keys, key_of, func_of_key);
    else
        base_profile_forget_funcs(base);
    memory_release(func_of_key);
    memory_release(key_of[OF_BASE]);
    memory_release(key_of[OF_NEW]);
    func_keys_free(&keys);
    return base->func_of ? 0 : error_out_of_memory(error);
}

/* ---- transforms ---- */

/* A category of the same name; INDEX_NONE matches nothing. */
static uint32_t category_in(const struct base_profile *base, const struct profile *profile, uint32_t category)
{
    const struct category_list *theirs = &base->profile->categories;
    if (category >= profile->categories.rows.count)
        return INDEX_NONE;
    struct slice name = profile_text(profile, profile->categories.rows.items[category].name);
    for (uint32_t i = 0; i < theirs->rows.count; i++)
        if (slice_equal(profile_text(base->profile, theirs->rows.items[i].name), name))
            return i;
    return INDEX_NONE;
}

/* Its copy, with functions of the base. */
static int carry_over(const struct base_profile *base, const struct view *whole, const struct transform *transform,
                      enum implementation implementation, struct transform *carried, struct error *error)
{
    struct text_buffer text = {0};
    transform_print(transform, whole->funcs, implementation, &text);
    int status = text.failed ? error_out_of_memory(error)
                             : transform_parse(whole->funcs, text_slice(&text), implementation, carried, error);
    text_free(&text);
    if (status != 0)
        return status;
    if (carried->func < whole->funcs->count)
        carried->func = base->func_of[carried->func];
    for (size_t i = 0; i < carried->path.funcs.count; i++)
        carried->path.funcs.items[i] = base->func_of[carried->path.funcs.items[i]];
    if (carried->type == COLLAPSE_RESOURCE && carried->func != INDEX_NONE)
        carried->resource = carried->func - base->whole.funcs->own_count;
    if (carried->type == FOCUS_CATEGORY)
        carried->category = category_in(base, whole->profile, carried->category);
    return 0;
}

static int carry_transforms(const struct base_profile *base, const struct view *whole, const struct state *state,
                            struct state *asked, struct error *error)
{
    for (size_t i = 0; i < state->query.transform_count; i++) {
        struct transform carried;
        int status = carry_over(base, whole, &state->query.transforms[i], state->query.implementation, &carried, error);
        if (status != 0)
            return status;
        /* There is nothing of the library that could be collapsed. */
        if (carried.type == COLLAPSE_RESOURCE && carried.func == INDEX_NONE) {
            transform_free(&carried);
        } else if (!vec_push(&asked->transforms.items, carried)) {
            transform_free(&carried);
            return error_out_of_memory(error);
        }
    }
    return 0;
}

/* ---- threads ---- */

static bool is_chosen(const struct state *state, uint32_t thread)
{
    for (size_t i = 0; i < state->threads.count; i++)
        if (state->threads.items[i].i == thread)
            return true;
    return false;
}

static bool are_first(const struct first_view *first, const struct state *state)
{
    bool same = first->selected.count == state->threads.count;
    for (size_t i = 0; i < state->threads.count && same; i++)
        same = first->selected.items[i].i == state->threads.items[i].i;
    return same;
}

/* Thread `number` of the base is the nth of its name: whether the nth of that name of `profile` is chosen, or all are. */
static bool has_partner(const struct base_profile *base, uint32_t number, const struct profile *profile,
                        const struct state *state)
{
    struct slice name = profile_text(base->profile, base->profile->threads.items[number].name);
    size_t before = 0, called_so = 0, chosen = 0;
    for (uint32_t i = 0; i < number; i++)
        before += slice_equal(profile_text(base->profile, base->profile->threads.items[i].name), name);
    bool partner = false;
    for (uint32_t i = 0; i < profile->threads.count; i++)
        if (slice_equal(profile_text(profile, profile->threads.items[i].name), name)) {
            partner |= called_so++ == before && is_chosen(state, i);
            chosen += is_chosen(state, i);
        }
    return partner || (chosen > 0 && chosen == called_so);
}

static bool choose_threads(const struct base_profile *base, const struct profile *profile, const struct first_view *first,
                           const struct state *state, struct state *asked)
{
    bool fits = true, of_first = are_first(first, state), all = state->threads.count == profile->threads.count;
    for (uint32_t i = 0; i < base->profile->threads.count && fits && !(of_first && !all); i++)
        if (all || has_partner(base, i, profile, state))
            fits = vec_push(&asked->threads, thread_at(i));
    for (size_t i = 0; i < base->first.selected.count && fits && of_first && !all; i++)
        fits = vec_push(&asked->threads, base->first.selected.items[i]);
    return fits;
}

/* ---- the question ---- */

int base_profile_query(struct base_profile *base, const struct view *whole, const struct first_view *first,
                       const struct state *state, struct state *asked, struct error *error)
{
    *asked = (struct state){.query = state->query};
    int status = find_funcs(base, whole->funcs, error);
    if (status == 0 && !choose_threads(base, whole->profile, first, state, asked))
        status = error_out_of_memory(error);
    if (status == 0)
        status = carry_transforms(base, whole, state, asked, error);
    struct query *query = &asked->query;
    query->range = query->preview = (struct time_range){NAN, NAN};
    query->threads = asked->threads.items;
    query->thread_count = asked->threads.count;
    query->transforms = asked->transforms.items.items;
    query->transform_count = asked->transforms.items.count;
    return status;
}
