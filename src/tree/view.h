/* A view: the stack table as filters and transforms have left it, and where each stack of the profile went.
 *
 *     sample ──▶ stack of the profile ──(sample_map)──▶ stack of the view ──▶ call node
 *
 * What a filter or transform does to a sample depends on its stack alone (times aside, see below). So samples are never
 * rewritten: a step makes a new view with another map, at a cost that grows with the number of stacks, not of samples. The
 * old view stays as it was, and taking the top of a transform stack away gives back exactly what was there before. Arrays
 * that a step does not change are shared between views.
 *
 * Parents stand before their children in every view. All arrays are plain numbers, INDEX_NONE = none. */
#ifndef SONDE_TREE_VIEW_H
#define SONDE_TREE_VIEW_H

#include "common/error.h"
#include "profile/profile.h"
#include "tree/func_list.h"

/* Category and subcategory in one number. The category of a profile without a grey one to fall back to is PAIR_NO_CATEGORY. */
enum { PAIR_NO_CATEGORY = 0xffff };

static inline uint32_t pair_of(uint32_t category, uint32_t subcategory)
{
    return category << 16 | subcategory;
}
static inline uint32_t pair_category(uint32_t pair)
{
    return pair >> 16;
}
static inline uint32_t pair_subcategory(uint32_t pair)
{
    return pair & 0xffff;
}

/* Half-open: start <= t < end. In ms of the profile's own time. */
struct time_range {
    double start, end;
};

/* Keeps samples and allocations by their time: inside, or outside, of some ranges. */
struct time_filter {
    struct time_filter *before; /* the filter this one comes on top of; shared */
    bool outside;
    size_t range_count;
    struct time_range ranges[]; /* ascending, apart from each other */
};

struct view {
    const struct profile *profile;
    struct func_list *funcs;
    uint32_t default_pair; /* what stacks without any category have */

    uint32_t count; /* stacks of this view */
    uint32_t *prefix, *frame, *func;
    uint32_t *pair; /* category and subcategory, inherited from the callers where the frame has none */

    uint32_t *sample_map;      /* for stacks of samples and allocations; NULL = nothing moved */
    uint32_t *cause_map;       /* the same for causes of markers, which sample filters leave alone */
    struct time_filter *times; /* NULL = all times; the newest first */
    uint8_t *hidden_threads;   /* for each thread of the profile: its samples and allocations do not count; NULL = all do */
};

/* The profile as it is. `view` needs no initialisation; on failure it is empty. The profile must outlive all its views. */
int view_open(const struct profile *profile, struct view *view, struct error *error);

/* A copy that shares everything with `view`. */
struct view view_share(const struct view *view);

void view_free(struct view *view);

/* Where a stack of the profile went; both may be INDEX_NONE. */
static inline uint32_t view_sample_stack(const struct view *view, uint32_t stack)
{
    return view->sample_map && stack != INDEX_NONE ? view->sample_map[stack] : stack;
}
static inline uint32_t view_cause_stack(const struct view *view, uint32_t stack)
{
    return view->cause_map && stack != INDEX_NONE ? view->cause_map[stack] : stack;
}

/* Number of stacks of the profile, i.e. rows of the maps. */
static inline uint32_t view_source_count(const struct view *view)
{
    return (uint32_t)stack_count(&view->profile->stacks);
}

#endif
