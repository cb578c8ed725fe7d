/* Transforms: small values, each of which makes a new view from an old one.
 *
 *     merge-call-node A,B,C      A                A
 *                                └ B      ──▶     └ B
 *                                  └ C              └ D
 *                                    └ D
 *
 * A transform that has an implementation was made while only those frames were shown: functions it does not show are passed
 * over when the transform decides what is next to what. */
#ifndef SONDE_TREE_TRANSFORM_H
#define SONDE_TREE_TRANSFORM_H

#include "tree/path.h"
#include "tree/search_change.h"
#include "tree/view.h"

enum transform_type {
    FOCUS_SUBTREE,             /* path, implementation, inverted */
    FOCUS_FUNCTION,            /* func */
    FOCUS_SELF,                /* func, implementation */
    FOCUS_CATEGORY,            /* category */
    MERGE_CALL_NODE,           /* path, implementation */
    MERGE_FUNCTION,            /* func */
    DROP_FUNCTION,             /* func */
    COLLAPSE_RESOURCE,         /* resource, func = its reserved func, implementation */
    COLLAPSE_DIRECT_RECURSION, /* func, implementation */
    COLLAPSE_RECURSION,        /* func */
    COLLAPSE_FUNCTION_SUBTREE, /* func */
    FILTER_SAMPLES,            /* filter, and path or text */
    KEEP_MATCHING,             /* text: a search. These four in the order of enum search_change */
    DROP_MATCHING,             /* text */
    MERGE_MATCHING,            /* text */
    COLLAPSE_MATCHING,         /* text */
    TRANSFORM_TYPES
};

enum sample_filter {
    FILTER_MARKER_SEARCH,    /* text: during a marker that matches */
    FILTER_OUTSIDE_MARKER,   /* text: at any other time */
    FILTER_FUNCTION_INCLUDE, /* path: any of these functions is in the stack */
    FILTER_STACK_PREFIX,     /* path: the stack starts with exactly these */
    FILTER_STACK_SUFFIX,     /* path: the leaf is this one function */
    SAMPLE_FILTERS
};

struct transform {
    enum transform_type type;
    enum implementation implementation;
    bool inverted;
    enum sample_filter filter;
    uint32_t func; /* INDEX_NONE matches nothing */
    uint32_t resource;
    uint32_t category;
    struct path path;
    char *text; /* NUL-terminated, from memory_*; NULL = none */
};

void transform_free(struct transform *transform);

/* keep-matching to collapse-matching: what they do with what their text finds. */
static inline bool transform_is_search(const struct transform *transform)
{
    return transform->type >= KEEP_MATCHING && transform->type <= COLLAPSE_MATCHING;
}
static inline enum search_change transform_search_change(const struct transform *transform)
{
    return (enum search_change)(transform->type - KEEP_MATCHING);
}
static inline struct slice transform_search(const struct transform *transform)
{
    return slice_of(transform->text ? transform->text : "");
}

struct transform_list {
    VEC(struct transform) items;
};
void transform_list_free(struct transform_list *list);

/* Makes `to` from `from`, which stays as it is. `threads` are those whose markers a sample filter looks at. On failure `to`
 * is empty. */
int transform_apply(const struct transform *transform, const struct view *from, const struct thread_index *threads,
                    size_t thread_count, struct view *to, struct error *error);

#endif
