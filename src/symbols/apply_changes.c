#include "symbols/symbolication.h"

/* What the frames of a func agree on so far: it becomes calls[first .. first + count) of the new shape. */
struct successor {
    uint32_t first, count;
    bool is_seen, is_split, is_news; /* some frame has the func; its frames disagree; somebody has to be told */
};

static uint32_t call_func(const struct shape *shape, uint32_t call)
{
    return shape->frames.items[shape->calls.items[call]].func;
}

static bool same_funcs(const struct shape *shape, uint32_t a, uint32_t b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (call_func(shape, a + i) != call_func(shape, b + i))
            return false;
    return true;
}

static void vote(struct successor *successor, const struct shape *shape, uint32_t first, uint32_t count, bool is_news)
{
    if (!successor->is_seen)
        *successor = (struct successor){first, count, .is_seen = true};
    else if (successor->count != count || !same_funcs(shape, successor->first, first, count))
        successor->is_split = true;
    successor->is_news |= is_news;
}

/* A frame that was one call says what its func became as a whole. Where calls were inlined already they are the same ones, one
 * for one, but may have other numbers. */
static void vote_of_frame(const struct symbolication *symbolication, const struct shape *shape, uint32_t frame,
                          struct successor *successors)
{
    const struct shape *old = &symbolication->shape;
    bool is_shaped = shape->frames.items[frame].is_shaped, was_shaped = false;
    uint32_t func = column_get_index(&symbolication->raw.frames.func, frame);
    struct expansion now = shape->expansions[frame], before = {frame, 1};
    if (symbolication->is_updated) {
        before = old->expansions[frame];
        was_shaped = old->frames.items[frame].is_shaped;
        func = old->frames.items[frame].func;
    }
    if (now.count == 0)
        return;
    if (before.count == 1) {
        bool is_news = is_shaped != was_shaped || now.count > 1 || func != shape->frames.items[frame].func;
        vote(&successors[func], shape, now.first, now.count, is_news);
        return;
    }
    for (uint32_t i = 0; i < now.count && now.count == before.count; i++) {
        func = call_func(old, before.first + i);
        vote(&successors[func], shape, now.first + i, 1, func != call_func(shape, now.first + i));
    }
}

static bool write_changes(const struct shape *shape, const struct successor *successors, size_t count,
                          struct func_changes *changes)
{
    if (!vec_reserve(&changes->start, count + 1))
        return false;
    for (size_t f = 0; f < count; f++) {
        const struct successor *successor = &successors[f];
        changes->start.items[changes->start.count++] = (uint32_t)changes->funcs.count;
        if (!successor->is_news || successor->is_split)
            continue;
        for (uint32_t i = 0; i < successor->count; i++)
            if (!vec_push(&changes->funcs, call_func(shape, successor->first + i)))
                return false;
    }
    changes->start.items[changes->start.count++] = (uint32_t)changes->funcs.count;
    return true;
}

bool changes_collect(const struct symbolication *symbolication, const struct shape *shape, struct func_changes *changes)
{
    size_t funcs = profile_func_count(symbolication->profile);
    size_t frames = frame_count(&symbolication->raw.frames);
    struct successor *successors = memory_zeroed(funcs + 1, sizeof *successors);
    if (!successors)
        return false;
    for (uint32_t i = 0; i < frames; i++)
        vote_of_frame(symbolication, shape, i, successors);
    changes->count_after = (uint32_t)shape->funcs.count;
    bool done = write_changes(shape, successors, funcs, changes);
    memory_release(successors);
    return done;
}
