#include "tree/step.h"

#include "tree/shared.h"

/* Gives `to` an array of its own in place of the one it shares with `from`. False when the heap is empty. */
static bool own_array(uint32_t **array, size_t count)
{
    shared_drop(*array);
    *array = shared_array(count, sizeof **array);
    return *array != NULL;
}

int step_begin(struct step *step, const struct view *from, unsigned changes, struct view *to, struct error *error)
{
    if (changes & STEP_ROWS)
        changes |= STEP_PREFIX | STEP_FUNC | STEP_MAP;
    *to = view_share(from);
    *step = (struct step){.from = from, .to = to, .changes = changes};
    bool fits = true;
    if (changes & STEP_PREFIX)
        fits &= own_array(&to->prefix, from->count);
    if (changes & STEP_FUNC)
        fits &= own_array(&to->func, from->count);
    if (changes & STEP_ROWS) {
        fits &= own_array(&to->frame, from->count);
        fits &= own_array(&to->pair, from->count);
        to->count = 0;
    }
    if (changes & STEP_MAP)
        fits &= (step->map = shared_array(from->count, sizeof *step->map)) != NULL;
    if (changes & STEP_STATE)
        fits &= (step->state = memory_array(from->count, sizeof *step->state)) != NULL;
    if (fits)
        return 0;
    shared_drop(step->map);
    memory_release(step->state);
    view_free(to);
    return error_out_of_memory(error);
}

/* `first`, then `second`; a NULL map moves nothing. NULL when the heap is empty. */
static uint32_t *map_compose(const uint32_t *first, size_t count, uint32_t *second)
{
    if (!first)
        return shared_keep(second);
    uint32_t *both = shared_array(count, sizeof *both);
    for (size_t i = 0; both && i < count; i++)
        both[i] = first[i] == INDEX_NONE ? INDEX_NONE : second[first[i]];
    return both;
}

static int step_move(struct step *step, struct error *error)
{
    struct view *to = step->to;
    size_t count = view_source_count(to);
    bool same = to->sample_map == to->cause_map;
    uint32_t *samples = map_compose(to->sample_map, count, step->map);
    if (!samples)
        return error_out_of_memory(error);
    shared_drop(to->sample_map);
    to->sample_map = samples;
    if (step->changes & STEP_SAMPLES_ONLY)
        return 0;
    uint32_t *causes = same ? shared_keep(samples) : map_compose(to->cause_map, count, step->map);
    if (!causes)
        return error_out_of_memory(error);
    shared_drop(to->cause_map);
    to->cause_map = causes;
    return 0;
}

int step_end(struct step *step, struct error *error)
{
    int status = step->changes & STEP_MAP ? step_move(step, error) : 0;
    shared_drop(step->map);
    memory_release(step->state);
    if (status != 0)
        view_free(step->to);
    return status;
}
