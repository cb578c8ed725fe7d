#include "tree/tiers.h"

#include <math.h>

/* Fills the tier of each frame; false where none has any. */
static bool find_tiers(const struct profile *profile, uint8_t *tier_of)
{
    const struct frame_table *frames = &profile->frames;
    struct string_index titles[TIER_COUNT];
    bool any = false;
    for (enum frame_tier tier = TIER_NONE + 1; tier < TIER_COUNT; tier++)
        titles[tier] = string_table_find(&profile->strings, slice_of(frame_tier_title(tier)));
    for (size_t i = 0; i < frame_count(frames); i++) {
        uint32_t category = column_get_index(&frames->category, i), sub = column_get_index(&frames->subcategory, i);
        tier_of[i] = TIER_NONE;
        if (category >= profile->categories.rows.count || sub >= profile->categories.rows.items[category].subcategories.count)
            continue;
        struct string_index name = profile->categories.rows.items[category].subcategories.items[sub];
        for (enum frame_tier tier = TIER_NONE + 1; tier < TIER_COUNT; tier++)
            if (string_exists(titles[tier]) && string_same(titles[tier], name))
                tier_of[i] = (uint8_t)tier;
        any |= tier_of[i] != TIER_NONE;
    }
    return any;
}

/* The weight of each stack of the view, with those of the stacks above it. */
static void add_up(const struct answer *answer, double *weight)
{
    const struct view *view = &answer->view;
    for (uint32_t i = 0; i < answer->weights.count; i++) {
        uint32_t stack = view_sample_stack(view, i);
        if (answer->weights.rows[i] > 0 && stack != INDEX_NONE)
            weight[stack] += fabs(answer->weights.weight[i]);
    }
    for (uint32_t i = view->count; i-- > 0;)
        if (view->prefix[i] != INDEX_NONE)
            weight[view->prefix[i]] += weight[i];
}

int tier_list_build(const struct answer *answer, struct tier_list *list, struct error *error)
{
    const struct view *view = &answer->view;
    uint32_t func_count = view->funcs->count;
    size_t frames = frame_count(&view->profile->frames);
    uint8_t *tier_of = memory_array(frames + 1, 1);
    double *weight = NULL;
    *list = (struct tier_list){0};
    bool done = tier_of;
    if (done && !func_list_is_grouped(view->funcs) && find_tiers(view->profile, tier_of)) {
        list->of_func = memory_zeroed((size_t)func_count + 1, sizeof *list->of_func);
        list->count = func_count;
        weight = memory_zeroed((size_t)view->count + 1, sizeof *weight);
        done = list->of_func && weight;
    }
    if (done && list->of_func) {
        add_up(answer, weight);
        for (uint32_t i = 0; i < view->count; i++) {
            enum frame_tier tier = view->frame[i] < frames ? (enum frame_tier)tier_of[view->frame[i]] : TIER_NONE;
            if (tier != TIER_NONE && view->func[i] < func_count)
                list->of_func[view->func[i]].weight[tier] += weight[i];
        }
    }
    memory_release(tier_of);
    memory_release(weight);
    return done ? 0 : error_out_of_memory(error);
}

void tier_list_free(struct tier_list *list)
{
    memory_release(list->of_func);
    *list = (struct tier_list){0};
}

double tier_list_share(const struct tier_list *list, uint32_t func, enum frame_tier tier)
{
    double all = 0;
    if (!list->of_func || func >= list->count)
        return 0;
    const struct func_tiers *tiers = &list->of_func[func];
    for (size_t i = 0; i < TIER_COUNT; i++)
        all += tiers->weight[i];
    return all > 0 ? tiers->weight[tier] / all : 0;
}

struct main_tier tier_list_main(const struct tier_list *list, uint32_t func)
{
    struct main_tier found = {TIER_NONE, 0};
    for (enum frame_tier tier = TIER_NONE + 1; tier < TIER_COUNT; tier++) {
        double share = tier_list_share(list, func, tier);
        if (share > found.share)
            found = (struct main_tier){tier, share};
    }
    return found;
}
