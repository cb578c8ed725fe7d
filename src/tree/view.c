#include "tree/view.h"

#include "tree/shared.h"

#include <errno.h>

/* ---- owning ---- */

static struct time_filter *time_filter_keep(struct time_filter *filter)
{
    return shared_keep(filter);
}

static void time_filter_drop(struct time_filter *filter)
{
    while (filter) {
        struct time_filter *before = filter->before;
        if (!shared_drop(filter))
            return;
        filter = before;
    }
}

struct view view_share(const struct view *view)
{
    struct view copy = *view;
    func_list_keep(view->funcs);
    shared_keep(view->prefix);
    shared_keep(view->frame);
    shared_keep(view->func);
    shared_keep(view->pair);
    shared_keep(view->sample_map);
    shared_keep(view->cause_map);
    time_filter_keep(view->times);
    shared_keep(view->hidden_threads);
    return copy;
}

void view_free(struct view *view)
{
    func_list_drop(view->funcs);
    shared_drop(view->prefix);
    shared_drop(view->frame);
    shared_drop(view->func);
    shared_drop(view->pair);
    shared_drop(view->sample_map);
    shared_drop(view->cause_map);
    time_filter_drop(view->times);
    shared_drop(view->hidden_threads);
    *view = (struct view){0};
}

/* ---- the profile as it is ---- */

/* The columns of all frames that stacks inherit from. */
struct frame_columns {
    uint32_t *func, *category, *subcategory;
};

static void frame_columns_free(struct frame_columns *frames)
{
    memory_release(frames->func);
    memory_release(frames->category);
    memory_release(frames->subcategory);
}

static int frame_columns_read(const struct frame_table *table, struct frame_columns *frames, struct error *error)
{
    size_t count = frame_count(table);
    *frames = (struct frame_columns){
        .func = memory_array(count, sizeof(uint32_t)),
        .category = memory_array(count, sizeof(uint32_t)),
        .subcategory = memory_array(count, sizeof(uint32_t)),
    };
    if (!frames->func || !frames->category || !frames->subcategory) {
        frame_columns_free(frames);
        return error_out_of_memory(error);
    }
    column_read_u32(&table->func, 0, count, frames->func);
    column_read_u32(&table->category, 0, count, frames->category);
    column_read_u32(&table->subcategory, 0, count, frames->subcategory);
    return 0;
}

/* The pair of each frame that has a category, in place of the category. A pair is never INDEX_NONE, because no category but
 * PAIR_NO_CATEGORY has that upper half. */
static int frame_columns_pair(struct frame_columns *frames, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t category = frames->category[i], subcategory = frames->subcategory[i];
        if (category == INDEX_NONE)
            continue;
        if (subcategory == INDEX_NONE)
            subcategory = 0;
        if (category >= PAIR_NO_CATEGORY || subcategory > UINT16_MAX)
            return error_set(error, -ERANGE, "frame %zu: category %u, subcategory %u: more than a call tree can tell apart", i,
                             category, subcategory);
        frames->category[i] = pair_of(category, subcategory);
    }
    return 0;
}

static void view_inherit(struct view *view, const struct frame_columns *frames)
{
    for (uint32_t stack = 0; stack < view->count; stack++) {
        uint32_t frame = view->frame[stack], prefix = view->prefix[stack];
        uint32_t pair = frames->category[frame];
        view->func[stack] = frames->func[frame];
        if (pair == INDEX_NONE)
            pair = prefix == INDEX_NONE ? view->default_pair : view->pair[prefix];
        view->pair[stack] = pair;
    }
}

static uint32_t default_pair(const struct profile *profile)
{
    struct category_index category = category_list_default(&profile->categories, &profile->strings);
    return pair_of(category.i < PAIR_NO_CATEGORY ? category.i : PAIR_NO_CATEGORY, 0);
}

int view_open(const struct profile *profile, struct view *view, struct error *error)
{
    size_t count = stack_count(&profile->stacks);
    struct frame_columns frames;
    *view = (struct view){0};
    int status = frame_columns_read(&profile->frames, &frames, error);
    if (status != 0)
        return status;
    *view = (struct view){
        .profile = profile,
        .funcs = func_list_create(profile),
        .default_pair = default_pair(profile),
        .count = (uint32_t)count,
        .prefix = shared_array(count, sizeof(uint32_t)),
        .frame = shared_array(count, sizeof(uint32_t)),
        .func = shared_array(count, sizeof(uint32_t)),
        .pair = shared_array(count, sizeof(uint32_t)),
    };
    if (!view->funcs || !view->prefix || !view->frame || !view->func || !view->pair)
        status = error_out_of_memory(error);
    else
        status = frame_columns_pair(&frames, frame_count(&profile->frames), error);
    if (status == 0) {
        stack_table_read_prefixes(&profile->stacks, view->prefix);
        column_read_u32(&profile->stacks.frame, 0, count, view->frame);
        view_inherit(view, &frames);
    } else {
        view_free(view);
    }
    frame_columns_free(&frames);
    return status;
}
