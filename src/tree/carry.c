#include "tree/carry.h"

#include "common/map.h"

/* ---- paths ---- */

bool path_carry(struct path *path, const struct func_changes *changes, bool inverted)
{
    struct path carried = {0};
    bool done = true;
    for (size_t i = 0; done && i < path->funcs.count; i++) {
        uint32_t func = path->funcs.items[i];
        struct func_sequence sequence = func_changes_of(changes, &func);
        for (size_t k = 0; done && k < sequence.count; k++)
            done = path_push(&carried, sequence.funcs[inverted ? sequence.count - 1 - k : k]);
    }
    if (!done) {
        path_free(&carried);
        return false;
    }
    path_free(path);
    *path = carried;
    return true;
}

/* ---- sets of paths ---- */

void path_set_free(struct path_set *set)
{
    for (size_t i = 0; i < set->paths.count; i++)
        path_free(&set->paths.items[i]);
    vec_free(&set->paths);
}

struct growing_set {
    struct path_set set;
    struct map by_funcs;
};

static uint64_t hash_of(const uint32_t *funcs, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = hash_combine(hash, funcs[i]);
    return hash;
}

static bool has_path(const struct growing_set *growing, const uint32_t *funcs, size_t count, uint64_t hash)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&growing->by_funcs, hash); map_probe_next(&probe, &row);) {
        const struct path *known = &growing->set.paths.items[row];
        if (known->funcs.count == count && memcmp(known->funcs.items, funcs, count * sizeof *funcs) == 0)
            return true;
    }
    return false;
}

/* The first `count` funcs of a path. */
static bool add_path(struct growing_set *growing, const struct path *path, size_t count)
{
    uint64_t hash = hash_of(path->funcs.items, count);
    if (has_path(growing, path->funcs.items, count, hash))
        return true;
    struct path copy = {0};
    for (size_t i = 0; i < count; i++)
        if (!path_push(&copy, path->funcs.items[i])) {
            path_free(&copy);
            return false;
        }
    if (!map_insert(&growing->by_funcs, hash, (uint32_t)growing->set.paths.count) || !vec_push(&growing->set.paths, copy)) {
        path_free(&copy);
        return false;
    }
    return true;
}

static bool carry_expanded(struct growing_set *growing, const struct path *path, const struct func_changes *changes,
                           bool inverted)
{
    struct path carried = {0};
    size_t length = path->funcs.count;
    uint32_t last = length > 0 ? path->funcs.items[length - 1] : INDEX_NONE;
    size_t rows = length > 0 ? func_changes_of(changes, &last).count : 1;
    bool done = path_copy(&carried, path) && path_carry(&carried, changes, inverted);
    for (size_t i = 0; done && i < rows; i++)
        done = add_path(growing, &carried, carried.funcs.count - i);
    path_free(&carried);
    return done;
}

bool path_set_carry(struct path_set *set, const struct func_changes *changes, bool inverted)
{
    struct growing_set growing = {0};
    bool done = true;
    for (size_t i = 0; done && i < set->paths.count; i++)
        done = carry_expanded(&growing, &set->paths.items[i], changes, inverted);
    map_free(&growing.by_funcs);
    path_set_free(done ? set : &growing.set);
    if (done)
        *set = growing.set;
    return done;
}

/* ---- transforms ---- */

static uint32_t outermost(const struct func_changes *changes, uint32_t func)
{
    return *func_changes_of(changes, &func).funcs;
}

static uint32_t innermost(const struct func_changes *changes, uint32_t func)
{
    struct func_sequence sequence = func_changes_of(changes, &func);
    return sequence.funcs[sequence.count - 1];
}

static bool filter_carry(struct transform *transform, const struct func_changes *changes)
{
    struct path *path = &transform->path;
    switch (transform->filter) {
    case FILTER_FUNCTION_INCLUDE:
        for (size_t i = 0; i < path->funcs.count; i++)
            path->funcs.items[i] = outermost(changes, path->funcs.items[i]);
        return true;
    case FILTER_STACK_SUFFIX:
        for (size_t i = 0; i < path->funcs.count; i++)
            path->funcs.items[i] = innermost(changes, path->funcs.items[i]);
        return true;
    case FILTER_STACK_PREFIX:
        return path_carry(path, changes, false);
    case FILTER_MARKER_SEARCH:
    case FILTER_OUTSIDE_MARKER:
    case SAMPLE_FILTERS:
        break;
    }
    return true;
}

bool transform_carry(struct transform *transform, const struct func_changes *changes)
{
    switch (transform->type) {
    case FOCUS_SUBTREE:
    case MERGE_CALL_NODE:
        return path_carry(&transform->path, changes, transform->inverted);
    case FOCUS_SELF:
        transform->func = innermost(changes, transform->func);
        return true;
    case FOCUS_FUNCTION:
    case MERGE_FUNCTION:
    case DROP_FUNCTION:
    case COLLAPSE_RESOURCE:
    case COLLAPSE_DIRECT_RECURSION:
    case COLLAPSE_RECURSION:
    case COLLAPSE_FUNCTION_SUBTREE:
        transform->func = outermost(changes, transform->func);
        return true;
    case FILTER_SAMPLES:
        return filter_carry(transform, changes);
    case FOCUS_CATEGORY:
    case KEEP_MATCHING:
    case DROP_MATCHING:
    case MERGE_MATCHING:
    case COLLAPSE_MATCHING:
    case TRANSFORM_TYPES:
        break;
    }
    return true;
}
